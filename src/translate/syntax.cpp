// SPDX-License-Identifier: Apache-2.0
#include "syntax.hpp"

#include "annotations.hpp"
#include "constant_value.hpp"
#include "declarators.hpp"
#include "operands.hpp"
#include "words.hpp"

#include <algorithm>
#include <string>

namespace ferry::translate {
namespace {

constexpr std::size_t deepest = 256; // Maximum nesting of brackets; compilers have their own limits.

bool begins_call(const std::vector<Token>& tokens, std::size_t i) {
    static constexpr std::array<std::string_view, 6> words{"if",     "for",    "while",
                                                           "switch", "return", "sizeof"};
    return tokens[i].is_identifier() && tokens[i + 1].is("(") &&
           std::find(words.begin(), words.end(), tokens[i].text) == words.end();
}

// 1ULL is 1UL, because the functions of the language have one type of that size.
std::string_view without_long_long(std::string_view number, Files& files) {
    const std::size_t suffix = std::min(number.find("ll"), number.find("LL"));
    if (suffix == std::string_view::npos) {
        return number;
    }
    return files.keep(std::string(number.substr(0, suffix + 1)) + std::string(number.substr(suffix + 2)));
}

// The expansions of NAN, INFINITY, HUGE_VALF and HUGE_VAL.
bool is_constant_of_prelude(std::string_view name) {
    return name == "fy_nan" || name == "fy_infinity" || name == "fy_infinity_double";
}

} // namespace

Syntax::Syntax(std::vector<Token> tokens, Files& files, Diagnostics& diagnostics)
    : tokens_(std::move(tokens)) {
    normalise(files, diagnostics);
    read(diagnostics);
}

Syntax::Syntax(std::vector<Token> tokens, Diagnostics& diagnostics) : tokens_(std::move(tokens)) {
    read(diagnostics);
}

void Syntax::read(Diagnostics& diagnostics) {
    if (match_brackets(diagnostics) && check_attributes(diagnostics)) {
        find_types();
        refuse_function_pointers(diagnostics);
        find_functions(diagnostics);
        close_over_calls(diagnostics);
    }
}

const FunctionSyntax* Syntax::function(std::string_view name) const noexcept {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &functions_[found->second];
}

std::size_t CompositeSyntax::place(std::string_view member) const noexcept {
    const auto found =
        std::find_if(members.begin(), members.end(), [&](const MemberSyntax& m) { return m.name == member; });
    return static_cast<std::size_t>(found - members.begin());
}

std::size_t Syntax::typedef_dimensions(std::string_view name) const noexcept {
    const auto found = pointer_typedefs_.find(name);
    return found == pointer_typedefs_.end() ? 0 : found->second;
}

std::size_t Syntax::member_dimensions(std::string_view name) const noexcept {
    std::size_t most = 0;
    for (const CompositeSyntax& c : composites_) {
        const std::size_t place = c.place(name);
        most = place == c.members.size() ? most : std::max(most, c.members[place].dimensions);
    }
    return most;
}

bool Syntax::is_unary(std::size_t i) const noexcept {
    const Token& before = tokens_[i - 1];
    if (before.is(")")) {
        const std::size_t open = partners_[i - 1];
        const Token& first = tokens_[open + 1];
        const bool type = first.is("struct") || first.is("union") || first.is("enum") ||
                          (first.is_identifier() && (is_qualifier(first.text) || is_type(first.text)));
        return type && !(open > 0 && (is_name(tokens_[open - 1]) || tokens_[open - 1].is("sizeof")));
    }
    return !is_name(before) && !before.is("]") && before.kind != TokenKind::number &&
           before.kind != TokenKind::character;
}

bool Syntax::is_type(std::string_view name) const noexcept {
    return is_scalar_type(name) || is_builtin_vector(name) || typedefs_.count(name) != 0;
}

const CompositeSyntax* Syntax::composite(std::string_view name) const noexcept {
    name = resolved(name);
    for (int i = 0; i < 32; ++i) { // As in resolved().
        const auto tag = tags_.find(name);
        if (tag == tags_.end() || tag->second == name) {
            break;
        }
        name = resolved(tag->second);
    }
    const auto found = composite_names_.find(name);
    return found == composite_names_.end() ? nullptr : &composites_[found->second];
}

bool Syntax::may_point(Range declaration) const noexcept {
    for (std::size_t i = declaration.begin; i < declaration.end; ++i) {
        const Token& t = tokens_[i];
        const CompositeSyntax* const c = composite(t.text);
        if (t.is("*") || t.is("[") || is_pointer_typedef(t.text) || is_pointer_typedef(resolved(t.text)) ||
            (c != nullptr && c->may_point)) {
            return true;
        }
    }
    return false;
}

bool Syntax::is_vector_type(std::string_view name) const noexcept {
    return is_builtin_vector(resolved(name));
}

std::string_view Syntax::resolved(std::string_view name) const noexcept {
    for (int i = 0; i < 32; ++i) { // Typedefs of typedefs. Bounded, because a text can be wrong.
        const auto found = typedefs_.find(name);
        if (found == typedefs_.end() || found->second.empty()) {
            return name;
        }
        name = found->second;
    }
    return name;
}

void Syntax::normalise(Files& files, Diagnostics& diagnostics) {
    std::vector<Token> out;
    out.reserve(tokens_.size() + 8);
    for (Token token : tokens_) {
        if (token.kind == TokenKind::character) {
            // C's character constants are ints, which matters for sizeof and overloads.
            for (const char* text : {"(", "(", "int", ")"}) {
                Token t = token;
                t.kind = *text == 'i' ? TokenKind::identifier : TokenKind::punctuator;
                t.text = text;
                out.push_back(t);
            }
            out.push_back(token);
            out.back().line_start = false;
            Token close = out[out.size() - 2];
            close.line_start = false;
            out.push_back(close);
            continue;
        }
        if (token.kind == TokenKind::number) {
            token.text = without_long_long(token.text, files);
        } else if (token.is("long") && !out.empty() && out.back().is("long")) {
            continue; // long long, which has the same size.
        }
        if (token.is_identifier()) {
            token.text = canonical_word(token.text);
            if (const std::string_view what = refusal(token.text); !what.empty()) {
                diagnostics.error(token.at, quoted(token.text.substr(0, 80)) +
                                                ": the portable kernel language has no " + std::string(what) +
                                                advice(what));
            } else if (!is_constant_of_prelude(token.text) &&
                       (token.text.starts_with("fy_") || token.text.starts_with("FY_"))) {
                diagnostics.error(token.at, quoted(token.text.substr(0, 80)) +
                                                ": names that begin with fy_ are reserved");
            } else if (is_cpp_keyword(token.text)) {
                token.text = files.keep("fy_id_" + std::string(token.text));
            }
        }
        out.push_back(token);
    }
    tokens_ = std::move(out);
    drop_parentheses(tokens_);
}

bool Syntax::match_brackets(Diagnostics& diagnostics) {
    partners_.assign(tokens_.size(), 0);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const Token& t = tokens_[i];
        if (t.kind != TokenKind::punctuator || t.text.size() != 1) {
            continue;
        }
        const char c = t.text[0];
        if (c == '(' || c == '[' || c == '{') {
            open.push_back(i);
            if (open.size() > deepest) {
                diagnostics.error(t.at,
                                  "brackets are nested deeper than " + std::to_string(deepest) + " levels");
                return false;
            }
        } else if (c == ')' || c == ']' || c == '}') {
            if (open.empty()) {
                diagnostics.error(t.at, quoted(t.text.substr(0, 80)) + " closes nothing");
                return false;
            }
            const char opened = tokens_[open.back()].text[0];
            if ((opened == '(') != (c == ')') || (opened == '[') != (c == ']')) {
                diagnostics.error(t.at, quoted(t.text.substr(0, 80)) + " does not match " +
                                            quoted(tokens_[open.back()].text) + " in line " +
                                            std::to_string(tokens_[open.back()].at.line));
                return false;
            }
            partners_[open.back()] = i;
            partners_[i] = open.back();
            open.pop_back();
        }
    }
    if (!open.empty()) {
        diagnostics.error(tokens_[open.back()].at, quoted(tokens_[open.back()].text) + " is never closed");
        return false;
    }
    return true;
}

