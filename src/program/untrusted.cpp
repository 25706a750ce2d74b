// SPDX-License-Identifier: Apache-2.0
#include "program/untrusted.hpp"

#include "device/device_state.hpp"
#include "opencl_c/untrusted.hpp"
#include "translate/build_flags.hpp"

#include <ferry/version.hpp>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

namespace ferry::detail {
namespace {

constexpr std::array<std::string_view, 12> harmless{"-cl-mad-enable",
                                                    "-cl-no-signed-zeros",
                                                    "-cl-denorms-are-zero",
                                                    "-cl-single-precision-constant",
                                                    "-cl-kernel-arg-info",
                                                    "-cl-strict-aliasing",
                                                    "-cl-fp32-correctly-rounded-divide-sqrt",
                                                    "-cl-fast-relaxed-math",
                                                    "-cl-unsafe-math-optimizations",
                                                    "-cl-finite-math-only",
                                                    "-cl-opt-disable",
                                                    "-w"};

[[noreturn]] void refuse(const std::string& what) {
    throw Error(Code::invalid_argument, what + ", which BuildOptions::untrusted does not allow",
                SourceLocation{});
}

bool is_harmless(std::string_view word) {
    return std::find(harmless.begin(), harmless.end(), word) != harmless.end() ||
           word.starts_with("-cl-std=CL1.");
}

// Options that define macros are omitted, because the macros are expanded here.
std::string checked_options(const BuildOptions& options) {
    if (options.opencl_only) {
        refuse("The options ask for no check of the text (BuildOptions::opencl_only)");
    }
    if (!options.include_directories.empty()) {
        refuse("The options name the include directory '" + options.include_directories.front() + "'");
    }
    if (!options.cuda.empty() || !options.hip.empty()) {
        refuse("The options contain '" + (options.cuda.empty() ? options.hip : options.cuda) +
               "' for a vendor's compiler as it is");
    }
    std::string kept;
    std::istringstream words(options.opencl);
    for (std::string word; words >> word;) {
        if (word.starts_with("-D")) {
            if (word.size() == 2) {
                words >> word;
            }
        } else if (is_harmless(word)) {
            kept.append(kept.empty() ? "" : " ").append(word);
        } else {
            refuse("The options contain '" + word + "' for the OpenCL compiler");
        }
    }
    return kept;
}

std::string target_macro(Backend backend) {
    std::string name(to_string(backend));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return "#define FERRY_" + name + " 1\n";
}

// The portable ones. Other names that drivers define as macros stay in the text, and the drivers replace
// them; only conditions (#if, #ifdef) treat them as undefined.
std::string predefined(const DeviceInfo& device) {
    std::string text =
        "#define __OPENCL_VERSION__ 120\n#define __OPENCL_C_VERSION__ 120\n#define CL_VERSION_1_0 100\n"
        "#define CL_VERSION_1_1 110\n#define CL_VERSION_1_2 120\n#define __ENDIAN_LITTLE__ 1\n"
        "#define FERRY_HAS_ATOMIC_ADD_FLOAT 1\n#define FERRY_VERSION ";
    text +=
        std::to_string(FERRY_VERSION_MAJOR * 10000 + FERRY_VERSION_MINOR * 100 + FERRY_VERSION_PATCH) + "\n";
    text += device.backend != Backend::opencl ? "#define FERRY_HAS_SUBGROUPS 1\n" : "";
    text += device.fp16 ? "#define cl_khr_fp16 1\n" : "";
    return text + (device.fp64 ? "#define cl_khr_fp64 1\n#define FERRY_HAS_FP64 1\n" : "");
}

} // namespace

Untrusted untrusted(const Source& source, const BuildOptions& options, const DeviceInfo& device) {
    if (source.language() != Language::opencl_c) {
        throw Error(Code::unsupported,
                    "The source '" + source.name() + "' is " + std::string(to_string(source.language())) +
                        "; with BuildOptions::untrusted only OpenCL C is taken, because Ferry can look at "
                        "nothing else",
                    SourceLocation{});
    }
    BuildOptions left = options;
    left.opencl = checked_options(options);
    const translate::BuildFlags flags = translate::read_build_flags(options);
    if (!flags.problem.empty() && device.backend != Backend::opencl) {
        throw Error(Code::build_failed, flags.problem, SourceLocation{});
    }
    const std::string target = target_macro(device.backend);
    opencl_c::Options with;
    with.name = source.name();
    with.fp64 = device.fp64;
    with.fp16 = device.fp16;
    with.target = target;
    with.preprocess.predefined = target + predefined(device);
    with.preprocess.defines = flags.defines;
    with.preprocess.headers = translate::memory_headers(options);
    Source expanded = Source::opencl_c(opencl_c::expand_untrusted(source.contents(), with), source.name());
    left.defines.clear();
    left.headers.clear();
    return {source.global_offsets() ? expanded.with_global_offsets() : std::move(expanded), std::move(left)};
}

void check_runs_untrusted(const DeviceState& device, const SourceLocation& where) {
    if (device.info().backend == Backend::host || device.runs_in_this_process()) {
        throw Error(
            Code::unsupported,
            device.describe() +
                " runs kernels in this process, with all rights of the program; "
                "BuildOptions::untrusted needs a device with its own memory protection, such as a GPU",
            where);
    }
}

} // namespace ferry::detail
