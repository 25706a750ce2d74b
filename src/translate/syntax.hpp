// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics.hpp"
#include "token.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

// What the translator knows of a text: its file-scope declarations, its types, and for each function what
// it is made of. Expressions are not parsed; the rewriter works on their tokens.
namespace ferry::translate {

/// Tokens begin .. end - 1.
struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool empty() const noexcept { return begin >= end; }
};

enum class Space : std::uint8_t { none, global, local, constant };

struct ParameterSyntax {
    Range all;
    std::size_t name = 0; ///< its token; all.end if it has none
    Space space = Space::none;
    bool pointer = false;
};

struct FunctionSyntax {
    Range all;  ///< with its attributes; up to and with } or ;
    Range head; ///< what stands before the name
    std::size_t name = 0;
    std::vector<ParameterSyntax> parameters;
    Range body; ///< what is between the braces; empty() and body.begin == 0 for a prototype
    bool defined = false;
    bool kernel = false;
    std::array<std::size_t, 3> required_local{};
    std::unordered_set<std::string_view> calls; ///< names that stand before a parenthesis in the body
    bool uses_items = false;                    ///< it, or what it calls, asks which work-item it is
    bool has_barrier = false;                   ///< it, or what it calls, has a barrier
};

struct MemberSyntax {
    std::string_view name;
    std::string_view type;      ///< the last word of its type; its own name if that is written out in braces,
                                ///< empty if it is a pointer
    std::size_t dimensions = 0; ///< if it is an array
};

/// A struct or union with its members in order.
struct CompositeSyntax {
    std::string_view tag;  ///< empty if it has none
    std::string_view name; ///< that a typedef gives it; empty if none does
    bool is_union = false;
    bool may_point = false;   ///< a part of it may be a pointer
    bool may_overlap = false; ///< it or a part of it is a union or an array: of one place by several names
    bool has_unnamed = false; ///< an unnamed struct or union is among its members, which lack it
    std::vector<MemberSyntax> members;
    /// Where it stands among the members; members.size() if it is none of them.
    std::size_t place(std::string_view member) const noexcept;
};

/// A text after preprocessing, and what was found in it. Tokens keep their places: the rewriter makes a new
/// list.
class Syntax {
public:
    /// Takes the tokens of preprocess(). Errors go to `diagnostics`.
    Syntax(std::vector<Token> tokens, Files& files, Diagnostics& diagnostics);
    /// Takes the rearranged tokens of another one.
    Syntax(std::vector<Token> tokens, Diagnostics& diagnostics);

    const std::vector<Token>& tokens() const noexcept { return tokens_; }
    const Token& operator[](std::size_t i) const noexcept { return tokens_[i]; }
    /// The bracket that closes the one at `i`.
    std::size_t partner(std::size_t i) const noexcept { return partners_[i]; }

    /// In the order of the text. What is between them are other declarations.
    const std::vector<FunctionSyntax>& functions() const noexcept { return functions_; }
    /// The definition of that name; null if there is none.
    const FunctionSyntax* function(std::string_view name) const noexcept;

    /// Whether the * or & there has one operand: behind an operator or a cast. Else it is arithmetic.
    bool is_unary(std::size_t i) const noexcept;

    bool is_type(std::string_view name) const noexcept;
    bool is_vector_type(std::string_view name) const noexcept;
    /// Of that tag, or that a typedef calls so, arrays of it as well; null if there is none.
    const CompositeSyntax* composite(std::string_view name) const noexcept;
    /// A typedef whose declarator has a * or [].
    bool is_pointer_typedef(std::string_view name) const noexcept {
        return pointer_typedefs_.count(name) != 0;
    }
    /// Whether what these tokens declare, or a part of it, may be a pointer or an array.
    bool may_point(Range declaration) const noexcept;
    /// Of the array type that a typedef names; 0 if it is none.
    std::size_t typedef_dimensions(std::string_view name) const noexcept;
    /// The builtin type behind a typedef of one; else the name itself.
    std::string_view resolved(std::string_view name) const noexcept;
    bool is_member(std::string_view name) const noexcept { return members_.count(name) != 0; }
    const std::unordered_set<std::string_view>& members() const noexcept { return members_; }
    /// Of the array that a member of that name is in some struct, the most; 0 if it is one in none.
    std::size_t member_dimensions(std::string_view name) const noexcept;
    const std::vector<CompositeSyntax>& composites() const noexcept { return composites_; }
    /// The value of an enumerator; nothing if that is not clear, or two enumerators have the name and differ.
    std::optional<std::int64_t> enumerator(std::string_view name) const noexcept;
    bool is_ambiguous_enumerator(std::string_view name) const noexcept {
        return enumerators_.count(name) != 0 && !enumerator(name);
    }
    bool has_vectors() const noexcept { return has_vectors_; }
    /// Whether something of that name is, or may be, a vector: a variable, a member, a function.
    bool may_be_vector(std::string_view name) const noexcept;

private:
    void read(Diagnostics& diagnostics);
    void normalise(Files& files, Diagnostics& diagnostics);
    bool match_brackets(Diagnostics& diagnostics);
    bool check_attributes(Diagnostics& diagnostics) const;
    void find_types();
    void read_members(std::size_t keyword, std::size_t open);
    void read_enumerators(std::size_t open);
    void find_vectors();
    void add_typedef(std::size_t begin, std::size_t end);
    bool names_function(std::size_t open) const;
    void refuse_function_pointers(Diagnostics& diagnostics) const;
    void find_functions(Diagnostics& diagnostics);
    void read_parameters(FunctionSyntax& function, std::size_t open, Diagnostics& diagnostics) const;
    void check_head(const FunctionSyntax& function, Diagnostics& diagnostics) const;
    void read_attributes(FunctionSyntax& function, Range range, Diagnostics& diagnostics) const;
    void find_calls(FunctionSyntax& function) const;
    void close_over_calls(Diagnostics& diagnostics);

    std::vector<Token> tokens_;
    std::vector<std::size_t> partners_;
    std::vector<FunctionSyntax> functions_;
    std::unordered_map<std::string_view, std::size_t> by_name_;
    std::unordered_map<std::string_view, std::string_view> typedefs_;    ///< name, and the word it stands for
    std::unordered_map<std::string_view, std::size_t> pointer_typedefs_; ///< and how many [] they have
    std::unordered_set<std::string_view> members_;
    std::vector<CompositeSyntax> composites_;
    std::unordered_map<std::string_view, std::size_t> composite_names_; ///< tags, too
    std::unordered_map<std::string_view, std::string_view> tags_; ///< or names, by what a typedef calls them
    std::unordered_map<std::string_view, std::optional<std::int64_t>> enumerators_;
    std::unordered_set<std::string_view> vectors_; ///< names declared with a vector type
    bool has_vectors_ = false;
};

inline constexpr const char* no_function_pointers = "the portable kernel language has no function pointers";

bool is_scalar_type(std::string_view name) noexcept;
/// "float4" and its like.
bool is_builtin_vector(std::string_view name) noexcept;
/// A function whose value depends on the work-item that calls it, or on its group.
bool is_work_item_function(std::string_view name) noexcept;
bool is_barrier(std::string_view name) noexcept;
/// const, volatile, the address spaces and their like: words that a declaration may begin with.
bool is_qualifier(std::string_view name) noexcept;

} // namespace ferry::translate
