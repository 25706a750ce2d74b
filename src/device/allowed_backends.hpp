// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/setting.hpp"

#include <ferry/backend.hpp>
#include <ferry/source_location.hpp>

#include <vector>

namespace ferry::detail {

/// The backends that may be opened, in order.
struct Allowed {
    std::vector<Backend> backends;
    backend::Setting setting; ///< The setting that limits them, if any.
    bool strict = false;      ///< A list was given: no other backend may be used.
    bool contains(Backend backend) const noexcept;
};

/// Throws Error (invalid_argument) for an unknown name.
Allowed allowed_backends(SourceLocation where);

} // namespace ferry::detail
