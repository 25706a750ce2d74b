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
/// out, by what `defines` ("NAME=value") and the text define: so a file may include itself. `whole`: a line
/// elsewhere that names its file by a macro is an error. Throws Error (build_failed) when files include each
/// other deeper than 100 levels, or are more than a preprocessor takes.
std::string flatten(std::string_view text, const std::string& name,
                    const std::vector<std::string>& directories,
                    const std::map<std::string, std::string>& headers, bool whole = false,
                    const std::vector<std::string>& defines = {});

/// What NAME or NAME=value stands for, without the line's end. Throws Error (invalid_argument) for one
/// without a name, or with a backslash as the last character.
std::string define_line(const std::string& define);

} // namespace ferry::translate
