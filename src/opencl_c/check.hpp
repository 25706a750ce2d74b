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
    std::string name = "kernel.cl";                     ///< for messages and __FILE__
    translate::PreprocessOptions preprocess;            ///< `predefined` comes from predefined_macros()
    bool fp64 = true;                                   ///< double is a type
    std::string_view target = "#define FERRY_HOST 1\n"; ///< the macro that names the backend
};

struct Checked {
    std::unique_ptr<Tree> tree; ///< never null; Tree::checked is false if there was an error
    translate::Diagnostics diagnostics;
    std::string messages() const { return diagnostics.text(*tree->files); }
};

/// Preprocesses, parses and checks a text. Never throws for its content. Time is linear in its size; nesting
/// beyond a limit is an error that names the limit. Thread-safe: it has no state outside its arguments.
Checked check(std::string_view text, const Options& options);

/// The same for a text that is preprocessed already.
Checked check(std::shared_ptr<translate::Files> files, std::vector<translate::Token> tokens,
              translate::Diagnostics diagnostics, const Options& options);

/// The kernels of a checked text in its order: names, parameters and required group sizes.
std::vector<KernelInfo> kernels(const Tree& tree);

/// Lines of #define: `target`, which is one, and names that every target defines: versions, limits,
/// constants, extensions.
std::string predefined_macros(bool fp64, std::string_view target);

} // namespace ferry::opencl_c
