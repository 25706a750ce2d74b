// SPDX-License-Identifier: Apache-2.0
#include "translate.hpp"

#include "annotations.hpp"
#include "build_flags.hpp"
#include "chain_limits.hpp"
#include "dead_barriers.hpp"
#include "emit.hpp"
#include "enums.hpp"
#include "host_heads.hpp"
#include "host_names.hpp"
#include "inlining.hpp"
#include "kernels.hpp"
#include "layout.hpp"
#include "local_objects.hpp"
#include "loop_hints.hpp"
#include "prelude.hpp"

#include <ferry/error.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace ferry::translate {
namespace {

// g++ 12 treats the independence of a loop's iterations as independence of the statements within one when it
// splits loops, and loses stores. In the text, because clang rejects the options.
constexpr const char* no_distribution =
    "#if !defined(__clang__)\n"
    "#pragma GCC optimize(\"no-tree-loop-distribution\", \"no-tree-loop-distribute-patterns\")\n#endif\n";

// For kernels in a program, because the options of its compiler are not known here.
constexpr const char* no_contraction = "#if defined(__clang__)\n#pragma clang fp contract(off)\n#else\n"
                                       "#pragma GCC optimize(\"-ffp-contract=off\")\n#endif\n";

// An inserted token can contain several words. A swizzle, fy_get<0,1,2>(), makes a vector of a width that the
// file need not name.
void add_words(const Token& token, std::vector<std::string_view>& words) {
    const auto letter = [](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    const std::string_view text = token.text;
    if (token.kind != TokenKind::identifier || std::all_of(text.begin(), text.end(), letter)) {
        words.push_back(text);
        return;
    }
    constexpr std::array<std::string_view, 17> types{"", "", "fy_vec2", "fy_vec3", "fy_vec4", "",
                                                     "", "", "fy_vec8", "",        "",        "",
                                                     "", "", "",        "",        "fy_vec16"};
    bool swizzle = false;
    std::size_t components = 0;
    const auto end_swizzle = [&] {
        if (swizzle && components < types.size() && !types[components].empty()) {
            words.push_back(types[components]);
        }
        swizzle = false;
        components = 0;
    };
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t begin = i;
        while (i < text.size() && letter(text[i])) {
            ++i;
        }
        if (i > begin) {
            const std::string_view word = text.substr(begin, i - begin);
            words.push_back(word == "fy_proxy" ? "fy_ref" : word); // Its section defines it.
            if (word[0] >= '0' && word[0] <= '9') {
                ++components;
            } else {
                end_swizzle();
                swizzle = word == "fy_get" || word == "fy_ref";
            }
        }
        i += i == begin ? 1 : 0;
    }
    end_swizzle();
}

} // namespace

Unit::Unit(Request request)
    : request_(std::move(request)),
      files_(std::make_shared<Files>()),
      main_(files_->add(request_.name, std::string(request_.text))) {
    PreprocessOptions options = request_.preprocess;
    options.predefined = predefined_macros(request_.fp64) + "#define FERRY_HOST 1\n";
    tokens_ = preprocess(*files_, main_, options, diagnostics_);
}

std::string spelling(const std::vector<Token>& tokens) {
    std::string text;
    for (const Token& token : tokens) {
        text += token.text;
        text += token.line_start ? '\n' : ' ';
    }
    return text;
}

Translation Unit::translate() && {
    Translation t;
    t.files = files_;
    if (!failed()) {
        t.contracts = std::none_of(tokens_.begin(), tokens_.end(), forbids_contraction);
        read_annotations(tokens_, *files_, diagnostics_);
        check_chains(tokens_, diagnostics_);
    }
    if (!failed()) {
        read_loop_hints(tokens_, *files_);
        auto syntax = std::make_unique<Syntax>(std::move(tokens_), *files_, diagnostics_);
        if (!failed()) {
            check_layout(*syntax, diagnostics_);
        }
        if (!failed()) {
            if (auto plain = plain_enums(*syntax, *files_, diagnostics_)) {
                syntax = std::make_unique<Syntax>(std::move(*plain), diagnostics_);
            }
        }
        if (!failed()) {
            if (auto parted = part_local_objects(*syntax, *files_, diagnostics_)) {
                syntax = std::make_unique<Syntax>(std::move(*parted), diagnostics_);
            }
        }
        while (!failed()) {
            auto living = drop_dead_barriers(*syntax);
            if (!living) {
                break;
            }
            syntax = std::make_unique<Syntax>(std::move(*living), diagnostics_);
        }
        if (!failed()) {
            if (auto cleared = clear_heads(*syntax, *files_)) {
                syntax = std::make_unique<Syntax>(std::move(*cleared), diagnostics_);
            }
        }
        if (!failed()) {
            if (auto separated = separate_callers(*syntax, *files_)) {
                syntax = std::make_unique<Syntax>(std::move(*separated), diagnostics_);
            }
        }
        const std::size_t before = !failed() ? syntax->tokens().size() : 0;
        for (std::size_t round = 0; !failed(); ++round) {
            auto inlined = inline_barriers(*syntax, round, *files_, diagnostics_);
            if (!inlined) {
                break;
            }
            syntax = std::make_unique<Syntax>(std::move(*inlined), diagnostics_);
            check_inlined(*syntax, before, diagnostics_);
        }
        if (!failed()) {
            if (auto separated = separate_names(*syntax, *files_)) {
                syntax = std::make_unique<Syntax>(std::move(*separated), diagnostics_);
            }
        }
        if (!failed()) {
            const Rewriter rewriter(*syntax, *files_, request_.offsets, diagnostics_);
            Output out(*files_);
            t.kernels = write_file(rewriter, out);
            if (t.kernels.empty() && !failed()) {
                diagnostics_.error({main_, 1, 1}, "the file has no kernel");
            }
            std::vector<std::string_view> words{"fy_group",     "fy_item",  "fy_module",
                                                "fy_parameter", "fy_plain", "FY_ITEMS",
                                                "fy_take",      "FY_TAKEN", "fy_assign"};
            for (const Token& token : out.tokens()) {
                add_words(token, words);
            }
            t.text = "#define FY_HOST 1\n";
            t.text += request_.offsets ? "#define FY_OFFSETS 1\n" : "";
            t.text += no_distribution;
            t.text += !t.contracts ? no_contraction : "";
            t.text += "namespace fy {\n" + prelude(Dialect::host, words) + "\nnamespace user {\n";
            emit(out.tokens(), t);
            t.text += "}\n}\n";
        }
    }
    (failed() ? t.error : t.warnings) = diagnostics_.text(*files_);
    if (failed()) {
        t.text.clear();
        t.lines.clear();
        t.kernels.clear();
    }
    return t;
}

Translation translate(const Request& request) {
    return Unit(request).translate();
}

} // namespace ferry::translate
