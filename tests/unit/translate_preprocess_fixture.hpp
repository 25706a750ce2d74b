// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate/preprocess.hpp"
#include "translate_fixture.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Runs the preprocessor on a text named "main.cl" and prepares the result for tests.
namespace ferry::translate::testing {

struct Run {
    Files files;
    Diagnostics diagnostics;
    std::vector<Token> tokens;
    std::string text; ///< all tokens, separated by one blank
    std::string said;

    explicit Run(std::string source, const PreprocessOptions& options = {}) {
        tokens = preprocess(files, files.add("main.cl", std::move(source)), options, diagnostics);
        REQUIRE(!tokens.empty());
        REQUIRE(tokens.back().kind == TokenKind::end);
        for (const Token& token : tokens) {
            const bool pragma = token.kind == TokenKind::pragma;
            text += text.empty() || token.kind == TokenKind::end ? "" : " ";
            text += pragma ? "[" + std::string(token.text) + "]" : std::string(token.text);
        }
        said = diagnostics.text(files);
    }
};

/// The tokens of a text; the test fails if there are messages.
inline std::string tokens(std::string source, const PreprocessOptions& options = {}) {
    const Run run(std::move(source), options);
    CHECK_MESSAGE(run.said.empty(), run.said);
    return run.text;
}

/// The messages about a text.
inline std::string said(std::string source, const PreprocessOptions& options = {}) {
    return Run(std::move(source), options).said;
}

/// `text`, repeated `count` times.
inline std::string times(std::size_t count, std::string_view text) {
    std::string all;
    all.reserve(count * text.size());
    for (std::size_t i = 0; i < count; ++i) {
        all += text;
    }
    return all;
}

} // namespace ferry::translate::testing
