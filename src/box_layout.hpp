// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"

#include <ferry/box.hpp>

namespace ferry::detail {

/// A box and how both ends of its copy lie in memory, as backends take it.
struct BoxCopy {
    backend::Box box;
    backend::Pitch from, to;
};

/// Whether two boxes of one memory share a byte. Exact, whatever their pitches.
bool overlap(const BoxSide& a, const BoxSide& b);

/// The same bytes as fewer and longer rows, where what follows without a gap at both ends allows. One row
/// is left if it is a plain copy.
BoxCopy simplify(const BoxLayout& from, const BoxLayout& to);

} // namespace ferry::detail
