// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate/diagnostics.hpp"
#include "translate/preprocess.hpp"
#include "tree.hpp"

#include <ferry/kernel.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

// The front end for OpenCL C: one parse and one set of rules for every backend.
namespace ferry::opencl_c {

struct Options {
    std::string name = "kernel.cl"; ///< For messages and __FILE__.
    /// The member `predefined` comes from predefined_macros().
    translate::PreprocessOptions preprocess;
    bool fp64 = true;                                   ///< Whether the type double exists.
    bool fp16 = true;                                   ///< Whether the macro cl_khr_fp16 is defined.
    std::string_view target = "#define FERRY_HOST 1\n"; ///< The macro that identifies the backend.
};

struct Checked {
    std::unique_ptr<Tree> tree; ///< Never null. Tree::checked is false if there was an error.
    translate::Diagnostics diagnostics;
    std::string messages() const { return diagnostics.text(*tree->files); }
};

/// Preprocesses, parses and checks a text. Reports errors of the text as diagnostics and never throws for
/// them. The time is linear in the size of the text. Nesting beyond a limit is an error that states the
/// limit. Thread-safe: it has no state outside its arguments.
Checked check(std::string_view text, const Options& options);

/// The same for tokens that are already preprocessed.
Checked check(std::shared_ptr<translate::Files> files, std::vector<translate::Token> tokens,
              translate::Diagnostics diagnostics, const Options& options);

/// The error for a function that calls itself.
std::string recursion_message(std::string_view function);

/// The kernels of a checked text, in order: names, parameters and required group sizes.
std::vector<KernelInfo> kernels(const Tree& tree);

/// Lines of #define: the one line `target`, followed by names common to all targets (versions, limits,
/// constants, extensions).
std::string predefined_macros(bool fp64, bool fp16, std::string_view target);

} // namespace ferry::opencl_c
