// SPDX-License-Identifier: Apache-2.0
#include "preprocess.hpp"

#include "preprocessor.hpp"

#include <algorithm>

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
    Token token;
    while ((token = next()).kind != TokenKind::end) {
        emit(token, result);
    }
    token.line_start = true;
    result.push_back(token);
    return result;
}

/// Each definition becomes a file of one line, so that errors in it have a place, and that no comment or
/// backslash in one reaches the next.
void Preprocessor::define_options() {
    warn_redefinition_ = false;
    for (const std::string& define : options_.defines) {
        const std::size_t equals = define.find('=');
        const std::string name = define.substr(0, equals);
        if (define.find('\n') != std::string::npos) {
            error({}, "the definition of '" + name.substr(0, name.find('\n')) + "' has more than one line");
            continue;
        }
        const std::string value = equals == std::string::npos ? "1" : define.substr(equals + 1);
        enter(files_.add("<definition of " + name + ">", "#define " + name + " " + value));
        while (next().kind != TokenKind::end) {
        }
        sources_.clear();
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

void Preprocessor::emit(Token token, std::vector<Token>& result) {
    if (token.is_identifier() && token.text == "_Pragma") {
        pragma_operator(token);
        return;
    }
    if ((token.mark & stray) != 0 && token.kind == TokenKind::punctuator) {
        error(token.at, "'" + std::string(token.text) + "' means nothing here");
    }
    token.mark = 0;
    if (spend(1)) {
        result.push_back(token);
    }
}

/// The next token, before macros are expanded; kind end at the end of a directive, an argument or all.
Token Preprocessor::fetch() {
    for (;;) {
        Token token;
        if (stopped_) {
            return token;
        }
        if (!frames_.empty()) {
            Frame& frame = frames_.back();
            if (frame.next == frame.tokens.size()) {
                if (frame.barrier) {
                    return token;
                }
                pop_frame();
                continue;
            }
            token = frame.tokens[frame.next++];
            if (token.is_identifier() && (token.mark & painted) == 0) {
                const Macro* macro = macros_.find(token.text);
                token.mark |= macro != nullptr && macro->disabled ? painted : 0;
            }
        } else if (!pragmas_.empty() && !sources_.back().lexer.in_directive()) {
            token = pragmas_.front();
            pragmas_.erase(pragmas_.begin());
        } else {
            Source& source = sources_.back();
            token = source.lexer.next();
            if (source.lexer.in_directive()) {
                if (token.kind == TokenKind::end) {
                    return token;
                }
            } else if (token.kind == TokenKind::end) {
                finish_source();
                if (sources_.size() == 1) {
                    return token;
                }
                sources_.pop_back();
                continue;
            } else if (token.line_start && token.is("#")) {
                directive(token);
                continue;
            }
        }
        token.space_before = token.space_before || space_pending_;
        token.line_start = token.line_start || line_pending_;
        space_pending_ = line_pending_ = false;
        return token;
    }
}

void Preprocessor::finish_source() {
    std::vector<Conditional>& open = sources_.back().conditionals;
    for (const Conditional& conditional : open) {
        error(conditional.directive.at, "#" + std::string(conditional.directive.text) + " has no #endif");
    }
    open.clear();
}

/// The next token that is no macro call.
Token Preprocessor::next() {
    for (;;) {
        Token token = fetch();
        if (!token.is_identifier() || (token.mark & painted) != 0) {
            return token;
        }
        Macro* const macro = macros_.find(token.text);
        if (macro == nullptr || !expand(*macro, token)) {
            return token;
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

bool Preprocessor::spend(std::size_t tokens) {
    tokens_ += tokens;
    if (tokens_ > options_.limits.tokens) {
        stop({}, "the text becomes more than " + std::to_string(options_.limits.tokens) +
                     " tokens when its macros are expanded, which is the limit");
    }
    return !stopped_;
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
