// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics.hpp"
#include "token.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

// The translator's knowledge of a text: its file-scope declarations, its types, and the parts of each
// function. Expressions are not parsed; the rewriter works on their tokens.
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
    std::size_t name = 0; ///< Its token; all.end if it has none.
    Space space = Space::none;
    bool pointer = false;
};

struct FunctionSyntax {
    Range all;  ///< With its attributes; up to and including } or ;
    Range head; ///< The tokens before the name.
    std::size_t name = 0;
    std::vector<ParameterSyntax> parameters;
    Range body; ///< The tokens between the braces. empty() and body.begin == 0 for a prototype.
    bool defined = false;
    bool kernel = false;
    std::array<std::size_t, 3> required_local{};
    std::unordered_set<std::string_view> calls; ///< The names before a parenthesis in the body.
    bool uses_items = false;                    ///< It, or a callee, queries the work-item's id.
    bool has_barrier = false;                   ///< It, or a callee, has a barrier.
};

struct MemberSyntax {
    std::string_view name;
    std::string_view type;      ///< The last word of its type. Its own name if the type is defined in braces,
                                ///< empty if it is a pointer.
    std::size_t dimensions = 0; ///< If it is an array.
};

/// A struct or union with its members in order.
struct CompositeSyntax {
    std::string_view tag;  ///< Empty if it has none.
    std::string_view name; ///< The name given by a typedef. Empty if there is none.
    bool is_union = false;
    bool may_point = false;   ///< A part of it may be a pointer.
    bool may_overlap = false; ///< It or a part of it is a union or an array, so one place may have several
                              ///< names.
    bool has_unnamed = false; ///< An unnamed struct or union is among its members, and is missing in the
                              ///< list.
    std::vector<MemberSyntax> members;
    /// The index of the member. members.size() if there is none.
    std::size_t place(std::string_view member) const noexcept;
};

/// A text after preprocessing, and its analysis. Tokens keep their positions: the rewriter makes a new list.
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

    /// In the order of the text. Other declarations are between them.
    const std::vector<FunctionSyntax>& functions() const noexcept { return functions_; }
    /// The definition with this name. Null if there is none.
    const FunctionSyntax* function(std::string_view name) const noexcept;

    /// Whether the * or & there is unary: after an operator or a cast. Otherwise it is arithmetic.
    bool is_unary(std::size_t i) const noexcept;

    bool is_type(std::string_view name) const noexcept;
    bool is_vector_type(std::string_view name) const noexcept;
    /// The type with this tag or typedef name, or the element type of an array typedef. Null if there is
    /// none.
    const CompositeSyntax* composite(std::string_view name) const noexcept;
    /// A typedef with a * or [] in its declarator.
    bool is_pointer_typedef(std::string_view name) const noexcept {
        return pointer_typedefs_.count(name) != 0;
    }
    /// Whether an object declared by these tokens, or a part of it, may be a pointer or an array.
    bool may_point(Range declaration) const noexcept;
    /// Of the array type that a typedef names. 0 if it is not one.
    std::size_t typedef_dimensions(std::string_view name) const noexcept;
    /// The built-in type that a typedef refers to; otherwise the name itself.
    std::string_view resolved(std::string_view name) const noexcept;
    bool is_member(std::string_view name) const noexcept { return members_.count(name) != 0; }
    const std::unordered_set<std::string_view>& members() const noexcept { return members_; }
    /// The maximum over all array members with this name in structs. 0 if there is none.
    std::size_t member_dimensions(std::string_view name) const noexcept;
    const std::vector<CompositeSyntax>& composites() const noexcept { return composites_; }
    /// The value of an enumerator. Empty if it is not known, or if two enumerators with this name differ.
    std::optional<std::int64_t> enumerator(std::string_view name) const noexcept;
    bool is_ambiguous_enumerator(std::string_view name) const noexcept {
        return enumerators_.count(name) != 0 && !enumerator(name);
    }
    bool has_vectors() const noexcept { return has_vectors_; }
    /// Whether a variable, a member or a function with this name is, or may be, a vector.
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
    std::unordered_map<std::string_view, std::string_view> typedefs_;    ///< The name, and the word that it
                                                                         ///< means.
    std::unordered_map<std::string_view, std::size_t> pointer_typedefs_; ///< And their number of [].
    std::unordered_set<std::string_view> members_;
    std::vector<CompositeSyntax> composites_;
    std::unordered_map<std::string_view, std::size_t> composite_names_; ///< Including tags.
    std::unordered_map<std::string_view, std::string_view> tags_;       ///< Tags, by typedef name.
    std::unordered_map<std::string_view, std::optional<std::int64_t>> enumerators_;
    std::unordered_set<std::string_view> vectors_; ///< Names declared with a vector type.
    bool has_vectors_ = false;
};

/// Whether the word, in its canonical form, may stand before the name of a kernel.
bool may_precede_kernel(std::string_view word) noexcept;

inline constexpr const char* no_function_pointers = "the portable kernel language has no function pointers";

bool is_scalar_type(std::string_view name) noexcept;
/// "float4" and similar names.
bool is_builtin_vector(std::string_view name) noexcept;
/// A function with a value that depends on the work-item that calls it, or on its group.
bool is_work_item_function(std::string_view name) noexcept;
bool is_barrier(std::string_view name) noexcept;
/// const, volatile, the address spaces and other words that a declaration may begin with.
bool is_qualifier(std::string_view name) noexcept;

} // namespace ferry::translate
