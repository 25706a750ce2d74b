// SPDX-License-Identifier: Apache-2.0
#include "branches.hpp"

#include "lines.hpp"
#include "partial_condition.hpp"

#include <algorithm>

namespace ferry::translate {
namespace {

// Deeper conditionals count as unknown, because changes of a group are processed again at the end of each
// enclosing one.
constexpr std::size_t deepest_conditional = 200;

Branches::Macro known_definition(std::string_view body) {
    const bool function = body.starts_with('(');
    return {true, function ? std::nullopt : partial_integer(body)};
}

/// The common knowledge of both; empty if there is none.
Branches::Known common(const Branches::Known& a, const Branches::Known& b) {
    if (!a || !b || a->defined != b->defined) {
        return std::nullopt;
    }
    return a == b ? a : Branches::Macro{a->defined, {}};
}

} // namespace

void Branches::line(std::string_view code) {
    code = trimmed(code);
    if (given_up_ || !(code.starts_with('#') || code.starts_with("%:"))) {
        return;
    }
    note_guard(code);
    if (const auto condition = directive(code, "if")) {
        begin(test(*condition));
    } else if (const auto present = directive(code, "ifdef")) {
        begin(test_defined(*present, true));
    } else if (const auto absent = directive(code, "ifndef")) {
        begin(test_defined(*absent, false));
    } else if (!other_group(code) && !left_out()) {
        change(code);
    }
}

bool Branches::other_group(std::string_view code) {
    if (open_.empty()) {
        return false;
    }
    if (directive(code, "endif")) {
        end();
    } else if (directive(code, "else")) {
        next_group();
        read_if(true);
        open_.back().has_else = true;
    } else if (const auto condition = directive(code, "elif")) {
        next_group();
        read_if(test(*condition).value);
    } else if (const auto present = directive(code, "elifdef")) {
        next_group();
        read_if(test_defined(*present, true).value);
    } else if (const auto absent = directive(code, "elifndef")) {
        next_group();
        read_if(test_defined(*absent, false).value);
    } else {
        return false;
    }
    return true;
}

void Branches::begin(const Condition& condition) {
    if (open_.size() == deepest_conditional) {
        given_up_ = true;
        open_.clear();
        macros_.clear();
        return;
    }
    const bool skipped = left_out();
    open_.emplace_back().condition = condition;
    open_.back().read_before = skipped;
    read_if(condition.value);
    assume(condition, true);
}

void Branches::read_if(Certain condition) {
    Conditional& open = open_.back();
    open.read = open.read_before == true ? false : condition;
}

void Branches::next_group() {
    end_group();
    assume(open_.back().condition, false);
}

/// Restores the macros of before the group, and stores the group's results.
void Branches::end_group() {
    Conditional& open = open_.back();
    Macros changed;
    for (const auto& [name, was] : open.before) {
        if (const Known now = macro(name); now != was) {
            changed.emplace(name, now);
            put(name, was);
        }
    }
    open.before.clear();
    if (open.read != false) {
        end_with(changed);
        open.read_before = open.read_before == true ? true : open.read;
    }
}

void Branches::end_with(const Macros& changed) {
    Conditional& open = open_.back();
    if (!open.ended) {
        open.same = changed;
        open.ended = true;
        return;
    }
    Macros same;
    for (const auto& [name, now] : changed) {
        const auto earlier = open.same.find(name);
        const Known both = earlier == open.same.end() ? Known() : common(earlier->second, now);
        if (both || (earlier != open.same.end() && earlier->second == now)) {
            same.emplace(name, both);
        } else {
            open.other.push_back(name);
        }
    }
    for (const auto& [name, now] : open.same) {
        if (!same.contains(name)) {
            open.other.push_back(name);
        }
    }
    open.same = std::move(same);
}

void Branches::end() {
    end_group();
    if (open_.back().read_before != true && !open_.back().has_else) { // Possibly no group was read.
        assume(open_.back().condition, false);
        open_.back().read.reset();
        end_group();
    }
    const Conditional ended = std::move(open_.back());
    open_.pop_back();
    for (const auto& [name, now] : ended.same) {
        set(name, now);
    }
    for (const std::string& name : ended.other) {
        set(name, std::nullopt);
    }
}

void Branches::change(std::string_view code) {
    if (auto defined = directive(code, "define")) {
        const std::string_view name = take_word(*defined);
        set(name, known_definition(*defined));
    } else if (auto undefined = directive(code, "undef")) {
        set(take_word(*undefined), Macro{});
    } else if (const auto pragma = directive(code, "pragma"); pragma && pragma->starts_with("pop_macro")) {
        forget();
    }
}

void Branches::begin_file(const std::string& once) {
    files_.emplace_back().once = once;
}

void Branches::end_file() {
    files_.pop_back();
}

void Branches::note_guard(std::string_view code) {
    if (files_.empty() || files_.back().begun || directive(code, "pragma")) {
        return;
    }
    files_.back().begun = true;
    if (const auto condition = directive(code, "if")) {
        const Condition asked = test(*condition);
        files_.back().guard = asked.defined ? "" : asked.name;
    } else if (auto absent = directive(code, "ifndef")) {
        files_.back().guard = take_word(*absent);
    }
}

bool Branches::guards(std::string_view name) const {
    return std::any_of(files_.begin(), files_.end(),
                       [&](const File& file) { return file.guard == name || file.once == name; });
}

void Branches::forget() {
    std::vector<std::string> names;
    for (const auto& [name, now] : macros_) {
        if (!now.defined || !guards(name)) {
            names.push_back(name);
        }
    }
    for (const std::string& name : names) {
        set(name, std::nullopt);
    }
}

/// Within a group that may be read, its condition is true, and so are its statements about macros.
void Branches::assume(const Condition& condition, bool holds) {
    if (condition.name.empty() || condition.value) {
        return;
    }
    if (condition.defined != holds) {
        set(condition.name, Macro{});
    } else if (!macro(condition.name)) {
        set(condition.name, Macro{true, {}});
    }
}

void Branches::set(std::string_view name, const Known& macro_now) {
    if (name.empty()) {
        return;
    }
    if (!open_.empty()) {
        open_.back().before.try_emplace(std::string(name), macro(name));
    }
    put(name, macro_now);
}

void Branches::put(std::string_view name, const Known& macro_now) {
    if (macro_now) {
        macros_.insert_or_assign(std::string(name), *macro_now);
    } else if (const auto known = macros_.find(name); known != macros_.end()) {
        macros_.erase(known);
    }
}

Branches::Known Branches::macro(std::string_view name) const {
    const auto known = macros_.find(name);
    return known == macros_.end() ? Known() : Known(known->second);
}

Branches::Condition Branches::test(std::string_view text) const {
    Condition condition{partial_condition(text, *this), {}, true};
    for (text = trimmed(text); text.starts_with('!'); text = trimmed(text.substr(1))) {
        condition.defined = !condition.defined;
    }
    if (take_word(text) == "defined") {
        text = trimmed(text);
        const bool bracket = text.starts_with('(');
        text.remove_prefix(bracket ? 1 : 0);
        const std::string_view name = take_word(text);
        condition.name = trimmed(text) == (bracket ? ")" : "") ? name : "";
    }
    return condition;
}

Branches::Condition Branches::test_defined(std::string_view text, bool wanted) const {
    const std::string_view name = take_word(text);
    const Known known = macro(name);
    return {known ? Certain(known->defined == wanted) : Certain(), std::string(name), wanted};
}

} // namespace ferry::translate
