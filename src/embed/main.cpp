// SPDX-License-Identifier: Apache-2.0
// What the CMake function ferry_add_kernels() runs. It needs nothing but Ferry, so that projects that build
// Ferry as a part of theirs need no more.
#include "embed.hpp"

#include <exception>
#include <iostream>

namespace {

// False for an option that is not known.
bool take(tool::Command& command, const std::string& option, const std::string& value) {
    ferry::CompileRequest& request = command.request;
    if (option == "--folder") {
        command.folder = value;
    } else if (option == "--variable") {
        command.variable = value;
    } else if (option == "--symbol") {
        command.symbol = value;
    } else if (option == "--host-level") {
        command.host_levels.push_back(value);
    } else if (option == "--arch") {
        request.architectures.push_back(value);
    } else if (option == "-D") {
        request.options.defines.push_back(value);
    } else if (option == "-I") {
        request.options.include_directories.push_back(value);
    } else if (option == "--options") {
        request.options.opencl = value;
    } else if (const auto backend = ferry::backend_from_name(value); option == "--backend" && backend) {
        request.backends.push_back(*backend);
    } else {
        return false;
    }
    return true;
}

} // namespace

int main(int argc, char** argv) {
    try {
        tool::Command command;
        command.file = argc > 1 ? argv[1] : "";
        for (int i = 2; i < argc; i += 2) {
            if (i + 1 == argc || !take(command, argv[i], argv[i + 1])) {
                std::cerr << "ferry-embed: '" << argv[i] << "' is not understood\n";
                return 2;
            }
        }
        return tool::embed(command) ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 2;
    }
}
