// SPDX-License-Identifier: Apache-2.0
#include "emit.hpp"

#include "emitter.hpp"
#include "translate/prelude.hpp"

#include <cstdlib>
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

/// Writes the kernels of a checked text. Throws Refusal.
void write(const opencl_c::Tree& tree, Dialect dialect, bool offsets, Translation& made) {
    Emitter emitter(tree, dialect, offsets);
    emitter.run();
    Text whole;
    whole.put(dialect == Dialect::cuda ? "#define FY_CUDA 1" : "#define FY_HIP 1");
    whole.line();
    whole.put("namespace fy {");
    whole.line();
    const std::string vocabulary = translate::prelude(dialect, emitter.words());
    for (std::string_view rest = vocabulary; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        whole.put(rest.substr(0, end));
        whole.line();
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    whole.put("namespace user {");
    whole.line();
    whole.append(emitter.text());
    whole.put("}");
    whole.line();
    whole.put("}");
    whole.line();
    made.text = whole.text();
    made.lines = whole.lines();
    made.kernels = emitter.kernels();
}

} // namespace

Unit::Unit(translate::Request request)
    : request_(std::move(request)), files_(std::make_shared<translate::Files>()) {
    files_->add(request_.name, std::string(request_.text));
    translate::PreprocessOptions options = request_.preprocess;
    options.predefined = opencl_c::predefined_macros(request_.fp64, macros_of(request_.dialect));
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
            write(*text.tree, request_.dialect, request_.offsets, made);
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

bool is_used_for(Dialect dialect) {
    const char* const named = secure_getenv("FERRY_EMITTER");
    return named != nullptr && std::string_view(named) == "tree" && dialect != Dialect::host;
}

Translation translate(const translate::Request& request) {
    return is_used_for(request.dialect) ? Unit(request).translate() : translate::translate(request);
}

} // namespace ferry::emit_cpp
