// SPDX-License-Identifier: Apache-2.0
#include "probe/library_trace.hpp"

#include "child/child_environment.hpp"
#include "child/child_process.hpp"
#include "child/message.hpp"
#include "system/file_stamp.hpp"

#include <string_view>

namespace ferry::detail::probe {

std::vector<std::string> Trace::stamps() const {
    std::vector<std::string> lines;
    for (const auto& [name, path] : paths) {
        std::string line = stamp_line(path);
        if (!line.empty()) {
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

std::string Trace::path_text(const std::string& name) const {
    const auto found = paths.find(name);
    return found == paths.end() || found->second == name ? "" : " (" + found->second + ")";
}

Trace trace_libraries(const child_run::Tool& tool, Backend backend, const std::vector<std::string>& names) {
    Trace trace;
    std::string preload;
    for (const std::string& name : names) {
        if (name.starts_with('/')) {
            trace.paths[name] = name;
        }
        if (!name.empty() && name.find_first_of(" :") == std::string::npos) { // which separate names there
            preload += (preload.empty() ? "" : ":") + name;
        }
    }
    if (preload.empty() || tool.path.empty()) {
        return trace;
    }
    std::string output;
    const auto take = [&](std::string_view bytes) {
        output += bytes;
        return output.size() < std::size_t{256} << 10;
    };
    const auto until = child_run::Clock::now() + std::chrono::seconds(2);
    // With this variable the loader lists the files of a program and does not run it.
    const std::vector<std::string> environment =
        child_run::child_environment(backend, {{"LD_PRELOAD", preload}, {"LD_TRACE_LOADED_OBJECTS", "1"}});
    const child_run::ChildEnd end = child_run::run_child(
        {.program = tool.path, .arguments = {tool.path, "--version"}, .environment = &environment}, {}, take,
        [&] { return until; });
    if (!end.started) {
        return trace;
    }
    // "\tlibcuda.so.1 => /usr/lib/libcuda.so.1 (0x00007f...)", "\t/opt/libcuda.so (0x...)"
    for (std::string_view rest = output; !rest.empty();) {
        std::string_view line = child_run::next_part(rest, '\n');
        line.remove_prefix(std::min(line.find_first_not_of("\t "), line.size()));
        const std::string_view left = line.substr(0, std::min(line.rfind(" (0x"), line.size()));
        const std::size_t arrow = left.find(" => ");
        const std::string name(left.substr(0, arrow));
        const std::string path(arrow == std::string_view::npos ? left : left.substr(arrow + 4));
        if (path.starts_with('/')) {
            trace.paths[name] = path;
        }
    }
    return trace;
}

} // namespace ferry::detail::probe
