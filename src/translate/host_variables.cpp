// SPDX-License-Identifier: Apache-2.0
#include "host_variables.hpp"

#include "operands.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace ferry::translate {
namespace {

bool is_group_function(std::string_view name) {
    static const std::unordered_set<std::string_view> functions{"get_local_size",
                                                                "get_num_groups",
                                                                "get_group_id",
                                                                "get_global_size",
                                                                "get_work_dim",
                                                                "get_num_sub_groups",
                                                                "get_sub_group_size",
                                                                "get_max_sub_group_size",
                                                                "min",
                                                                "max"};
    return functions.count(name) != 0;
}

bool is_stepped_while(const Variable& v, const Variable& there) {
    const auto step = std::lower_bound(v.steps.begin(), v.steps.end(), there.declared);
    return step != v.steps.end() && *step < there.gone;
}

} // namespace

Variable& HostVariables::declare(std::string_view name, std::size_t region, const Declarator* declarator) {
    if (next_ == variables_.size()) {
        Variable v;
        v.name = name;
        v.number = next_;
        v.region = region;
        v.declared = ++time_;
        v.dimensions = declarator != nullptr ? declarator->dimensions : 0;
        if (declarator != nullptr && !declarator->initialiser.empty() && !declarator->pointer &&
            !declarator->array) {
            v.candidate = true;
            v.values.push_back(declarator->initialiser);
        }
        variables_.push_back(std::move(v));
    }
    Variable& v = variables_[next_++];
    scopes_.back()[name] = &v;
    return v;
}

void HostVariables::close_scope() {
    ++time_;
    for (const auto& [name, v] : scopes_.back()) {
        static_cast<void>(name);
        v->gone = time_;
    }
    scopes_.pop_back();
}

Variable* HostVariables::find(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        if (const auto found = scope->find(name); found != scope->end()) {
            return found->second;
        }
    }
    return nullptr;
}

Variable* HostVariables::named(std::size_t token) const {
    const bool name = syntax_[token].is_identifier() &&
                      (token == 0 || (!syntax_[token - 1].is(".") && !syntax_[token - 1].is("->")));
    return name ? find(syntax_[token].text) : nullptr;
}

HostVariables::Use HostVariables::used(std::size_t token, const Variable& v) const {
    Use use{token - 1, token + 1, v.dimensions};
    for (;;) {
        const Token& next = syntax_[use.after];
        if (use.dimensions != 0 && next.is("[")) {
            --use.dimensions;
            use.after = syntax_.partner(use.after) + 1;
        } else if ((next.is(".") || next.is("->")) && syntax_[use.after + 1].is_identifier()) {
            use.pointed = use.pointed || next.is("->");
            use.dimensions = use.pointed ? 0 : syntax_.member_dimensions(syntax_[use.after + 1].text);
            use.after += 2;
        } else if (syntax_[use.before].is("(") && syntax_.partner(use.before) == use.after &&
                   !is_name(syntax_[use.before - 1])) {
            --use.before;
            ++use.after;
        } else {
            return use;
        }
    }
}

// An array counts as written unless its elements are plainly read, because it is a pointer to them then.
bool HostVariables::is_written(const Use& use) const {
    return use.dimensions != 0 || is_writing(syntax_[use.after]) || syntax_[use.before].is("++") ||
           syntax_[use.before].is("--") || takes_address(use.before);
}

// Whether a pointer to it may still exist after the last use of its name. A function of the language keeps
// none: modf(x, &whole).
bool HostVariables::is_kept(const Use& use) const {
    const bool address = takes_address(use.before);
    if (use.pointed || (use.dimensions == 0 && !address) || syntax_[use.before].is("sizeof")) {
        return false;
    }
    return !is_builtin_argument(address ? use.before - 1 : use.before, use.after);
}

bool HostVariables::takes_address(std::size_t token) const {
    return syntax_[token].is("&") && syntax_.is_unary(token);
}

bool HostVariables::is_builtin_argument(std::size_t before, std::size_t after) const {
    static constexpr std::array<std::string_view, 4> words{"if", "while", "for", "switch"};
    if ((!syntax_[before].is("(") && !syntax_[before].is(",")) ||
        (!syntax_[after].is(")") && !syntax_[after].is(","))) {
        return false;
    }
    std::size_t open = before;
    while (!opens_bracket(syntax_[open])) {
        open = closes_bracket(syntax_[open]) ? opening_of(syntax_.tokens(), open, 0) : open;
        --open;
    }
    const Token& name = syntax_[open - 1];
    return syntax_[open].is("(") && is_name(name) && syntax_.function(name.text) == nullptr &&
           std::find(words.begin(), words.end(), name.text) == words.end();
}

