// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ferry::detail::trial {

/// The program that trials run in: the ferry tool.
struct Tool {
    std::string path;    ///< absolute; empty if there is none
    std::string why_not; ///< a part of a sentence, if there is none: "no ferry tool is beside ..."
};

/// What FERRY_TOOL names, else the tool beside the library: in its folder, or where both are installed. Never
/// one from PATH, one that others may write, or one without the mark of this very version. Looks each time.
Tool find_tool();

} // namespace ferry::detail::trial
