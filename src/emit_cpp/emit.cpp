// SPDX-License-Identifier: Apache-2.0
#include "emit.hpp"

#include "emitter.hpp"
#include "host/host_emitter.hpp"
#include "translate/prelude.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

namespace ferry::emit_cpp {
namespace {

using translate::Translation;

constexpr std::uint32_t main_file = 0;

std::string_view macros_of(Dialect dialect) {
    return dialect == Dialect::cuda  ? "#define FERRY_CUDA 1\n#define FP_FAST_FMAF 1\n"
           : dialect == Dialect::hip ? "#define FERRY_HIP 1\n#define FP_FAST_FMAF 1\n"
                                     : "#define FERRY_HOST 1\n";
}

// g++ 12 treats the independence of a loop's iterations as independence of the statements within one when it
// splits loops, and loses stores. In the text, because clang rejects the options.
constexpr std::string_view no_distribution =
    "#if !defined(__clang__)\n"
    "#pragma GCC optimize(\"no-tree-loop-distribution\", \"no-tree-loop-distribute-patterns\")\n#endif\n";

// For kernels in a program, because the options of its compiler are not known here.
constexpr std::string_view no_contraction = "#if defined(__clang__)\n#pragma clang fp contract(off)\n#else\n"
                                            "#pragma GCC optimize(\"-ffp-contract=off\")\n#endif\n";

/// Appends a text that has no origin in the user's files.
void put_lines(Text& out, std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        out.put(text.substr(0, end));
        out.line();
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

std::string before_prelude(const translate::Request& request, bool contracts) {
    if (request.dialect != Dialect::host) {
        return request.dialect == Dialect::cuda ? "#define FY_CUDA 1\n" : "#define FY_HIP 1\n";
    }
    return "#define FY_HOST 1\n" + std::string(request.offsets ? "#define FY_OFFSETS 1\n" : "") +
           std::string(no_distribution) + std::string(contracts ? "" : no_contraction);
}

/// Writes the kernels of a checked text. Throws Refusal.
void write(const opencl_c::Tree& tree, const translate::Request& request, Translation& made) {
    const std::unique_ptr<Emitter> emitter =
        request.dialect == Dialect::host ? std::make_unique<host::HostEmitter>(tree, request.offsets)
                                         : std::make_unique<Emitter>(tree, request.dialect, request.offsets);
    emitter->run();
    Text whole;
    put_lines(whole, before_prelude(request, made.contracts));
    put_lines(whole, "namespace fy {");
    put_lines(whole, translate::prelude(request.dialect, emitter->words()));
    put_lines(whole, "namespace user {");
    whole.append(emitter->text());
    put_lines(whole, "}\n}\n");
    made.text = whole.text();
    made.lines = whole.lines();
    made.kernels = emitter->kernels();
    made.prints = emitter->prints();
    made.padded_vectors = emitter->has_padded_vectors();
}

} // namespace

Unit::Unit(translate::Request request)
    : request_(std::move(request)), files_(std::make_shared<translate::Files>()) {
    files_->add(request_.name, std::string(request_.text));
    translate::PreprocessOptions options = request_.preprocess;
    options.predefined =
        opencl_c::predefined_macros(request_.fp64, request_.fp16, macros_of(request_.dialect));
    tokens_ = translate::preprocess(*files_, main_file, options, diagnostics_);
}

std::string Unit::spelling() const {
    std::string text;
    for (const translate::Token& token : tokens_) {
        text += token.text;
        text += token.line_start ? '\n' : ' ';
    }
    return text;
}

Translation Unit::translate() && {
    Translation made;
    made.files = files_;
    opencl_c::Options options;
    options.name = request_.name;
    options.fp64 = request_.fp64;
    opencl_c::Checked text = opencl_c::check(files_, std::move(tokens_), std::move(diagnostics_), options);
    made.contracts = text.tree->contracts;
    if (text.tree->checked) {
        try {
            write(*text.tree, request_, made);
            if (made.kernels.empty()) {
                text.diagnostics.error({main_file, 1, 1}, "the file has no kernel");
            }
        } catch (const Refusal& refusal) {
            text.diagnostics.error(text.tree->place(refusal.token), refusal.message);
        }
    }
    const bool failed = text.diagnostics.failed();
    (failed ? made.error : made.warnings) = text.messages();
    if (failed) {
        made.text.clear();
        made.lines.clear();
        made.kernels.clear();
    }
    return made;
}

Translation translate(const translate::Request& request) {
    return Unit(request).translate();
}

} // namespace ferry::emit_cpp
