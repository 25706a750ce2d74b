// SPDX-License-Identifier: Apache-2.0
#include "inlining.hpp"

#include "operands.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace ferry::translate {
namespace {

constexpr std::size_t most_tokens = 4'000'000;
constexpr std::string_view tail_mark = "[&]() -> ";

// A call, and the statement that contains it.
struct Call {
    const FunctionSyntax* function = nullptr;
    std::size_t name = 0;
    Range statement;
    bool alone = false; ///< Nothing but the call and its semicolon.
};

class Inliner {
public:
    Inliner(const Syntax& syntax, std::size_t round, Files& files, Diagnostics& diagnostics)
        : syntax_(syntax), round_(round), files_(files), diagnostics_(diagnostics) {}

    std::optional<std::vector<Token>> run() {
        note_file_names();
        note_tails();
        for (const FunctionSyntax& f : syntax_.functions()) {
            if (f.defined) {
                find_calls(f);
            }
        }
        if (calls_.empty()) {
            return std::nullopt;
        }
        std::size_t next = 0;
        for (const FunctionSyntax& f : syntax_.functions()) {
            copy(next, f.all.begin);
            const bool needed = f.kernel || !f.has_barrier || left_[syntax_[f.name].text] != 0;
            if (needed) {
                function(f);
            }
            next = f.all.end;
        }
        copy(next, syntax_.tokens().size());
        if (out_.size() > most_tokens) {
            diagnostics_.error(syntax_[calls_.front().name].at,
                               "the functions with barriers become too large a text for the host backend");
            return std::nullopt;
        }
        return std::move(out_);
    }

private:
    bool is_call(std::size_t i) const {
        const FunctionSyntax* const f = syntax_[i].is_identifier() && syntax_[i + 1].is("(")
                                            ? syntax_.function(syntax_[i].text)
                                            : nullptr;
        return f != nullptr && f->has_barrier && !f->kernel;
    }

    void note_file_names() {
        std::size_t next = 0;
        const auto note = [&](std::size_t end) {
            for (; next < end; ++next) {
                if (syntax_[next].is_identifier()) {
                    file_names_.insert(syntax_[next].text);
                }
            }
        };
        for (const FunctionSyntax& f : syntax_.functions()) {
            note(f.all.begin);
            file_names_.insert(syntax_[f.name].text);
            next = f.all.end;
        }
        note(syntax_.tokens().size());
    }

    void find_calls(const FunctionSyntax& caller) {
        std::size_t done = caller.body.begin; // Statements with a call do not overlap.
        for (std::size_t i = caller.body.begin; i < caller.body.end; ++i) {
            if (!is_call(i)) {
                continue;
            }
            Call call;
            call.name = i;
            call.function = syntax_.function(syntax_[i].text);
            if (i < done || !is_leaf(*call.function) || !find_statement(caller, call) ||
                !fits(*call.function)) {
                ++left_[syntax_[i].text];
                continue;
            }
            check_parameters(caller, *call.function);
            done = call.statement.end;
            calls_.push_back(call);
        }
    }

    bool is_leaf(const FunctionSyntax& f) const {
        for (std::size_t i = f.body.begin; i < f.body.end; ++i) {
            if (is_call(i)) {
                return false;
            }
        }
        return true;
    }

    static bool is_control(const Token& t) { return is_one_of(t, {"if", "for", "while", "switch"}); }

    // Values between commas in these brackets are evaluated separately, in any order. Elsewhere a comma is an
    // operator.
    bool has_arguments(std::size_t open) const {
        const Token& before = syntax_[open - 1];
        const bool behind_head = before.is(")") && is_control(syntax_[syntax_.partner(open - 1) - 1]);
        return syntax_[open].is("(") && !behind_head &&
               (before.is(")") || before.is("]") || (is_name(before) && !is_control(before)));
    }

    // Braces around values, not around statements.
    bool is_list(const FunctionSyntax& caller, std::size_t open) const {
        while (syntax_[open].is("{") && syntax_[open - 1].is("{")) {
            --open;
        }
        const Token& before = syntax_[open - 1];
        const bool literal = before.is(")") && !is_control(syntax_[syntax_.partner(open - 1) - 1]);
        return open >= caller.body.begin && (before.is("=") || before.is(",") || literal);
    }

