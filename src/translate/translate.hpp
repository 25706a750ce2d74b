// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dialect.hpp"
#include "preprocess.hpp"

#include <ferry/kernel.hpp>
#include <ferry/program.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

// OpenCL C in, C++ for NVRTC, hipRTC or the host's compiler out.
namespace ferry::translate {

struct Request {
    Dialect dialect = Dialect::host;
    std::string name = "kernel.cl"; ///< for messages and __FILE__
    std::string_view text;
    PreprocessOptions preprocess; ///< the caller's; the dialect's own macros are added
    bool fp64 = true;
};

/// One kernel as its text declares it. KernelInfo holds what the text tells: names, types, kinds, sizes of
/// builtin types, the required group size.
struct TranslatedKernel {
    KernelInfo info;
    std::string symbol; ///< its name in the C++
};

/// A place of the C++ and where it comes from.
struct Mapping {
    std::uint32_t column = 0; ///< in the C++, from 1
    Position at;
};

struct Translation {
    /// Complete C++: the prelude and the kernels. On the host it ends with a function FY_MODULE, a macro the
    /// compiler must be given, which gives the table of kernels.
    std::string text;
    std::vector<TranslatedKernel> kernels;
    bool contracts = true; ///< false: a * b + c must be two roundings (#pragma OPENCL FP_CONTRACT OFF)
    std::string warnings;
    std::string error; ///< if not empty the translation failed: what is wrong, as compilers print it
    std::string key;   ///< what the result depends on besides the options: the text after preprocessing

    /// A compiler's messages about `text` as messages about the user's file. `name` is what the compiler was
    /// told that the text is called.
    std::string explain(std::string_view log, std::string_view name) const;

    std::shared_ptr<const Files> files;
    std::vector<std::vector<Mapping>> lines; ///< one for each line of `text`
};

/// Never throws for what the text says. Thread-safe.
Translation translate(const Request& request);

/// The same for what BuildOptions say. Throws Error (build_failed) with the log if it fails.
Translation translate_or_throw(Dialect dialect, const std::string& name, std::string_view text,
                               const BuildOptions& options, bool fp64);

} // namespace ferry::translate
