// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics.hpp"
#include "dialect.hpp"
#include "preprocess.hpp"

#include <ferry/kernel.hpp>
#include <ferry/program.hpp>

#include <functional>
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
    bool offsets = false; ///< launches may have a Grid::offset
};

/// One kernel as its text declares it. KernelInfo holds what the text tells: names, types, kinds, sizes of
/// builtin types, the required group size.
struct TranslatedKernel {
    KernelInfo info;
    std::string symbol; ///< its name in the C++
    /// In the C++ it has a parameter more than `info` says, the last one: the offset of the launch, three
    /// 64-bit numbers.
    bool takes_offset = false;
    /// Its work-items may run in any order with the same result, if no two use the same memory: it calls no
    /// atomic operation and no printf().
    bool any_order = false;
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

    /// A compiler's messages about `text` as messages about the user's file. `name` is what the compiler was
    /// told that the text is called.
    std::string explain(std::string_view log, std::string_view name) const;

    std::shared_ptr<const Files> files;
    std::vector<std::vector<Mapping>> lines; ///< one for each line of `text`

    /// Set in one that was kept from before, which has no `files` and `lines`: makes it once more, for
    /// explain().
    std::function<Translation()> again;
};

/// A text after preprocessing.
class Unit {
public:
    explicit Unit(Request request);

    bool failed() const noexcept { return diagnostics_.failed(); }
    /// Every file that was read, the first one first.
    const Files& files() const noexcept { return *files_; }
    /// The tokens with a blank or an end of line between them.
    std::string spelling() const;

    Translation translate() &&;

private:
    Request request_;
    std::shared_ptr<Files> files_;
    std::uint32_t main_;
    Diagnostics diagnostics_;
    std::vector<Token> tokens_;
};

/// Never throws for what the text says. Thread-safe.
Translation translate(const Request& request);

/// Differs where the translator differs: a digest of its own source.
extern const char* const version;

} // namespace ferry::translate
