// SPDX-License-Identifier: Apache-2.0
// The program run by the CMake function ferry_add_kernels(). It needs only Ferry, so projects that build
// Ferry as a part need nothing else.
#include "embed.hpp"

#include <algorithm>
#include <exception>
#include <iostream>

namespace {

const char* const usage =
    "ferry-embed FILE [OPTION VALUE]...\n"
    "Makes of FILE, kernels in OpenCL C (saxpy.cl), the files saxpy.cl.hpp, saxpy.cl.cpp and "
    "saxpy.cl.LEVEL.cpp.\n"
    "They hold it for ferry::Program, compiled ahead for each backend whose compiler is there. In CMake,\n"
    "ferry_add_kernels() calls it.\n"
    "\n"
    "  --folder DIR         where the files go\n"
    "  --depfile FILE       is written with the files that FILE includes, for Make and Ninja\n"
    "  --variable NAME      of the C++ variable, kernels::NAME\n"
    "  --symbol NAME        the functions of the compiled kernels begin with it\n"
    "  --backend NAME       one of those to compile for; may be repeated. opencl: every device here checks "
    "it\n"
    "  --arch NAME          sm_90, gfx90a: an architecture to compile for; may be repeated\n"
    "  --host-level NAME    v4, v3 (x86-64), sve2, sve (ARM64 on Linux), base: a level to compile for; may "
    "be repeated\n"
    "  --global-offsets on  launches may have a Grid::offset\n"
    "  -D NAME[=VALUE], -I DIR, --options TEXT    for the compilers\n";

// Returns false for an unknown option.
bool take(tool::Command& command, const std::string& option, const std::string& value) {
    ferry::CompileRequest& request = command.request;
    if (option == "--folder") {
        command.folder = value;
    } else if (option == "--depfile") {
        command.depfile = value;
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
        request.options.opencl = value.substr(std::min(value.find_first_not_of(' '), value.size()));
    } else if (option == "--global-offsets" && value == "on") {
        request.options.global_offsets = true;
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
        if (argc < 2 || argv[1] == std::string("--help") || argv[1] == std::string("-h")) {
            (argc < 2 ? std::cerr : std::cout) << usage;
            return argc < 2 ? 2 : 0;
        }
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
