// SPDX-License-Identifier: Apache-2.0
// Facts about HIP and hipRTC for the engine.
#include "../driver_cpu/library.hpp"

#include "../driver_cpu/compiler.hpp"
#include "../driver_cpu/module.hpp"
#include "code_object.hpp"

namespace ferry_double {

namespace {

bool starts(std::string_view text, std::string_view with) {
    return text.substr(0, with.size()) == with;
}

bool known_architecture(std::string_view name) {
    const std::string_view base = name.substr(0, name.find(':'));
    return starts(base, "gfx") && base.size() >= 6 && base.size() <= 7 &&
           base.find_first_not_of("0123456789abcdef", 3) == std::string_view::npos;
}

std::vector<std::string> macros(const std::string& architecture) {
    return {"-D__HIPCC_RTC__",
            "-D__HIPCC__",
            "-D__HIP__",
            "-D__HIP_DEVICE_COMPILE__=1",
            "-D__HIP_PLATFORM_AMD__",
            "-D__" + architecture.substr(0, architecture.find(':')) + "__",
            "-DFERRY_HIP_CPU_DOUBLE"};
}

// Drops options that concern only GPUs.
std::optional<std::string> option(const std::string& given) {
    if (starts(given, "--offload-arch=")) {
        return "--gpu-architecture=" + given.substr(given.find('=') + 1);
    }
    if (starts(given, "-O")) {
        return given == "-O0" ? given : "-O1"; // the tests compile much longer than they run kernels
    }
    if (given == "-Werror=undefined-internal") {
        return "-Wl,-z,defs"; // g++ has no such warning, but its linker finds the same mistakes
    }
    for (const char* taken : {"--gpu-architecture=", "-D", "-U", "-I", "-std=", "-W", "-ffp-contract="}) {
        if (starts(given, taken)) {
            return given;
        }
    }
    if (given == "-ffast-math" || given == "-w" || given == "-g") {
        return given;
    }
    return starts(given, "-f") || starts(given, "-m") ? std::optional<std::string>("") : std::nullopt;
}

} // namespace

#define FERRY_EACH_ROW(tier, member, name, result, parameters) #name,
#define FERRY_EACH_COMPILER_ROW(tier, member, name, result, parameters) #name,
#define FERRY_ROWS_CUDA 0
const char* const library_symbols[] = {
#include "../each_row.inc"
    nullptr};

const LibraryFacts library_facts{"gfx90a", 64, shared_bytes_per_block, 0};

const CompilerFacts compiler_facts{
    "hip", "gfx90a", "", known_architecture, macros, option, make_code_object, read_code_object};

} // namespace ferry_double