// The positions after it are found through its bracket.
bool Syntax::check_attributes(Diagnostics& diagnostics) const {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
        if (tokens_[i].is("__attribute__") && !tokens_[i + 1].is("(")) {
            diagnostics.error(tokens_[i].at, "'__attribute__' is not followed by '(('");
            return false;
        }
    }
    return true;
}

bool Syntax::may_be_vector(std::string_view name) const noexcept {
    return vectors_.count(name) != 0 || is_vector_type(name) || name.starts_with("vload") ||
           ((name.starts_with("as_") || name.starts_with("convert_")) && name.back() >= '0' &&
            name.back() <= '9');
}

void Syntax::find_functions(Diagnostics& diagnostics) {
    std::size_t start = 0;
    bool plain = false; // An initialiser or a typedef: no function follows.
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
        const Token& t = tokens_[i];
        if (t.kind == TokenKind::pragma && i == start) {
            ++start;
            continue;
        }
        if (t.is(";")) {
            start = i + 1;
            plain = false;
            continue;
        }
        plain = plain || t.is("=") || t.is("typedef");
        if (t.is("{") || t.is("[")) {
            i = partners_[i];
            continue;
        }
        if (!t.is("(")) {
            continue;
        }
        const bool named = i > start && tokens_[i - 1].is_identifier() &&
                           !tokens_[i - 1].is("__attribute__") && i - 1 > start;
        if (!plain && tokens_[i + 1].is("*") && !named) {
            diagnostics.error(t.at, no_function_pointers);
            return;
        }
        const std::size_t close = partners_[i];
        if (plain || !named || is_type(tokens_[i - 1].text)) {
            i = close;
            continue;
        }
        FunctionSyntax f;
        f.name = i - 1;
        f.head = {start, i - 1};
        std::size_t after = close + 1;
        while (tokens_[after].is("__attribute__") && tokens_[after + 1].is("(")) {
            read_attributes(f, {after, partners_[after + 1] + 1}, diagnostics);
            after = partners_[after + 1] + 1;
        }
        if (!tokens_[after].is("{") && !tokens_[after].is(";")) {
            i = close;
            continue;
        }
        read_attributes(f, f.head, diagnostics);
        for (std::size_t w = start; w < f.name; ++w) {
            f.kernel = f.kernel || tokens_[w].is("__kernel");
        }
        check_head(f, diagnostics);
        read_parameters(f, i, diagnostics);
        f.defined = tokens_[after].is("{");
        if (f.defined) {
            f.body = {after + 1, partners_[after]};
            after = partners_[after];
            find_calls(f);
            if (!by_name_.emplace(tokens_[f.name].text, functions_.size()).second) {
                const FunctionSyntax& first = functions_[by_name_[tokens_[f.name].text]];
                diagnostics.error(tokens_[f.name].at,
                                  "the function " + quoted(tokens_[f.name].text) + " is defined in line " +
                                      std::to_string(tokens_[first.name].at.line) + " already");
            }
        }
        if (f.kernel && is_no_kernels_name(tokens_[f.name].text)) {
            diagnostics.error(tokens_[f.name].at, "a kernel cannot be called " +
                                                      quoted(name_as_written(tokens_[f.name].text)) +
                                                      " in OpenCL C");
        }
        f.all = {start, after + 1};
        i = after;
        start = after + 1;
        functions_.push_back(std::move(f));
    }
}

