// SPDX-License-Identifier: Apache-2.0
#include "opencl_c/check.hpp"
#include "translate/build_flags.hpp"

#include <ferry/compile.hpp>
#include <ferry/error.hpp>

namespace ferry {

CheckResult check(const Source& source, const BuildOptions& build_options) {
    if (source.language() != Language::opencl_c) {
        throw Error(Code::invalid_argument,
                    "check() takes OpenCL C; the source is " + std::string(to_string(source.language())));
    }
    const translate::BuildFlags flags = translate::read_build_flags(build_options);
    if (!flags.problem.empty()) {
        throw Error(Code::invalid_argument, flags.problem);
    }
    opencl_c::Options options;
    options.name = source.name();
    options.preprocess.defines = flags.defines;
    options.preprocess.include_directories = flags.include_directories;
    options.preprocess.headers = translate::memory_headers(build_options);
    const opencl_c::Checked checked = opencl_c::check(source.contents(), options);
    CheckResult result;
    result.ok = checked.tree->checked;
    result.diagnostics = checked.messages();
    if (result.ok) {
        result.kernels = opencl_c::kernels(*checked.tree);
    }
    return result;
}

} // namespace ferry
