// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"

#include <ferry/box.hpp>

namespace ferry::detail {

/// A box, and the layout of both ends of its copy, in the form of the backends.
struct BoxCopy {
    backend::Box box;
    backend::Pitch from, to;
};

/// Whether two boxes of one memory share a byte. Exact for all pitches.
bool overlap(const BoxSide& a, const BoxSide& b);

/// The same bytes as fewer and longer rows, if they are contiguous at both ends. One row remains if it is a
/// plain copy.
BoxCopy simplify(const BoxLayout& from, const BoxLayout& to);

} // namespace ferry::detail
