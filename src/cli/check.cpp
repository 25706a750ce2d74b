// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "files.hpp"

#include <ferry/compile.hpp>

#include <nlohmann/json.hpp>

#include <iostream>

namespace cli {

Status check(const CompileCommand& command) {
    const ferry::Source source = ferry::Source::opencl_c(tool::read_file(command.file), command.file);
    const ferry::CheckResult result = ferry::check(source, command.request.options);
    if (command.json) {
        nlohmann::ordered_json all;
        all["ok"] = result.ok;
        all["diagnostics"] = result.diagnostics;
        all["kernels"] = kernels_json(result.kernels);
        std::cout << all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
        return result.ok ? found : refused;
    }
    if (!result.diagnostics.empty()) {
        std::cout << result.diagnostics << '\n';
    }
    std::cout << command.file << ": " << (result.ok ? "ok, " : "errors");
    if (result.ok) {
        std::cout << result.kernels.size() << (result.kernels.size() == 1 ? " kernel" : " kernels");
    }
    std::cout << '\n';
    return result.ok ? found : refused;
}

} // namespace cli
