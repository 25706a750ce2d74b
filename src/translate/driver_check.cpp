// SPDX-License-Identifier: Apache-2.0
#include "driver_check.hpp"

#include "annotations.hpp"
#include "recursion.hpp"
#include "words.hpp"

#include <cstddef>

namespace ferry::translate {
namespace {

/// The words before the name of each kernel, outside of braces.
class KernelHeads {
public:
    KernelHeads(const std::vector<Token>& tokens, Diagnostics& diagnostics)
        : tokens_(tokens), diagnostics_(diagnostics) {}

    void check() {
        std::size_t depth = 0;
        bool kernel = false;
        std::size_t start = 0; // Of the declaration.
        std::size_t open = 0;  // The bracket of the parameters, the last one before the body.
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            const Token& t = tokens_[i];
            if (depth == 0 && t.is("__attribute__")) {
                i = after_attribute(i) - 1;
                continue;
            }
            open = depth == 0 && t.is("(") ? i : open;
            if (depth == 0 && kernel && (t.is("{") || t.is(";"))) {
                check_head(start, open);
                kernel = false;
            }
            kernel = kernel || (depth == 0 && canonical_word(t.text) == "__kernel");
            depth += t.is("{") || t.is("(") || t.is("[") ? 1 : 0;
            depth -= depth > 0 && (t.is("}") || t.is(")") || t.is("]")) ? 1 : 0;
            if (depth == 0 && (t.is(";") || t.is("}") || t.kind == TokenKind::pragma)) {
                kernel = false;
                start = i + 1;
            }
        }
    }

private:
    std::size_t after_attribute(std::size_t i) const {
        std::size_t depth = 0;
        for (++i; i < tokens_.size(); ++i) {
            depth += tokens_[i].is("(") ? 1 : 0;
            if (depth == 0 || (tokens_[i].is(")") && --depth == 0)) {
                return i + 1;
            }
        }
        return i;
    }

    void check_head(std::size_t start, std::size_t open) {
        for (std::size_t i = start; i + 1 < open; ++i) {
            if (tokens_[i].is("__attribute__")) {
                i = after_attribute(i) - 1;
            } else if (tokens_[i].is_identifier() && !may_precede_kernel(canonical_word(tokens_[i].text))) {
                diagnostics_.error(tokens_[i].at,
                                   unknown_before_kernel(tokens_[i].text, tokens_[open - 1].text));
                return;
            }
        }
    }

    const std::vector<Token>& tokens_;
    Diagnostics& diagnostics_;
};

} // namespace

std::string check_for_driver(std::string_view text, const std::string& name, const PreprocessOptions& options,
                             DriverRules rules) {
    Files files;
    Diagnostics diagnostics;
    const std::uint32_t main = files.add(name, std::string(text));
    std::vector<Token> tokens = preprocess(files, main, options, diagnostics);
    if (diagnostics.failed()) {
        return rules == DriverRules::portable ? diagnostics.text(files) : std::string();
    }
    if (const std::size_t found = recursive_function(tokens); found != tokens.size()) {
        diagnostics.error(tokens[found].at,
                          "the function " + quoted(tokens[found].text) +
                              " calls itself, directly or through others: the language has no recursion");
    }
    if (rules == DriverRules::portable) {
        read_annotations(tokens, files, diagnostics);
        KernelHeads(tokens, diagnostics).check();
    }
    return diagnostics.failed() ? diagnostics.text(files) : std::string();
}

} // namespace ferry::translate
