// SPDX-License-Identifier: Apache-2.0
#include "host_names.hpp"

#include "statements.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace ferry::translate {
namespace {

constexpr std::size_t most_nested = 200; // Statements; read_statements() rejects more.

bool heads_composite(const Token& t) {
    return t.is("struct") || t.is("union") || t.is("enum");
}

class Separator {
public:
    /// `callers`: in functions that call functions with barriers, and in these; otherwise in kernels.
    Separator(const Syntax& syntax, Files& files, bool callers)
        : syntax_(syntax), files_(files), callers_(callers) {}

    std::optional<std::vector<Token>> run() {
        note_file_names();
        if (callers_) {
            note_called_names();
        }
        std::size_t next = 0;
        for (const FunctionSyntax& f : syntax_.functions()) {
            if (f.defined && (callers_ ? f.has_barrier : f.kernel && is_split(f))) {
                copy(next, f.kernel ? f.body.begin : f.name + 1);
                function(f);
                next = f.body.end;
            }
        }
        copy(next, syntax_.tokens().size());
        return changed_ ? std::optional(std::move(out_)) : std::nullopt;
    }

private:
    using Names = std::unordered_map<std::string_view, std::string_view>;

    bool is_split(const FunctionSyntax& f) const {
        bool local = false;
        for (std::size_t i = f.body.begin; i < f.body.end; ++i) {
            local = local || syntax_[i].is("__local");
        }
        return local || f.has_barrier;
    }

    void note_file_names() {
        std::size_t next = 0;
        for (const FunctionSyntax& f : syntax_.functions()) {
            note_objects({next, f.all.begin});
            file_names_.insert(syntax_[f.name].text);
            next = f.all.end;
        }
        note_objects({next, syntax_.tokens().size() - 1});
    }

    void note_objects(Range range) {
        for (std::size_t i = range.begin; i < range.end;) {
            const std::size_t end = std::min(end_of_simple(i, range.end), range.end);
            Declaration d;
            if (read_declaration(syntax_, {i, end}, d) && (callers_ || !syntax_[i].is("typedef"))) {
                for (const Declarator& n : d.declarators) {
                    file_names_.insert(syntax_[n.name].text);
                }
            }
            for (; i < end; ++i) {
                if (callers_ && heads_composite(syntax_[i]) && syntax_[i + 1].is_identifier()) {
                    file_tags_.insert(syntax_[i + 1].text);
                }
                for (const std::size_t name : enumerators(i)) {
                    file_names_.insert(syntax_[name].text);
                }
            }
        }
    }

    // Callees of functions with barriers may be built-in functions, and must have the same meaning at the
    // place of inlining.
    void note_called_names() {
        for (const FunctionSyntax& f : syntax_.functions()) {
            for (std::size_t i = f.body.begin; !f.kernel && f.has_barrier && i < f.body.end; ++i) {
                if (syntax_[i].is_identifier() && syntax_[i + 1].is("(")) {
                    file_names_.insert(syntax_[i].text);
                }
            }
        }
    }

    // Of the enum that begins there. Empty if it has no list.
    std::unordered_set<std::size_t> enumerators(std::size_t keyword) const {
        std::unordered_set<std::size_t> names;
        const std::size_t open = syntax_[keyword + 1].is_identifier() ? keyword + 2 : keyword + 1;
        if (!syntax_[keyword].is("enum") || !syntax_[open].is("{")) {
            return names;
        }
        for (std::size_t i = open + 1; i < syntax_.partner(open); ++i) {
            if (syntax_[i].is_identifier() && (i == open + 1 || syntax_[i - 1].is(","))) {
                names.insert(i);
            }
            i = syntax_[i].is("(") ? syntax_.partner(i) : i;
        }
        return names;
    }

    // The names of a kernel's parameters are visible to launches, so they are kept. Those of another
    // function, which is inlined into its callers, become unique.
    void function(const FunctionSyntax& f) {
        scopes_.assign(1, {});
        tags_.assign(1, {});
        for (const ParameterSyntax& p : f.parameters) {
            if (p.name < p.all.end) {
                const std::string_view name = syntax_[p.name].text;
                scopes_.back()[name] =
                    f.kernel ? name
                             : files_.keep("fy_in" + std::to_string(++made_) + "_" + std::string(name));
                changed_ = changed_ || !f.kernel;
            }
        }
        for (std::size_t i = f.name + 1; !f.kernel && i < f.body.begin; ++i) {
            token(i);
        }
        list(f.body); // These may not hide a parameter.
    }

    void open_scope() {
        scopes_.emplace_back();
        tags_.emplace_back();
    }
    void close_scope() {
        scopes_.pop_back();
        tags_.pop_back();
    }

