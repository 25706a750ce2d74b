// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ferry::detail::child_run {

/// The program that runs measurements in child processes: the ferry tool.
struct Tool {
    std::string path;    ///< Absolute. Empty if there is none.
    std::string why_not; ///< A part of a sentence, if there is none: "no ferry tool is beside ...".
};

/// The tool named by FERRY_TOOL, otherwise the one near the library: in its folder, or at the installed
/// location of both. Never one from PATH, one that others may write, or one without the mark of exactly this
/// version. Searches at each call.
Tool find_tool();

} // namespace ferry::detail::child_run
