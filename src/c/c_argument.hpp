// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "c_call.hpp"

#include <vector>

namespace ferry::c {

/// The arguments of a launch in the form of the front. They refer to the caller's.
struct Arguments {
    Arguments(const ferry_argument* arguments, std::size_t count, const Call& at);

    std::vector<detail::Argument> packed;
    std::vector<detail::ShareUse> uses; ///< One for each argument. Empty if no argument is a share.
};

} // namespace ferry::c
