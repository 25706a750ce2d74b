// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "statements.hpp"

#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ferry::translate {

/// A variable of a kernel that is declared outside every statement without a barrier.
struct Variable {
    std::string_view name;
    std::size_t number = 0;
    std::size_t region = 0; ///< where it is declared; regions count from 1, parameters have 0
    bool kept = false;      ///< it lives across a barrier: an element for each work-item
    bool uniform = false;   ///< it is the same for all work-items: a plain variable
    bool cheap = false;    ///< a sum of indices and uniform values, never written again: made anew where used
    bool local = false;    ///< __local: one object for the group
    bool overlaps = false; ///< it has unions or arrays in it: a part may be reached in several ways
    /// Used in another region than its own, or may be, through a pointer that was made to it.
    bool crosses = false;
    bool candidate = false;     ///< declared with a value, a plain scalar
    bool guarded = false;       ///< its value may be one that nobody may compute: a jump may go past it
    std::size_t dimensions = 0; ///< of an array
    std::size_t writes = 0;     ///< other than by the steps of loops with barriers
    std::vector<Range> values;  ///< what is assigned to it by its declaration and by steps
    /// When, in the first walk: it is declared, steps change it, its scope ends.
    std::size_t declared = 0;
    std::vector<std::size_t> steps;
    std::size_t gone = 0;
};

/// The variables of a kernel in two walks over its statements: the first notes their uses, decide() draws
/// the conclusions, and the second, which must declare in the same order, asks.
class HostVariables {
public:
    explicit HostVariables(const Syntax& syntax) : syntax_(syntax) {}

    void restart() noexcept { next_ = 0; }
    void open_scope() { scopes_.emplace_back(); }
    void close_scope();
    Variable& declare(std::string_view name, std::size_t region, const Declarator* declarator);
    /// First walk: the range is read and written in that region.
    void use(Range range, std::size_t region);
    /// First walk: the step of a loop that holds barriers. What was declared before `since` has a value for
    /// each work-item then, for some may have left the loop.
    void use_step(Range range, std::size_t region, std::size_t since);
    std::size_t now() const noexcept { return time_; }
    void decide();

    /// Those that are kept and that pointers may point to, or that overlap.
    std::vector<std::string_view> names_in_memory(Range body) const;

    /// The variable that the token names where the walk is; null if it is none of them.
    Variable* named(std::size_t token) const;
    /// Whether the expression has one value for all work-items, and no effect.
    bool is_uniform(Range expression) const;
    /// Whether all that a step writes is uniform.
    bool writes_uniforms(Range step) const;

private:
    /// What is used where a variable is named: it, or a member or element of it, perhaps in parentheses.
    struct Use {
        std::size_t before, after;  ///< the tokens around it
        std::size_t dimensions = 0; ///< it is an array, of so many
        bool pointed = false;       ///< it is what a pointer in the variable points to
    };
    Variable* find(std::string_view name) const;
    Use used(std::size_t token, const Variable& v) const;
    bool is_written(const Use& use) const;
    bool is_kept(const Use& use) const;
    bool takes_address(std::size_t token) const;
    bool is_builtin_argument(std::size_t before, std::size_t after) const;
    void note(Range range, std::size_t region, bool step, std::size_t since);
    /// `cheap`: the variable whose value it is, which may read indices.
    bool is_uniform(Range expression, const std::unordered_map<std::size_t, Variable*>* names,
                    const Variable* cheap = nullptr) const;

    const Syntax& syntax_;
    std::deque<Variable> variables_;
    std::vector<std::unordered_map<std::string_view, Variable*>> scopes_;
    std::unordered_map<std::size_t, Variable*> names_; ///< of the tokens of values
    std::size_t next_ = 0;
    std::size_t time_ = 0;
};

} // namespace ferry::translate
