// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "files.hpp"

#include <ferry/spirv.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <iostream>

namespace cli {

Status compile_spirv(const CompileCommand& command) {
    const ferry::Source source = ferry::Source::opencl_c(tool::read_file(command.file), command.file);
    const ferry::SpirvTarget target =
        command.target == "vulkan" ? ferry::SpirvTarget::vulkan : ferry::SpirvTarget::opencl;
    const ferry::SpirvResult result = ferry::compile_spirv(source, command.request.options, target);
    std::string file;
    if (!result.module.empty()) {
        make_folder(command.emit);
        const std::string name = std::filesystem::path(command.file).stem().string() + ".spv";
        file = (std::filesystem::path(command.emit) / name).string();
        tool::write_file(file, {reinterpret_cast<const char*>(result.module.data()), result.module.size()});
    }
    if (command.json) {
        nlohmann::ordered_json all;
        all["ok"] = result.ok;
        all["diagnostics"] = result.diagnostics;
        all["file"] = file;
        all["bytes"] = result.module.size();
        all["kernels"] = kernels_json(result.kernels);
        std::cout << all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
        return result.ok ? found : refused;
    }
    if (!result.diagnostics.empty()) {
        std::cout << result.diagnostics << '\n';
    }
    if (file.empty()) {
        std::cout << command.file << ": errors\n";
    } else {
        std::cout << file << ": " << result.module.size() << " bytes, " << result.kernels.size()
                  << (result.kernels.size() == 1 ? " kernel\n" : " kernels\n");
    }
    return result.ok ? found : refused;
}

} // namespace cli