    void block(Range range) {
        open_scope();
        list(range);
        close_scope();
    }

    void list(Range range) {
        for (std::size_t i = range.begin; i < range.end;) {
            i = statement(i, range.end);
        }
    }

    // Returns the position after it.
    std::size_t statement(std::size_t i, std::size_t end) {
        if (i >= end) {
            return end;
        }
        if (++depth_ > most_nested) {
            --depth_;
            copy(i, end);
            return end;
        }
        const std::size_t next = one(i, end);
        --depth_;
        return next;
    }

    std::size_t one(std::size_t i, std::size_t end) {
        const Token& t = syntax_[i];
        if (t.is("{")) {
            const std::size_t close = syntax_.partner(i);
            copy(i, i + 1);
            block({i + 1, close});
            copy(close, close + 1);
            return close + 1;
        }
        if ((t.is("if") || t.is("for") || t.is("while") || t.is("switch")) && syntax_[i + 1].is("(")) {
            return headed(i, end);
        }
        if (t.is("do")) {
            copy(i, i + 1);
            const std::size_t behind = statement(i + 1, end);
            const std::size_t next = end_of_simple(behind, end);
            simple({behind, next}, false);
            return next;
        }
        std::size_t label = i;
        if (t.is("case") || t.is("default") || (t.is_identifier() && syntax_[i + 1].is(":"))) {
            while (label < end && !syntax_[label].is(":")) {
                label = syntax_[label].is("(") ? syntax_.partner(label) + 1 : label + 1;
            }
        }
        if (label != i || t.kind == TokenKind::pragma) {
            const std::size_t behind = std::min(label + 1, end);
            t.is("case") ? simple({i, behind}, false) : copy(i, behind);
            return statement(behind, end);
        }
        const std::size_t next = end_of_simple(i, end);
        simple({i, next}, true);
        return next;
    }

    std::size_t headed(std::size_t i, std::size_t end) {
        const std::size_t close = syntax_.partner(i + 1);
        open_scope();
        copy(i, i + 2);
        simple({i + 2, close}, false);
        copy(close, close + 1);
        std::size_t next = statement(close + 1, end);
        if (syntax_[i].is("if") && next < end && syntax_[next].is("else")) {
            copy(next, next + 1);
            next = statement(next + 1, end);
        }
        close_scope();
        return next;
    }

    std::size_t end_of_simple(std::size_t i, std::size_t end) const {
        while (i < end && !syntax_[i].is(";")) {
            const bool open = syntax_[i].is("(") || syntax_[i].is("[") || syntax_[i].is("{");
            i = open ? syntax_.partner(i) + 1 : i + 1;
        }
        return std::min(i + 1, end);
    }

    void simple(Range range, bool separate) {
        Declaration d;
        std::unordered_set<std::size_t> declared;
        if (read_declaration(syntax_, range, d) && (callers_ || !d.is_typedef)) {
            for (const Declarator& n : d.declarators) {
                declared.insert(n.name);
            }
        }
        for (std::size_t n = range.begin; n + 2 < range.end; ++n) {
            if (heads_composite(syntax_[n]) && syntax_[n + 1].is_identifier() && syntax_[n + 2].is("{")) {
                declare_tag(syntax_[n + 1].text);
            }
        }
        std::size_t i = range.begin;
        if (separate && !declared.empty() && !d.is_typedef) {
            i = written_out_type(d.specifiers);
        }
        for (; i < range.end; ++i) {
            declared.merge(enumerators(i));
            if (declared.count(i) != 0) {
                declare(syntax_[i].text);
            }
            token(i);
            if (const std::size_t open = opening_of_members(i); open != i) {
                for (++i; i < open; ++i) {
                    token(i);
                }
                members({open, syntax_.partner(open) + 1});
                i = syntax_.partner(open);
            }
        }
    }

