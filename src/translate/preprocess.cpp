// SPDX-License-Identifier: Apache-2.0
#include "preprocess.hpp"

#include "preprocessor.hpp"

#include <algorithm>
#include <utility>

namespace ferry::translate {

std::vector<Token> preprocess(Files& files, std::uint32_t main, const PreprocessOptions& options,
                              Diagnostics& diagnostics) {
    return Preprocessor(files, options, diagnostics).run(main);
}

std::vector<Token> Preprocessor::run(std::uint32_t main) {
    std::vector<Token> result;
    define_options();
    result.reserve(std::min(files_[main].text.size() / 4 + 16, options_.limits.tokens));
    enter(main);
    do {
        next(result.emplace_back()); // In place, because copying tokens costs more than making them.
    } while (check(result));
    return result;
}

/// Each of the caller's definitions becomes a file of one line, so that errors in it have a place, and a
/// comment or backslash in one cannot affect the next.
void Preprocessor::define_options() {
    warn_redefinition_ = false;
    const auto take = [this](std::string name, std::string text) {
        enter(files_.add(std::move(name), std::move(text)));
        while (next().kind != TokenKind::end) {
        }
        sources_.clear();
    };
    if (!options_.predefined.empty()) {
        take("<predefined macros>", options_.predefined);
    }
    for (const std::string& define : options_.defines) {
        const std::size_t equals = define.find('=');
        const std::string name = define.substr(0, equals);
        if (define.find_first_of("\r\n") != std::string::npos) {
            error({}, "the definition of '" + name.substr(0, name.find_first_of("\r\n")) +
                          "' has more than one line");
            continue;
        }
        const std::string value = equals == std::string::npos ? "1" : define.substr(equals + 1);
        std::string line = "#define ";
        line.append(name).append(" ").append(value);
        take("<definition of " + name + ">", std::move(line));
    }
    warn_redefinition_ = true;
}

void Preprocessor::enter(std::uint32_t file) {
    source_bytes_ += files_[file].text.size();
    if (source_bytes_ > options_.limits.source_bytes) {
        stop({file, 1, 1}, "the text and all it includes have more than " +
                               std::to_string(options_.limits.source_bytes) + " bytes, which is the limit");
    }
    sources_.push_back({Lexer(files_, file, diagnostics_), file, files_[file].name, 0, {}});
}

/// For an untrusted text: the last token must not let another preprocessor read a directive, or join lines.
void Preprocessor::refuse_directive_signs(const std::vector<Token>& result) {
    const Token& token = result.back();
    const bool has_text = token.kind == TokenKind::string || token.kind == TokenKind::character ||
                          token.kind == TokenKind::pragma;
    const bool question_marks = has_text ? token.text.find("\?\?") != std::string_view::npos
                                         : token.is("?") && result.size() > 1 && result.rbegin()[1].is("?");
    const std::string_view sign = question_marks                    ? "'\?\?', with which trigraphs begin,"
                                  : token.is("#") || token.is("##") ? "'#'"
                                  : has_text && token.text.ends_with('\\') ? "a backslash at its end"
                                                                           : "";
    if (!sign.empty()) {
        error(token.at,
              std::string(sign) + " is not allowed in a text that is not trusted (BuildOptions::untrusted)");
    }
}

/// Checks the token that was added last. Returns false if it is the end.
bool Preprocessor::check(std::vector<Token>& result) {
    Token& token = result.back();
    if (token.kind == TokenKind::end) {
        token.line_start = true;
        return false;
    }
    if (token.is_identifier() && token.text == "_Pragma") {
        const Token name = token;
        result.pop_back();
        pragma_operator(name);
        return true;
    }
    if (options_.untrusted) {
        refuse_directive_signs(result);
    }
    if (token.mark != 0) {
        if ((token.mark & stray) != 0 && token.kind == TokenKind::punctuator) {
            error(token.at, "'" + std::string(token.text) + "' means nothing here");
        }
        token.mark = 0;
    }
    spend(1);
    return true;
}

/// The next token, before macros are expanded. Its kind is end at the end of a directive, an argument or the
/// text.
void Preprocessor::fetch(Token& token) {
    do {
        if (stopped_) {
            token = {};
            return;
        }
    } while (!(frames_.empty() ? fetch_from_source(token) : fetch_from_frame(token)));
    if (space_pending_ || line_pending_) {
        token.space_before = token.space_before || space_pending_;
        token.line_start = token.line_start || line_pending_;
        space_pending_ = line_pending_ = false;
    }
}

/// Returns false if the frame was at its end and is removed.
bool Preprocessor::fetch_from_frame(Token& token) {
    Frame& frame = frames_.back();
    if (frame.next == frame.tokens.size()) {
        if (frame.barrier) {
            token = {};
            return true;
        }
        pop_frame();
        return false;
    }
    token = frame.tokens[frame.next++];
    if (token.is_identifier() && (token.mark & painted) == 0) {
        const Macro* macro = macros_.find(token.text);
        if (macro != nullptr && macro->disabled) {
            token.mark |= painted;
        }
    }
    return true;
}

/// Returns false if there was no token: a directive or the end of a header.
bool Preprocessor::fetch_from_source(Token& token) {
    Lexer& lexer = sources_.back().lexer;
    if (lexer.in_directive()) {
        lexer.next(token);
        return true;
    }
    if (pragma_) {
        token = *std::exchange(pragma_, std::nullopt);
        return true;
    }
    lexer.next(token);
    if (token.kind == TokenKind::end) {
        finish_source();
        if (sources_.size() == 1) {
            return true;
        }
        sources_.pop_back();
        return false;
    }
    if (token.line_start && token.is("#")) {
        directive(Token(token));
        return false;
    }
    return true;
}

void Preprocessor::finish_source() {
    std::vector<Conditional>& open = sources_.back().conditionals;
    for (const Conditional& conditional : open) {
        error(conditional.directive.at, "#" + std::string(conditional.directive.text) + " has no #endif");
    }
    open.clear();
}

/// The next token that is not a macro call.
void Preprocessor::next(Token& token) {
    for (;;) {
        fetch(token);
        if (!token.is_identifier() || (token.mark & painted) != 0) {
            return;
        }
        Macro* const macro = macros_.find(token.text);
        if (macro == nullptr || !expand(*macro, Token(token))) {
            return;
        }
    }
}

void Preprocessor::push(std::vector<Token> tokens, Macro* macro) {
    if (macro != nullptr) {
        macro->disabled = true;
    }
    frames_.push_back({std::move(tokens), 0, macro, false});
}

void Preprocessor::push_back(const Token& token) {
    if (token.kind != TokenKind::end) {
        push({token}, nullptr);
    }
}

void Preprocessor::pop_frame() {
    if (frames_.back().macro != nullptr) {
        frames_.back().macro->disabled = false;
    }
    frames_.pop_back();
}

void Preprocessor::stop_at_tokens() {
    stop({}, "the text becomes more than " + std::to_string(options_.limits.tokens) +
                 " tokens when its macros are expanded, which is the limit");
}

std::string_view Preprocessor::keep(std::string text) {
    made_bytes_ += text.size() + sizeof(std::string);
    if (made_bytes_ > options_.limits.made_bytes) {
        stop({}, "the texts that # and ## make have more than " + std::to_string(options_.limits.made_bytes) +
                     " bytes, which is the limit");
    }
    return files_.keep(std::move(text));
}

void Preprocessor::error(Position at, std::string message) {
    diagnostics_.error(at, std::move(message));
    stopped_ = stopped_ || diagnostics_.full();
}

void Preprocessor::stop(Position at, std::string message) {
    if (stopped_) {
        return;
    }
    if (at.line == 0 && !sources_.empty()) {
        at = sources_.back().lexer.here();
    }
    error(at, std::move(message));
    stopped_ = true;
}

std::string Preprocessor::place(Position at) const {
    return files_[at.file].name + ":" + std::to_string(at.line);
}

} // namespace ferry::translate