    bool find_statement(const FunctionSyntax& caller, Call& call) const {
        std::size_t i = call.name;
        bool comma = false; // Before the call, between the same brackets.
        for (; i > caller.body.begin; --i) {
            const Token& t = syntax_[i - 1];
            if (t.is(")")) {
                const std::size_t open = syntax_.partner(i - 1);
                if (is_control(syntax_[open - 1])) {
                    break;
                }
                i = open + 1;
            } else if (t.is("]")) {
                i = syntax_.partner(i - 1) + 1;
            } else if (t.is("}") && is_list(caller, syntax_.partner(i - 1))) {
                i = syntax_.partner(i - 1) + 1;
            } else if (t.is("{") && is_list(caller, i - 1)) {
                comma = false;
            } else if (is_one_of(t, {";", "{", "}", "else", "do"})) {
                break;
            } else if (t.is("(") || t.is("[")) {
                if (comma && !has_arguments(i - 1)) {
                    return false;
                }
                comma = false;
                if (is_control(syntax_[i - 2])) {
                    return is_head(i - 2, call);
                }
            } else if (is_one_of(t, {"&&", "||", "?", ":", "++", "--"})) {
                return false; // It would change the order of evaluation, or whether a value is evaluated.
            }
            comma = comma || t.is(",");
        }
        if (comma) {
            return false;
        }
        call.statement.begin = i;
        std::size_t end = call.name;
        while (end < caller.body.end && !syntax_[end].is(";") &&
               (!syntax_[end].is("}") || is_list(caller, syntax_.partner(end)))) {
            end = opens_bracket(syntax_[end]) ? syntax_.partner(end) + 1 : end + 1;
        }
        call.statement.end = end + 1;
        call.alone = call.statement.begin == call.name && syntax_.partner(call.name + 1) + 1 == end;
        return syntax_[end].is(";");
    }

    // A condition that is evaluated once, of a separate statement.
    bool is_head(std::size_t keyword, Call& call) const {
        call.statement = {keyword, syntax_.partner(keyword + 1) + 1};
        return is_one_of(syntax_[keyword], {"if", "switch"}) &&
               is_one_of(syntax_[keyword - 1], {";", "{", "}"});
    }

    // Whether the body returns only at its end.
    bool fits(const FunctionSyntax& f) const {
        const std::size_t tail = tail_of(f);
        for (std::size_t i = f.body.begin; i < tail; ++i) {
            if (returns(i)) {
                return false;
            }
        }
        return std::none_of(f.parameters.begin(), f.parameters.end(), [&](const ParameterSyntax& p) {
            for (std::size_t i = p.all.begin; i < p.all.end; ++i) {
                if (syntax_[i].is("[") || syntax_[i].is("(")) {
                    return true;
                }
            }
            return false;
        });
    }

    // The body must have the same meaning among the caller's names. separate_callers() ensures this except
    // for the parameters of kernels, because these names are visible to launches.
    void check_parameters(const FunctionSyntax& caller, const FunctionSyntax& f) const {
        for (const ParameterSyntax& p : caller.parameters) {
            if (p.name >= p.all.end || file_names_.count(syntax_[p.name].text) == 0) {
                continue;
            }
            for (std::size_t i = f.body.begin; i < f.body.end; ++i) {
                const bool member = syntax_[i - 1].is(".") || syntax_[i - 1].is("->");
                if (syntax_[i].is(syntax_[p.name].text) && !member) {
                    const std::string name = "'" + std::string(syntax_[p.name].text) + "'";
                    diagnostics_.error(
                        syntax_[p.name].at,
                        "on the host the function '" + std::string(syntax_[f.name].text) +
                            "', which has a barrier, is put into this one, where the parameter " + name +
                            " hides the " + name + " it uses; rename the parameter");
                    return;
                }
            }
        }
    }

    // A return that is not in a tail inlined before.
    bool returns(std::size_t i) const { return syntax_[i].is("return") && tails_.count(i) == 0; }

