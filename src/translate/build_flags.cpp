// SPDX-License-Identifier: Apache-2.0
#include "build_flags.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

namespace ferry::translate {
namespace {

// They allow the compilers' default behaviour, or request notes that reflection provides.
constexpr std::array<std::string_view, 7> without_effect{"-cl-mad-enable",
                                                         "-cl-no-signed-zeros",
                                                         "-cl-denorms-are-zero",
                                                         "-cl-kernel-arg-info",
                                                         "-Werror",
                                                         "-cl-strict-aliasing",
                                                         "-cl-fp32-correctly-rounded-divide-sqrt"};

} // namespace

BuildFlags read_build_flags(const BuildOptions& options) {
    BuildFlags flags;
    flags.defines = options.defines;
    flags.include_directories = options.include_directories;
    std::istringstream words(options.opencl);
    for (std::string word; words >> word;) {
        const std::string_view text = word;
        if (text.starts_with("-D") || text.starts_with("-I")) {
            std::string value(text.substr(2));
            if (value.empty() && !(words >> value)) {
                flags.problem = "The option " + word + " is the last one and has no value";
            }
            (text[1] == 'D' ? flags.defines : flags.include_directories).push_back(std::move(value));
        } else if (text == "-cl-fast-relaxed-math" || text == "-cl-unsafe-math-optimizations" ||
                   text == "-cl-finite-math-only") {
            flags.fast_math = true;
            if (text == "-cl-fast-relaxed-math") {
                flags.defines.emplace_back("__FAST_RELAXED_MATH__=1");
            }
        } else if (text == "-cl-opt-disable") {
            flags.unoptimised = true;
        } else if (text == "-g") {
            flags.debug = true;
        } else if (text == "-w") {
            flags.no_warnings = true;
        } else if (text.starts_with("-cl-std=")) {
            if (!text.starts_with("-cl-std=CL1.")) {
                flags.problem = "The portable kernel language is OpenCL C 1.2; the options ask for " +
                                std::string(text.substr(8)) + ", which only OpenCL devices may take";
            }
        } else if (std::find(without_effect.begin(), without_effect.end(), text) == without_effect.end()) {
            flags.problem = "The option '" + word +
                            "' for OpenCL C is not understood on this device, which has no OpenCL compiler";
        }
    }
    return flags;
}

std::vector<MemoryHeader> memory_headers(const BuildOptions& options) {
    std::vector<MemoryHeader> headers;
    headers.reserve(options.headers.size());
    for (const auto& [name, text] : options.headers) {
        headers.push_back({name, text});
    }
    return headers;
}

} // namespace ferry::translate
