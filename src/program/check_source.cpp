// SPDX-License-Identifier: Apache-2.0
#include "emit_spirv/emit.hpp"
#include "opencl_c/check.hpp"
#include "system/float_environment.hpp"
#include "translate/build_flags.hpp"

#include <ferry/compile.hpp>
#include <ferry/error.hpp>
#include <ferry/spirv.hpp>

#include <algorithm>
#include <cstring>

// Functions that need only the OpenCL C front end, and no compiler.
namespace ferry {
namespace {

opencl_c::Checked checked(const Source& source, const BuildOptions& build_options, const char* function,
                          opencl_c::Options options) {
    if (source.language() != Language::opencl_c) {
        throw Error(Code::invalid_argument, std::string(function) + "() takes OpenCL C; the source is " +
                                                std::string(to_string(source.language())));
    }
    if (build_options.opencl_only) {
        throw Error(Code::invalid_argument,
                    std::string(function) +
                        "() applies the rules of the portable kernel language, from which "
                        "BuildOptions::opencl_only exempts the text");
    }
    const detail::DefaultFloatEnvironment floats; // The front end computes constants.
    const translate::BuildFlags flags = translate::read_build_flags(build_options);
    if (!flags.problem.empty()) {
        throw Error(Code::invalid_argument, flags.problem);
    }
    options.name = source.name();
    options.preprocess.defines = flags.defines;
    options.preprocess.include_directories = flags.include_directories;
    options.preprocess.headers = translate::memory_headers(build_options);
    return opencl_c::check(source.contents(), options);
}

} // namespace

CheckResult check(const Source& source, const BuildOptions& build_options) {
    const opencl_c::Checked text = checked(source, build_options, "check", {});
    CheckResult result;
    result.ok = text.tree->checked;
    result.diagnostics = text.messages();
    if (result.ok) {
        result.kernels = opencl_c::kernels(*text.tree);
    }
    return result;
}

SpirvResult compile_spirv(const Source& source, const BuildOptions& build_options, SpirvTarget target) {
    const detail::DefaultFloatEnvironment floats; // The emitter computes constants.
    const bool vulkan = target == SpirvTarget::vulkan;
    opencl_c::Options options;
    options.target = vulkan ? "#define FERRY_VULKAN 1\n" : "#define FERRY_OPENCL 1\n";
    opencl_c::Checked text = checked(source, build_options, "compile_spirv", options);
    SpirvResult result;
    if (text.tree->checked) {
        const emit_spirv::Emitted made =
            emit_spirv::emit(*text.tree, vulkan ? emit_spirv::Flavour::vulkan : emit_spirv::Flavour::opencl);
        for (const emit_spirv::Refused& refused : made.refused) {
            text.diagnostics.error(text.tree->place(refused.token), "the kernel " +
                                                                        translate::quoted(refused.kernel) +
                                                                        " is left out: " + refused.message);
        }
        result.ok = made.refused.empty();
        result.kernels = opencl_c::kernels(*text.tree);
        std::erase_if(result.kernels, [&](const KernelInfo& kernel) {
            return std::any_of(made.refused.begin(), made.refused.end(),
                               [&](const auto& refused) { return refused.kernel == kernel.name; });
        });
        if (result.ok || !made.kernels.empty()) {
            result.module.resize(made.words.size() * sizeof made.words[0]);
            std::memcpy(result.module.data(), made.words.data(), result.module.size());
        }
    }
    result.diagnostics = text.messages();
    return result;
}

} // namespace ferry