bool may_precede_kernel(std::string_view word) noexcept {
    return word == "__kernel" || word == "void" || word == "inline" || word == "static" || word == "extern";
}

// A kernel's head is not part of the output, so the compiler would not report an unknown word there.
void Syntax::check_head(const FunctionSyntax& function, Diagnostics& diagnostics) const {
    for (std::size_t i = function.head.begin; i < function.head.end; ++i) {
        const Token& t = tokens_[i];
        if (t.is("__attribute__")) {
            i = partners_[i + 1];
        } else if (t.is("{") || t.is("}") || (t.is("(") && !function.kernel)) {
            diagnostics.error(t.at, "what stands before the function " + quoted(tokens_[function.name].text) +
                                        " is no declaration; a ';' may be missing");
            return;
        } else if (function.kernel && !may_precede_kernel(t.text)) {
            diagnostics.error(t.at, unknown_before_kernel(t.text, tokens_[function.name].text));
            return;
        }
    }
}

void Syntax::read_parameters(FunctionSyntax& function, std::size_t open, Diagnostics& diagnostics) const {
    const std::size_t close = partners_[open];
    std::size_t begin = open + 1;
    if (begin == close || (close == begin + 1 && tokens_[begin].is("void"))) {
        return;
    }
    for (std::size_t i = begin; i <= close; ++i) {
        if (tokens_[i].is("(") || tokens_[i].is("[")) {
            i = partners_[i];
            continue;
        }
        if (i != close && !tokens_[i].is(",")) {
            continue;
        }
        ParameterSyntax p;
        p.all = {begin, i};
        p.name = i;
        bool array = false;
        bool hidden = false;
        std::size_t words = 0;
        for (std::size_t t = begin; t < i; ++t) {
            const Token& token = tokens_[t];
            if (token.is("__attribute__") && tokens_[t + 1].is("(")) {
                t = partners_[t + 1];
            } else if (token.is("__global")) {
                p.space = Space::global;
            } else if (token.is("__local")) {
                p.space = Space::local;
            } else if (token.is("__constant")) {
                p.space = Space::constant;
            } else if (token.is("*")) {
                p.pointer = true;
            } else if (token.is("[")) {
                array = true;
                t = partners_[t];
            } else if (token.is("(") && names_function(t)) { // int f(int), which is a pointer.
                diagnostics.error(token.at, no_function_pointers);
                t = partners_[t];
            } else if (token.is("(")) { // A pointer to an array, which kernels cannot take.
                array = true;
                p.pointer = true;
                for (std::size_t n = t + 1; n < partners_[t]; ++n) {
                    p.name = tokens_[n].is_identifier() && !is_qualifier(tokens_[n].text) ? n : p.name;
                }
                t = partners_[t];
            } else if (token.is_identifier() && !is_qualifier(token.text)) {
                hidden = hidden || is_pointer_typedef(token.text);
                ++words;
                p.name = words > 1 && !is_scalar_type(token.text) ? t : p.name;
            }
        }
        const Position at = tokens_[begin].at;
        if (function.kernel && begin == i) {
            diagnostics.error(at,
                              "a parameter of kernel " + quoted(tokens_[function.name].text) + " is empty");
        } else if (function.kernel && hidden) {
            diagnostics.error(
                at, "the type of a kernel parameter hides a pointer in a typedef; write the address "
                    "space and the * in the kernel's own line");
        } else if (function.kernel && array) {
            diagnostics.error(at, "a kernel parameter is a pointer or a value, not an array");
        } else if (function.kernel && p.pointer && p.space == Space::none) {
            diagnostics.error(at, "a pointer parameter of a kernel needs __global, __constant or __local");
        } else if (function.kernel && !p.pointer && p.space != Space::none) {
            diagnostics.error(at, "a kernel parameter with an address space must be a pointer");
        }
        function.parameters.push_back(p);
        begin = i + 1;
    }
}

