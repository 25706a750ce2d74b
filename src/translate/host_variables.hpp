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
    std::size_t region = 0; ///< The region of its declaration. Regions count from 1; parameters have 0.
    bool kept = false;      ///< It lives across a barrier: one element for each work-item.
    bool uniform = false;   ///< It is the same for all work-items: a plain variable.
    bool cheap = false;     ///< A sum of indices and uniform values, never written again: computed again at
                            ///< each use.
    bool local = false;     ///< __local: one object for the group.
    bool overlaps = false;  ///< It contains unions or arrays: a part may be accessed in several ways.
    /// Used, or possibly used through a pointer to it, in a region other than its own.
    bool crosses = false;
    bool candidate = false;     ///< Declared with a value, a plain scalar.
    bool guarded = false;       ///< Possibly no work-item may compute its value, because a jump may skip it.
    std::size_t dimensions = 0; ///< Of an array.
    std::size_t writes = 0;     ///< Number of writes, except by the steps of loops with barriers.
    std::vector<Range> values;  ///< The values assigned by its declaration and by steps.
    /// Positions in the first pass: its declaration, the changes by steps, the end of its scope.
    std::size_t declared = 0;
    std::vector<std::size_t> steps;
    std::size_t gone = 0;
};

/// The variables of a kernel, for two passes over its statements. The first pass notes their uses, and
/// decide() draws the conclusions. The second pass, which must declare them in the same order, queries the
/// results.
class HostVariables {
public:
    explicit HostVariables(const Syntax& syntax) : syntax_(syntax) {}

    void restart() noexcept { next_ = 0; }
    void open_scope() { scopes_.emplace_back(); }
    void close_scope();
    Variable& declare(std::string_view name, std::size_t region, const Declarator* declarator);
    /// First pass: the range is read and written in this region.
    void use(Range range, std::size_t region);
    /// First pass: the step of a loop that contains barriers. Variables declared before `since` then have a
    /// value for each work-item, because some may have left the loop.
    void use_step(Range range, std::size_t region, std::size_t since);
    std::size_t now() const noexcept { return time_; }
    void decide();

    /// Kept variables that pointers may refer to, or that overlap.
    std::vector<std::string_view> names_in_memory(Range body) const;

    /// The variable that the token names at the present position. Null if it is not one of them.
    Variable* named(std::size_t token) const;
    /// Whether the expression has one value for all work-items, and no effect.
    bool is_uniform(Range expression) const;
    /// Whether all variables written by a step are uniform.
    bool writes_uniforms(Range step) const;

private:
    /// A use of a variable: the variable, or a member or element of it, possibly in parentheses.
    struct Use {
        std::size_t before, after;  ///< The tokens around it.
        std::size_t dimensions = 0; ///< It is an array with this number of dimensions.
        bool pointed = false;       ///< It is the object that a pointer in the variable refers to.
    };
    Variable* find(std::string_view name) const;
    Use used(std::size_t token, const Variable& v) const;
    bool is_written(const Use& use) const;
    bool is_kept(const Use& use) const;
    bool takes_address(std::size_t token) const;
    bool is_builtin_argument(std::size_t before, std::size_t after) const;
    void note(Range range, std::size_t region, bool step, std::size_t since);
    /// `cheap`: the variable with this value, which may read indices.
    bool is_uniform(Range expression, const std::unordered_map<std::size_t, Variable*>* names,
                    const Variable* cheap = nullptr) const;

    const Syntax& syntax_;
    std::deque<Variable> variables_;
    std::vector<std::unordered_map<std::string_view, Variable*>> scopes_;
    std::unordered_map<std::size_t, Variable*> names_; ///< Of the tokens of values.
    std::size_t next_ = 0;
    std::size_t time_ = 0;
};

} // namespace ferry::translate
