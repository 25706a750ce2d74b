// SPDX-License-Identifier: Apache-2.0
// Facts about CUDA and NVRTC for the engine.
#include "../driver_cpu/library.hpp"

#include "../driver_cpu/compiler.hpp"
#include "../driver_cpu/module.hpp"
#include "architectures.hpp"
#include "images.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace ferry_double {

namespace {

bool starts(std::string_view text, std::string_view with) {
    return text.substr(0, with.size()) == with;
}

bool known_architecture(std::string_view name) {
    if (!starts(name, "sm_") && !starts(name, "compute_")) {
        return false;
    }
    name.remove_prefix(name.find('_') + 1);
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    const std::string_view rest = name.substr(static_cast<std::size_t>(end - name.data()));
    return error == std::errc() && (rest.empty() || rest == "a") &&
           std::count(std::begin(cuda_architectures), std::end(cuda_architectures), number) != 0;
}

std::vector<std::string> macros(const std::string& architecture) {
    std::string number = architecture.substr(architecture.find('_') + 1);
    number = number.substr(0, number.find('a'));
    return {"-D__CUDACC_RTC__",
            "-D__CUDACC__",
            "-D__NVCC__",
            "-D__CUDACC_VER_MAJOR__=12",
            "-D__CUDACC_VER_MINOR__=4",
            "-D__CUDA_ARCH__=" + number + "0"};
}

// NVRTC's long options have one or two dashes. Options that concern only the machine code are dropped.
std::optional<std::string> option(const std::string& given) {
    constexpr std::pair<std::string_view, std::string_view> words[] = {
        {"--gpu-architecture=", "--gpu-architecture="},
        {"-arch=", "--gpu-architecture="},
        {"--std=", "-std="},
        {"-std=", "-std="},
        {"--define-macro=", "-D"},
        {"--undefine-macro=", "-U"},
        {"--include-path=", "-I"},
        {"-D", "-D"},
        {"-U", "-U"},
        {"-I", "-I"},
        {"--fmad=false", "-ffp-contract=off"},
        {"-fmad=false", "-ffp-contract=off"},
        {"--use_fast_math", "-ffast-math"},
        {"-use_fast_math", "-ffast-math"},
        {"--disable-warnings", "-w"},
        {"-w", "-w"}};
    for (const auto& [theirs, ours] : words) {
        if (starts(given, theirs)) {
            return std::string(ours) + given.substr(theirs.size());
        }
    }
    for (const char* dropped :
         {"--minimal", "-minimal", "--fmad=true", "--device-debug", "-G", "--generate-line-info", "-lineinfo",
          "--maxrregcount=", "--ftz=", "--prec-", "--diag-", "--extra-device-vectorization",
          "--device-as-default", "-default-device"}) {
        if (starts(given, dropped)) {
            return "";
        }
    }
    return std::nullopt;
}

} // namespace

#define FERRY_ROWS_CUDA 1
#define FERRY_EACH_ROW(tier, member, name, result, parameters) #name,
#define FERRY_EACH_COMPILER_ROW(tier, member, name, result, parameters) #name,
const char* const library_symbols[] = {
#include "../each_row.inc"
    nullptr};

// A kernel has 48 KiB of shared memory unless it requests more.
const LibraryFacts library_facts{"sm_90", 32, 48 * 1024, -1};

// A called function without a definition is an error, as in ptxas.
const CompilerFacts compiler_facts{
    "cuda",          "compute_52",   "#define FERRY_DOUBLE_CUDA 1\n", known_architecture, macros, option,
    make_cuda_image, read_cuda_image};

} // namespace ferry_double