void HostVariables::use(Range range, std::size_t region) {
    note(range, region, false, 0);
}

void HostVariables::use_step(Range range, std::size_t region, std::size_t since) {
    note(range, region, true, since);
}

void HostVariables::note(Range range, std::size_t region, bool step, std::size_t since) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
        Variable* const v = named(i);
        if (v == nullptr) {
            continue;
        }
        names_[i] = v;
        const Use use = used(i, *v);
        v->crosses = v->crosses || v->region != region || is_kept(use);
        if (is_written(use)) {
            if (step && v->candidate && v->declared > since) {
                v->values.push_back(range);
                v->steps.push_back(++time_);
            } else {
                ++v->writes;
            }
        }
    }
}

void HostVariables::decide() {
    for (Variable& v : variables_) {
        const bool parameter = v.region == 0 && !v.local;
        v.uniform = (v.candidate || parameter) && v.writes == 0 && !v.guarded;
    }
    // A value may depend on one that is found not to be uniform later.
    for (bool changed = true; changed;) {
        changed = false;
        for (Variable& v : variables_) {
            if (v.uniform && !std::all_of(v.values.begin(), v.values.end(),
                                          [&](Range value) { return is_uniform(value, &names_); })) {
                v.uniform = false;
                changed = true;
            }
        }
    }
    // In the text's order, because a value reads variables declared before it.
    for (Variable& v : variables_) {
        v.cheap = !v.uniform && v.candidate && v.writes == 0 && v.values.size() == 1 &&
                  is_uniform(v.values.front(), &names_, &v);
        v.kept = !v.uniform && !v.local && !v.cheap && v.crosses;
    }
}

std::vector<std::string_view> HostVariables::names_in_memory(Range body) const {
    std::unordered_map<std::string_view, bool> kept; // And whether it is an array.
    std::unordered_set<std::string_view> names;
    for (const Variable& v : variables_) {
        if (v.kept) {
            kept[v.name] = kept[v.name] || v.dimensions != 0;
            if (v.overlaps) {
                names.insert(v.name);
            }
        }
    }
    for (std::size_t i = body.begin; i < body.end; ++i) {
        const auto found = kept.find(syntax_[i].text);
        if (found == kept.end()) {
            continue;
        }
        std::size_t before = i - 1;
        while (syntax_[before].is("(")) {
            --before;
        }
        if (takes_address(before) || (found->second && !syntax_[i + 1].is("["))) {
            names.insert(found->first);
        }
    }
    return {names.begin(), names.end()};
}

bool HostVariables::is_uniform(Range expression) const {
    for (std::size_t i = expression.begin; i < expression.end; ++i) {
        if (is_writing(syntax_[i])) {
            return false;
        }
    }
    return is_uniform(expression, nullptr);
}

bool HostVariables::is_uniform(Range expression, const std::unordered_map<std::size_t, Variable*>* names,
                               const Variable* cheap) const {
    for (std::size_t i = expression.begin; i < expression.end; ++i) {
        const Token& t = syntax_[i];
        if (t.is("[") || t.is("->") || t.is("{") || t.is(".")) {
            return false;
        }
        if ((t.is("*") || t.is("&")) && syntax_.is_unary(i)) {
            return false;
        }
        if (!t.is_identifier() || is_scalar_type(t.text)) {
            continue;
        }
        if (syntax_[i + 1].is("(")) {
            const bool known = is_group_function(t.text) ||
                               (cheap != nullptr && (t.text == "get_local_id" || t.text == "get_global_id"));
            if (!known || syntax_.function(t.text) != nullptr) {
                return false;
            }
            continue;
        }
        const Variable* v = nullptr;
        if (names != nullptr) {
            const auto found = names->find(i);
            v = found == names->end() ? nullptr : found->second;
        } else {
            v = named(i);
        }
        if (v == nullptr || !(v->uniform || (cheap != nullptr && v->cheap))) {
            return false;
        }
        if (cheap != nullptr && is_stepped_while(*v, *cheap)) {
            return false; // A repeated computation would have another value.
        }
    }
    return true;
}

bool HostVariables::writes_uniforms(Range step) const {
    for (std::size_t i = step.begin; i < step.end; ++i) {
        const Variable* const v = named(i);
        if (v != nullptr && !v->uniform) {
            return false;
        }
    }
    return is_uniform(step, nullptr);
}

} // namespace ferry::translate