    void note_tails() {
        for (std::size_t i = 0; i + 1 < syntax_.tokens().size(); ++i) {
            if (syntax_[i].text.starts_with(tail_mark) && syntax_[i + 1].is("{")) {
                for (std::size_t n = i; n < syntax_.partner(i + 1); ++n) {
                    tails_.insert(n);
                }
                i = syntax_.partner(i + 1);
            }
        }
    }

    // The start of the statements after the last one with a barrier.
    std::size_t tail_of(const FunctionSyntax& f) const {
        std::size_t tail = f.body.begin;
        bool barrier = false;
        for (std::size_t i = f.body.begin; i < f.body.end; ++i) {
            barrier = barrier || (syntax_[i].is_identifier() && is_barrier(syntax_[i].text));
            if (opens_bracket(syntax_[i])) {
                const std::size_t close = syntax_.partner(i);
                for (; i < close; ++i) {
                    barrier = barrier || (syntax_[i].is_identifier() && is_barrier(syntax_[i].text));
                }
            }
            const bool ends = syntax_[i].is(";") || (syntax_[i].is("}") && !syntax_[i + 1].is("else") &&
                                                     !syntax_[i + 1].is("while"));
            if (ends) {
                tail = barrier ? i + 1 : tail;
                barrier = false;
            }
        }
        return tail;
    }

    void function(const FunctionSyntax& f) {
        std::size_t next = f.all.begin;
        for (const Call& call : calls_) {
            if (f.defined && call.name >= f.body.begin && call.name < f.body.end) {
                copy(next, call.statement.begin);
                expand(call);
                next = call.statement.end;
            }
        }
        copy(next, f.all.end);
    }

    void expand(const Call& call) {
        const FunctionSyntax& f = *call.function;
        const std::string number = std::to_string(round_) + "_" + std::to_string(call.name);
        const Token& before = syntax_[call.statement.begin - 1];
        const bool wrap = before.is(")") || before.is("else") || before.is("do");
        const std::string type = type_of(f);
        const std::string result = type == "void" ? "" : "fy_got" + number;
        at_ = syntax_[call.name].at;
        if (wrap) {
            put("{");
        }
        if (!result.empty()) {
            for (std::size_t i = f.head.begin; i < f.head.end; ++i) {
                if (!is_one_of(syntax_[i], {"static", "inline", "extern"})) {
                    i = syntax_[i].is("__attribute__") ? syntax_.partner(i + 1) : (push(i), i);
                }
            }
            put(result);
            put(";");
        }
        put("{");
        parameters(call, number);
        put("{");
        labels_ = labels_of(f);
        body(f, number, type, result);
        put("}");
        put("}");
        if (!call.alone || !result.empty()) {
            copy(call.statement.begin, call.name);
            put(result.empty() ? "0" : result);
            copy(syntax_.partner(call.name + 1) + 1, call.statement.end);
        }
        if (wrap) {
            put("}");
        }
    }

    // Each is declared with its argument. Its name is unique, see separate_callers().
    void parameters(const Call& call, const std::string& number) {
        const FunctionSyntax& f = *call.function;
        std::size_t begin = call.name + 2;
        const std::size_t close = syntax_.partner(call.name + 1);
        for (const ParameterSyntax& p : f.parameters) {
            std::size_t end = begin;
            while (end < close && !syntax_[end].is(",")) {
                end = opens_bracket(syntax_[end]) ? syntax_.partner(end) + 1 : end + 1;
            }
            copy(p.all.begin, p.all.end);
            if (p.name >= p.all.end) {
                put("fy_in" + number + "_" + std::to_string(p.all.begin));
            }
            put("=");
            copy(begin, end);
            put(";");
            begin = std::min(end + 1, close);
        }
    }

    // A label, but not the operand in c ? a : b.
    bool is_label(std::size_t i) const {
        if (!syntax_[i].is_identifier() || syntax_[i].is("default") || !syntax_[i + 1].is(":")) {
            return false;
        }
        const Token& before = syntax_[i - 1];
        if (!before.is(":")) {
            return is_one_of(before, {";", "{", "}", ")", "else", "do"});
        }
        std::size_t begin = i - 1;
        while (!is_one_of(syntax_[begin - 1], {";", "{", "}", "?", "case", "default"})) {
            --begin;
        }
        return !syntax_[begin - 1].is("?");
    }

