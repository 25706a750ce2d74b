// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lexer.hpp"
#include "macro.hpp"
#include "preprocess.hpp"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::translate {

/// The state of one preprocess(). Tokens come from the innermost frame (the expansion of a macro) or, if no
/// frame is left, from the innermost source's lexer. At a directive there are no frames, so no macro is being
/// scanned and each may be undefined.
class Preprocessor {
public:
    Preprocessor(Files& files, const PreprocessOptions& options, Diagnostics& diagnostics)
        : files_{files}, options_{options}, diagnostics_{diagnostics} {}

    std::vector<Token> run(std::uint32_t main);

private:
    struct Frame {
        std::vector<Token> tokens;
        std::size_t next = 0;
        Macro* macro = nullptr; ///< Disabled until the frame ends.
        bool barrier = false;   ///< An argument: nothing is read beyond its end.
    };
    struct Conditional {
        Token directive;
        bool taken = false; ///< One of its groups was read.
        bool has_else = false;
    };
    struct Source {
        Lexer lexer;
        std::uint32_t file;
        std::string_view name; ///< The value of __FILE__.
        std::int64_t line_shift = 0;
        std::vector<Conditional> conditionals;
    };
    struct Argument {
        std::vector<Token> raw;
        std::vector<Token> expanded;
        bool is_expanded = false;
        bool absent = false; ///< Not even empty: the call has no ',' before it.
    };
    using Arguments = std::vector<Argument>;

    // preprocess.cpp: the stream of tokens, and limits.
    void enter(std::uint32_t file);
    void define_options();
    void fetch(Token& token);
    bool fetch_from_frame(Token& token);
    bool fetch_from_source(Token& token);
    void next(Token& token);
    Token fetch() {
        Token token;
        fetch(token);
        return token;
    }
    Token next() {
        Token token;
        next(token);
        return token;
    }
    void finish_source();
    bool check(std::vector<Token>& result);
    void refuse_directive_signs(const std::vector<Token>& result);
    void push(std::vector<Token> tokens, Macro* macro);
    void push_back(const Token& token);
    void pop_frame();
    /// Returns false if the limit is reached.
    bool spend(std::size_t tokens) {
        tokens_ += tokens;
        if (tokens_ > options_.limits.tokens) {
            stop_at_tokens();
        }
        return !stopped_;
    }
    void stop_at_tokens();
    std::string_view keep(std::string text);
    void stop(Position at, std::string message);
    void error(Position at, std::string message);
    std::string place(Position at) const;

    // expansion.cpp: macro calls.
    bool expand(Macro& macro, const Token& name);
    void expand_builtin(Builtin builtin, const Token& name);
    bool collect(const Macro& macro, const Token& name, Arguments& arguments);
    bool check_count(const Macro& macro, const Token& name, Arguments& arguments);
    std::vector<Token> expanded(const std::vector<Token>& tokens, Position at);
    std::vector<Token> substitute(const Macro& macro, const Token& name, Arguments& arguments);
    const std::vector<Token>& expanded(Argument& argument, Position at);
    Token stringized(const std::vector<Token>& tokens, Position at);
    bool paste(Token& left, const Token& right, Position at);

    // directives.cpp
    void directive(const Token& hash);
    void act(const Token& hash, const Token& name);
    void define();
    void undefine(std::string_view directive);
    void line(Token first);
    void say(Severity severity, const Token& name);
    void pragma(const Token& hash);
    void pragma_operator(const Token& name);
    bool preprocessor_pragma(const std::vector<Token>& words, Position at);
    Token pragma_token(std::vector<Token> words, Position at);
    std::vector<Token> rest_of_line();
    void expect_line_end(std::string_view directive);
    std::string joined(const std::vector<Token>& tokens) const;

    // conditionals.cpp
    bool conditional(const Token& name);
    bool test(const Token& name);
    bool test_defined(const Token& name);
    bool test_expression(const Token& name);
    bool defined_operator(const Token& name);
    bool is_defined(std::string_view name);
    bool question_operator(const Token& name);
    bool has_include(const Token& name, const std::vector<Token>& words);
    void other_group(const Token& name);
    void skip_groups();

    // include.cpp
    void include(const Token& name);
    Token include_name(const Token& name);
    bool may_include(Position at, std::uint32_t file);
    bool find_header(const std::string& name, bool beside, std::uint32_t& file);
    bool find_memory_header(const std::string& name, std::uint32_t& file);
    bool read_header(const std::string& path, std::uint32_t& file);
    std::string directory_of(std::uint32_t file) const;

    Files& files_;
    const PreprocessOptions& options_;
    Diagnostics& diagnostics_;
    MacroTable macros_;
    std::deque<Source> sources_; ///< An element keeps its address while more are included.
    std::vector<Frame> frames_;
    std::map<std::string, std::uint32_t> headers_; ///< Files by canonical path, memory headers by '<' + name.
    std::set<std::uint32_t> once_;
    std::optional<Token> pragma_; ///< Of a directive; it comes before the next token of a source.
    bool space_pending_ = false;  ///< Of a macro with an empty expansion.
    bool line_pending_ = false;
    bool stopped_ = false; ///< A limit is exceeded: every stream is at its end.
    bool warn_redefinition_ = true;
    std::size_t tokens_ = 0;
    std::size_t made_bytes_ = 0;
    std::size_t source_bytes_ = 0;
    std::size_t includes_ = 0;
    std::size_t call_depth_ = 0;
    std::uint64_t counter_ = 0;
};

} // namespace ferry::translate
