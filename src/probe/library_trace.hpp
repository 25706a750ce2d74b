// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "child/tool.hpp"

#include <ferry/backend.hpp>

#include <map>
#include <string>
#include <vector>

namespace ferry::detail::probe {

/// The files behind the names of libraries, as the loader finds them.
struct Trace {
    std::map<std::string, std::string> paths; ///< by name; those that the libraries need too

    std::vector<std::string> stamps() const; ///< stamp_line() of each
    /// " (/usr/lib/libcuda.so.1)", or nothing if that is the name or is not known.
    std::string path_text(const std::string& name) const;
};

/// Asks the loader, without running any code of these libraries. For a library that ended its child, which
/// cannot report its files. Without a tool only paths among the names are known. Blocks for a few ms.
Trace trace_libraries(const child_run::Tool& tool, Backend backend, const std::vector<std::string>& names);

} // namespace ferry::detail::probe