    std::unordered_set<std::string_view> labels_of(const FunctionSyntax& f) const {
        std::unordered_set<std::string_view> labels;
        for (std::size_t i = f.body.begin; i < f.body.end; ++i) {
            if (is_label(i)) {
                labels.insert(syntax_[i].text);
            }
        }
        return labels;
    }

    void body(const FunctionSyntax& f, const std::string& number, const std::string& type,
              const std::string& result) {
        const std::size_t tail = tail_of(f);
        std::size_t count = 0;
        std::size_t last = f.body.end;
        for (std::size_t i = tail; i < f.body.end; ++i) {
            count += returns(i) ? 1 : 0;
            last = returns(i) ? i : last;
        }
        std::size_t end = last;
        while (end < f.body.end && !syntax_[end].is(";")) {
            end = opens_bracket(syntax_[end]) ? syntax_.partner(end) + 1 : end + 1;
        }
        const bool statement =
            last > f.body.begin && last < f.body.end && is_one_of(syntax_[last - 1], {";", "}", "{"});
        const bool plain = count == 0 || (count == 1 && statement && end + 1 == f.body.end);
        if (plain) {
            text(f.body.begin, last, number);
            if (count != 0 && last + 1 < end) { // Possibly of a void function that calls another one.
                if (!result.empty()) {
                    put(result);
                    put("=");
                }
                text(last + 1, end, number);
                put(";");
            }
            return;
        }
        text(f.body.begin, tail, number);
        if (!result.empty()) {
            put(result);
            put("=");
        }
        put(std::string(tail_mark) + type);
        put("{");
        text(tail, f.body.end, number);
        put("}");
        put("(");
        put(")");
        put(";");
    }

    std::string type_of(const FunctionSyntax& f) const {
        std::string type;
        for (std::size_t i = f.head.begin; i < f.head.end; ++i) {
            const Token& t = syntax_[i];
            if (t.is("__attribute__")) {
                i = syntax_.partner(i + 1);
            } else if (!is_one_of(t, {"static", "inline", "extern", "__global", "__local", "__private"})) {
                type += (type.empty() ? "" : " ") + std::string(t.is("__constant") ? "const" : t.text);
            }
        }
        return type;
    }

    // Labels are made unique, because a function may be inlined several times.
    void text(std::size_t begin, std::size_t end, const std::string& number) {
        for (std::size_t i = begin; i < end; ++i) {
            push(i);
            if (labels_.count(syntax_[i].text) != 0 && (syntax_[i - 1].is("goto") || is_label(i))) {
                out_.back().text = files_.keep("fy_label" + number + "_" + std::string(syntax_[i].text));
            }
        }
    }

    void push(std::size_t i) { out_.push_back(syntax_[i]); }
    void copy(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            push(i);
        }
    }
    void put(std::string text) {
        Token t;
        const bool word = text.size() > 1;
        t.kind = word ? TokenKind::identifier : text == "0" ? TokenKind::number : TokenKind::punctuator;
        t.text = files_.keep(std::move(text));
        t.space_before = true;
        t.at = at_;
        out_.push_back(t);
    }

    const Syntax& syntax_;
    std::size_t round_;
    Files& files_;
    Diagnostics& diagnostics_;
    std::vector<Call> calls_;
    std::unordered_map<std::string_view, std::size_t> left_; ///< Remaining calls, by function.
    std::unordered_set<std::string_view> file_names_;
    std::unordered_set<std::string_view> labels_; ///< Of the function that is being inlined.
    std::unordered_set<std::size_t> tails_;       ///< Tokens of tails inlined before.
    std::vector<Token> out_;
    Position at_;
};

} // namespace

std::optional<std::vector<Token>> inline_barriers(const Syntax& syntax, std::size_t round, Files& files,
                                                  Diagnostics& diagnostics) {
    return Inliner(syntax, round, files, diagnostics).run();
}

} // namespace ferry::translate