void Syntax::read_attributes(FunctionSyntax& function, Range range, Diagnostics& diagnostics) const {
    for (std::size_t i = range.begin; i < range.end; ++i) {
        if (!tokens_[i].is("reqd_work_group_size") && !tokens_[i].is("__reqd_work_group_size__")) {
            continue;
        }
        std::size_t dimension = 0;
        const std::size_t close = tokens_[i + 1].is("(") ? partners_[i + 1] : i;
        for (std::size_t n = i + 2, begin = n; n <= close && dimension < 4; ++n) {
            if (tokens_[n].is("(")) {
                n = partners_[n];
            } else if (n == close || tokens_[n].is(",")) {
                const auto value =
                    constant_value(*this, {begin, n}, tokens_[i].at, "reqd_work_group_size", diagnostics);
                if (!value) {
                    return;
                }
                if (*value <= 0 || dimension == 3) {
                    dimension = 4;
                    break;
                }
                function.required_local[dimension++] = static_cast<std::size_t>(*value);
                begin = n + 1;
            }
        }
        if (dimension != 3) {
            diagnostics.error(tokens_[i].at, "reqd_work_group_size takes three positive integers");
        }
    }
}

void Syntax::find_calls(FunctionSyntax& function) const {
    for (std::size_t i = function.body.begin; i < function.body.end; ++i) {
        if (begins_call(tokens_, i)) {
            function.calls.insert(tokens_[i].text);
            function.uses_items = function.uses_items || is_work_item_function(tokens_[i].text);
            function.has_barrier = function.has_barrier || is_barrier(tokens_[i].text);
        }
    }
}