    // struct {...} a, b; becomes struct tag {...}; struct tag a, b;
    std::size_t written_out_type(Range specifiers) {
        std::size_t keyword = specifiers.begin;
        while (keyword < specifiers.end && !heads_composite(syntax_[keyword])) {
            ++keyword;
        }
        std::size_t open = keyword;
        while (open < specifiers.end && !syntax_[open].is("{")) {
            ++open;
        }
        if (open >= specifiers.end) {
            return specifiers.begin;
        }
        changed_ = true;
        std::size_t named = keyword + 1;
        while (syntax_[named].is("__attribute__") && syntax_[named + 1].is("(")) {
            named = syntax_.partner(named + 1) + 1;
        }
        const bool tagged = syntax_[named].is_identifier();
        const std::string_view name =
            tagged ? tag(syntax_[named].text) : files_.keep("fy_type" + std::to_string(++made_));
        const std::size_t close = syntax_.partner(open);
        std::size_t behind = close + 1;
        while (syntax_[behind].is("__attribute__") && syntax_[behind + 1].is("(")) {
            behind = syntax_.partner(behind + 1) + 1;
        }
        copy(keyword, named);
        put(keyword, name, TokenKind::identifier);
        if (syntax_[keyword].is("enum")) {
            const auto names = enumerators(keyword);
            for (std::size_t i = open; i < behind; ++i) {
                if (names.count(i) != 0) {
                    declare(syntax_[i].text);
                }
                token(i);
            }
        } else {
            members({open, behind});
        }
        put(keyword, ";", TokenKind::punctuator);
        copy(specifiers.begin, keyword + 1);
        put(keyword, name, TokenKind::identifier);
        return behind;
    }

    // The opening brace of a struct or union definition that begins there; otherwise the position itself.
    std::size_t opening_of_members(std::size_t keyword) const {
        if (!heads_composite(syntax_[keyword]) || syntax_[keyword].is("enum")) {
            return keyword;
        }
        std::size_t open = keyword + 1;
        while (syntax_[open].is_identifier() || syntax_[open].is("(")) {
            open = syntax_[open].is("(") ? syntax_.partner(open) + 1 : open + 1;
        }
        return syntax_[open].is("{") ? open : keyword;
    }

    // Their names are not variables, but names in their brackets may be.
    void members(Range range) {
        for (std::size_t i = range.begin; i < range.end; ++i) {
            if (!syntax_[i].is("[")) {
                copy(i, i + 1);
                continue;
            }
            for (const std::size_t close = syntax_.partner(i); i < close; ++i) {
                token(i);
            }
            copy(i, i + 1);
        }
    }

    void declare(std::string_view name) {
        const bool hides =
            scopes_.back().count(name) == 0 && (find(name) != nullptr || file_names_.count(name) != 0);
        if (!hides) {
            scopes_.back().emplace(name, name);
            return;
        }
        changed_ = true;
        scopes_.back()[name] = files_.keep("fy_own" + std::to_string(++made_) + "_" + std::string(name));
    }

    void declare_tag(std::string_view name) {
        if (file_tags_.count(name) != 0) {
            changed_ = true;
            tags_.back()[name] = files_.keep("fy_own" + std::to_string(++made_) + "_" + std::string(name));
        }
    }

    const std::string_view* find(std::string_view name) const { return find(scopes_, name); }
    static const std::string_view* find(const std::vector<Names>& scopes, std::string_view name) {
        for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
            if (const auto found = scope->find(name); found != scope->end()) {
                return &found->second;
            }
        }
        return nullptr;
    }

    std::string_view tag(std::string_view name) const {
        const std::string_view* const own = find(tags_, name);
        return own != nullptr ? *own : name;
    }

    void token(std::size_t i) {
        copy(i, i + 1);
        const Token& before = syntax_[i - 1];
        if (!syntax_[i].is_identifier() || before.is(".") || before.is("->") || before.is("goto")) {
            return;
        }
        if (heads_composite(before)) {
            out_.back().text = tag(syntax_[i].text);
        } else if (const std::string_view* const name = find(syntax_[i].text)) {
            out_.back().text = *name;
        }
    }

    void copy(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            out_.push_back(syntax_[i]);
        }
    }

    void put(std::size_t at, std::string_view text, TokenKind kind) {
        Token t = syntax_[at];
        t.text = text;
        t.kind = kind;
        t.space_before = true;
        t.line_start = false;
        out_.push_back(t);
    }

    const Syntax& syntax_;
    Files& files_;
    bool callers_;
    std::unordered_set<std::string_view> file_names_; ///< Names in functions must not hide these.
    std::unordered_set<std::string_view> file_tags_;  ///< The same.
    std::vector<Names> scopes_;
    std::vector<Names> tags_; ///< Of the same scopes.
    std::vector<Token> out_;
    std::size_t made_ = 0;
    std::size_t depth_ = 0;
    bool changed_ = false;
};

} // namespace

std::optional<std::vector<Token>> separate_names(const Syntax& syntax, Files& files) {
    return Separator(syntax, files, false).run();
}

std::optional<std::vector<Token>> separate_callers(const Syntax& syntax, Files& files) {
    const bool calls =
        std::any_of(syntax.functions().begin(), syntax.functions().end(),
                    [](const FunctionSyntax& f) { return !f.kernel && f.defined && f.has_barrier; });
    return calls ? Separator(syntax, files, true).run() : std::nullopt;
}

} // namespace ferry::translate
