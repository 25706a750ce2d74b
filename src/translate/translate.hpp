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

// A translation of OpenCL C to C++. emit_cpp/emit.hpp makes it.
namespace ferry::translate {

struct Request {
    Dialect dialect = Dialect::host;
    std::string name = "kernel.cl"; ///< For messages and __FILE__.
    std::string_view text;
    PreprocessOptions preprocess; ///< The caller's; the dialect's own macros are added.
    bool fp64 = true;
    bool fp16 = true;     ///< Whether the macro cl_khr_fp16 is defined.
    bool offsets = false; ///< Launches may have a Grid::offset.
};

/// One kernel as its text declares it. KernelInfo has the properties known from the text: names, types,
/// kinds, sizes of built-in types, the required group size.
struct TranslatedKernel {
    KernelInfo info;
    std::string symbol; ///< Its name in the C++.
    /// In the C++ it has one more parameter than `info`, the last one: the offset of the launch, three 64-bit
    /// numbers.
    bool takes_offset = false;
    /// Its work-items may run in any order with the same result, if no two use the same memory: it calls no
    /// atomic operation and no printf().
    bool any_order = false;
};

/// A position in the C++ and its origin.
struct Mapping {
    std::uint32_t column = 0; ///< In the C++, from 1.
    Position at;
};

struct Translation {
    /// Complete C++: the prelude and the kernels. On the host it ends with a function that returns the table
    /// of kernels; its name is the macro FY_MODULE, which the compiler must be given.
    std::string text;
    std::vector<TranslatedKernel> kernels;
    bool contracts = true;       ///< False: a * b + c must be two roundings (#pragma OPENCL FP_CONTRACT OFF).
    bool prints = false;         ///< A kernel may call printf().
    bool padded_vectors = false; ///< Some vectors have three elements.
    std::string warnings;
    std::string error; ///< If not empty, the translation failed: the errors in the form of compilers.

    /// Converts a compiler's messages about `text` to messages about the user's file. `name` is the file name
    /// that the compiler was given for the text.
    std::string explain(std::string_view log, std::string_view name) const;

    std::shared_ptr<const Files> files;
    std::vector<std::vector<Mapping>> lines; ///< One for each line of `text`.

    /// Set in a cached translation, which has no `files` and `lines`: translates again, for explain().
    std::function<Translation()> again;
};

/// Differs if the translation may differ: a digest of the source of the compiler of kernels.
extern const char* const version;

} // namespace ferry::translate
