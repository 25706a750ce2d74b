// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::translate {

/// Puts the files that #include lines name in the place of these lines, conditions and macros untouched, so
/// that the text needs no directories any more; `headers` are found before files, as the preprocessor does. A
/// file that is not found stays an #include line, and so does what stands in a branch that is certainly left
/// out, by what the text defines itself: so a file may include itself. `whole`: a line elsewhere that names
/// its file by a macro is an error. Throws Error (build_failed) when files include each other deeper than 100
/// levels, or are more than a preprocessor takes.
std::string flatten(std::string_view text, const std::string& name,
                    const std::vector<std::string>& directories,
                    const std::map<std::string, std::string>& headers, bool whole = false);

} // namespace ferry::translate
