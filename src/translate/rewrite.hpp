// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace ferry::translate {

/// One value of a list in braces, with the designator of its place: .a[2].
struct InitialiserElement {
    Range designator; ///< Empty if it has none. Without the =.
    Range value;
};

/// The type that a list in braces initialises, as far as the text shows it.
struct InitialiserType {
    const CompositeSyntax* composite = nullptr; ///< Null: a scalar, a vector, or not known.
    std::size_t dimensions = 0;                 ///< Of an array of it.
    bool is_aggregate() const noexcept { return composite != nullptr || dimensions != 0; }
};

/// An unfinished list of tokens. Inserted tokens take the position of the token before them.
class Output {
public:
    explicit Output(Files& files) : files_(files) {}

    void push(const Token& token) { tokens_.push_back(token); }
    /// C++ text, as one token.
    void put(std::string text);
    /// The same, on a separate line.
    void line(std::string text);
    std::vector<Token>& tokens() noexcept { return tokens_; }
    void at(Position position) noexcept { at_ = position; }

private:
    Files& files_;
    std::vector<Token> tokens_;
    Position at_;
};

/// Converts ranges of a text to C++, token by token: the parts of C and OpenCL C that differ from C++ and the
/// prelude. It does not process statements; its callers handle local memory and kernels, which need that.
class Rewriter {
public:
    Rewriter(const Syntax& syntax, Files& files, bool offsets, Diagnostics& diagnostics)
        : syntax_(syntax), files_(files), offsets_(offsets), diagnostics_(diagnostics) {}

    /// Appends the range's C++ to `out`.
    void rewrite(Range range, Output& out) const;
    /// A replacement: tokens[begin] up to `end` become `text`.
    struct Replacement {
        std::size_t end = 0;
        std::string text;
    };
    using Replacements = std::unordered_map<std::size_t, Replacement>;
    void rewrite(Range range, Output& out, const Replacements& replacements) const;

    /// The name of a function of the text in the C++.
    std::string function_name(std::string_view name) const;
    /// The parameter of functions that query the work-item's position, named fy_.
    static constexpr const char* item_parameter = "const fy_item& fy_";
    bool offsets() const noexcept { return offsets_; }
    /// Whether a declaration with __local at `i` declares an object (and not a pointer).
    bool declares_local_object(std::size_t i) const;

    const Syntax& syntax() const noexcept { return syntax_; }
    Files& files() const noexcept { return files_; }
    Diagnostics& diagnostics() const noexcept { return diagnostics_; }

private:
    void tokens(Range range, std::size_t first, Output& out, const Replacements* replacements) const;
    std::size_t token(std::size_t i, const Range& range, std::size_t first, Output& out,
                      const Replacements* replacements) const;
    std::size_t identifier(std::size_t i, Output& out) const;
    std::size_t print(std::size_t i, Output& out) const;
    bool hands_on(std::string_view name) const;
    bool is_called_as_value(std::size_t i) const;
    bool qualifies_scalar(std::size_t i) const;
    std::string_view strided_copy(std::size_t i) const;
    bool is_truth(std::size_t open) const;
    bool is_cast(std::size_t open) const;
    bool reads_as_declaration(std::size_t open) const;
    bool literal(std::size_t& i, Output& out) const;
    bool initialiser(std::size_t& i, std::size_t first, Output& out, const Replacements* replacements) const;
    void list(std::size_t open, InitialiserType type, std::size_t first, Output& out,
              const Replacements* replacements) const;
    void initialise(const std::vector<InitialiserElement>& elements, InitialiserType type, std::size_t first,
                    Output& out, const Replacements* replacements) const;
    std::map<std::int64_t, std::vector<InitialiserElement>>
    places_of(const std::vector<InitialiserElement>& elements, bool array, InitialiserType type) const;
    InitialiserType part_of(InitialiserType type, bool array, std::int64_t place) const;
    bool member(std::size_t& i, std::size_t first, Output& out) const;
    bool is_behind_ambiguous(std::size_t dot) const;
    bool is_written_member(std::size_t dot) const;
    bool ambiguous(std::size_t& i, std::size_t first, Output& out) const;
    bool swizzle(std::size_t& i, Output& out) const;
    bool is_written(std::size_t begin, std::size_t after) const;
    std::size_t leave_parentheses(std::size_t& begin, std::size_t& end) const;
    bool encloses(std::size_t open, std::size_t close) const;
    void pragma(const Token& token, Output& out) const;
    void promotions(std::vector<Token>& tokens, std::size_t first) const;
    void choices(std::vector<Token>& tokens, std::size_t first) const;
    void packed_assignments(std::vector<Token>& tokens, std::size_t first) const;
    void shifts(std::vector<Token>& tokens, std::size_t first) const;
    void divisions(std::vector<Token>& tokens, std::size_t first) const;

    const Syntax& syntax_;
    Files& files_;
    bool offsets_;
    Diagnostics& diagnostics_;
};

} // namespace ferry::translate
