// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ferry::translate {

/// Puts the files that #include lines name in the place of these lines, conditions and macros untouched, so
/// that the text needs no directories any more. A file that is not found stays an #include line. Throws Error
/// (build_failed) when files include each other deeper than 100 levels.
std::string flatten(std::string_view text, const std::string& name,
                    const std::vector<std::string>& directories);

} // namespace ferry::translate