void Syntax::close_over_calls(Diagnostics& diagnostics) {
    for (bool changed = true; changed;) {
        changed = false;
        for (FunctionSyntax& f : functions_) {
            for (const std::string_view name : f.calls) {
                const FunctionSyntax* const called = function(name);
                if (called == nullptr) {
                    continue;
                }
                if ((called->uses_items && !f.uses_items) || (called->has_barrier && !f.has_barrier)) {
                    f.uses_items = f.uses_items || called->uses_items;
                    f.has_barrier = f.has_barrier || called->has_barrier;
                    changed = true;
                }
            }
        }
    }
    // A prototype has the properties of its definition.
    for (FunctionSyntax& f : functions_) {
        const FunctionSyntax* const definition = function(tokens_[f.name].text);
        if (!f.defined && definition != nullptr) {
            f.uses_items = definition->uses_items;
            f.has_barrier = definition->has_barrier;
        }
    }
    // Colours as in a depth-first search: 1 is on the path, 2 is done.
    std::unordered_map<const FunctionSyntax*, int> colour;
    std::vector<std::pair<const FunctionSyntax*, std::vector<const FunctionSyntax*>>> path;
    const auto enter = [&](const FunctionSyntax& f) {
        colour[&f] = 1;
        std::vector<const FunctionSyntax*> next;
        for (const std::string_view name : f.calls) {
            if (const FunctionSyntax* const called = function(name)) {
                if (called->kernel) {
                    diagnostics.error(tokens_[f.name].at, quoted(tokens_[f.name].text) +
                                                              " calls the kernel " + quoted(name) +
                                                              advice_on_calling(name));
                }
                next.push_back(called);
            }
        }
        path.emplace_back(&f, std::move(next));
    };
    for (const FunctionSyntax& root : functions_) {
        if (!root.defined || colour[&root] != 0) {
            continue;
        }
        enter(root);
        while (!path.empty()) {
            auto& [f, next] = path.back();
            if (next.empty()) {
                colour[f] = 2;
                path.pop_back();
                continue;
            }
            const FunctionSyntax* const called = next.back();
            next.pop_back();
            if (colour[called] == 1) {
                diagnostics.error(tokens_[called->name].at, "the function " +
                                                                quoted(tokens_[called->name].text) +
                                                                " calls itself; OpenCL C has no recursion");
                return;
            }
            if (colour[called] == 0) {
                enter(*called);
            }
        }
    }
}

} // namespace ferry::translate
