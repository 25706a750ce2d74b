// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include "parser.hpp"

namespace ferry::opencl_c {

Checked check(std::shared_ptr<translate::Files> files, std::vector<translate::Token> tokens,
              translate::Diagnostics diagnostics, const Options& options) {
    Checked made{std::make_unique<Tree>(), std::move(diagnostics)};
    made.tree->files = std::move(files);
    made.tree->tokens = std::move(tokens);
    if (!made.diagnostics.failed()) {
        Parser(*made.tree, made.diagnostics, options).run();
        made.tree->checked = !made.diagnostics.failed();
    }
    return made;
}

Checked check(std::string_view text, const Options& options) {
    auto files = std::make_shared<translate::Files>();
    const std::uint32_t main = files->add(options.name, std::string(text));
    translate::Diagnostics diagnostics;
    translate::PreprocessOptions preprocess = options.preprocess;
    preprocess.predefined =
        predefined_macros(options.fp64, options.fp16, options.target) + preprocess.predefined;
    auto tokens = translate::preprocess(*files, main, preprocess, diagnostics);
    return check(std::move(files), std::move(tokens), std::move(diagnostics), options);
}

} // namespace ferry::opencl_c
