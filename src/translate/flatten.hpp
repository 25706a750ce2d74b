// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::translate {

/// Replaces #include lines by the files that they name, and keeps conditions and macros unchanged, so that
/// the text needs no directories. `headers` are found before files, as in the preprocessor. A file that is
/// not found stays an #include line. So does an #include in a branch that is certainly excluded by the
/// definitions in `defines` ("NAME=value") and the text; a file may therefore include itself. `whole`: a line
/// elsewhere that names its file through a macro is an error. Throws Error (build_failed) if files include
/// each other deeper than 100 levels, or exceed the limits of the preprocessor.
std::string flatten(std::string_view text, const std::string& name,
                    const std::vector<std::string>& directories,
                    const std::map<std::string, std::string>& headers, bool whole = false,
                    const std::vector<std::string>& defines = {});

/// The #define line for NAME or NAME=value, without the line end. Throws Error (invalid_argument) if the name
/// is missing, or if the last character is a backslash.
std::string define_line(const std::string& define);

} // namespace ferry::translate
