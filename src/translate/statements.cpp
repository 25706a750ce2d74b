// SPDX-License-Identifier: Apache-2.0
#include "statements.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace ferry::translate {
namespace {

class Reader {
public:
    Reader(const Syntax& syntax, Diagnostics& diagnostics) : syntax_(syntax), diagnostics_(diagnostics) {}

    Statements read(Range body) {
        std::size_t i = body.begin;
        while (i < body.end && !failed_) {
            result_.list.push_back(statement(i, body.end));
        }
        return std::move(result_);
    }

private:
    using Kind = Statement::Kind;

    const Token& at(std::size_t i) const { return syntax_[i]; }

    // Moves `i` to after the statement.
    Statement statement(std::size_t& i, std::size_t end) {
        const std::size_t begin = i;
        if (++depth_ > 200) {
            fail(i, "statements are nested deeper than 200 levels");
            i = end;
        }
        Statement s = read_one(i, end);
        --depth_;
        s.all = {begin, i};
        if (!holds_barrier(s)) {
            s.children.clear();
            s.kind = Kind::simple;
        }
        return s;
    }

    Statement read_one(std::size_t& i, std::size_t end) {
        Statement s;
        if (at(i).kind == TokenKind::pragma && !skip_loop_pragmas(i, end)) {
            ++i;
            return s;
        }
        const Token& t = at(i);
        if (t.is("{")) {
            const std::size_t close = syntax_.partner(i);
            s.kind = Kind::block;
            for (++i; i < close && !failed_;) {
                s.children.push_back(statement(i, close));
            }
            i = close + 1;
        } else if (t.is("if") || t.is("while") || t.is("for") || t.is("switch")) {
            headed(s, i, end);
        } else if (t.is("do")) {
            s.kind = Kind::do_loop;
            s.loop = ++loops_;
            nest_.push_back({s.loop, true});
            s.children.push_back(statement(++i, end));
            nest_.pop_back();
            if (!at(i).is("while") || !at(i + 1).is("(")) {
                fail(i, "'while' is missing after 'do'");
            } else {
                s.condition = {i + 2, syntax_.partner(i + 1)};
                i = s.condition.end + 1;
            }
            skip_to_semicolon(i, end);
        } else if (t.is("case") || t.is("default") || (t.is_identifier() && at(i + 1).is(":"))) {
            labelled(i, end);
        } else {
            if (t.is("break") || t.is("continue")) {
                jump(i);
            } else if (t.is("return")) {
                result_.returns.push_back(i);
            }
            const bool barrier = t.is_identifier() && is_barrier(t.text) && at(i + 1).is("(");
            const std::size_t begin = i;
            skip_to_semicolon(i, end);
            if (barrier && at(syntax_.partner(begin + 1) + 1).is(";")) {
                s.kind = Kind::barrier;
            } else {
                refuse_barriers({begin, i}, "a barrier that is not a statement of its own");
            }
        }
        return s;
    }

    // Pragmas for a loop stay with it. Others are separate statements.
    bool skip_loop_pragmas(std::size_t& i, std::size_t end) const {
        std::size_t next = i;
        while (next < end && at(next).kind == TokenKind::pragma) {
            ++next;
        }
        const bool loop = next < end && (at(next).is("for") || at(next).is("while") || at(next).is("do"));
        i = loop ? next : i;
        return loop;
    }

    void headed(Statement& s, std::size_t& i, std::size_t end) {
        const Token& t = at(i);
        if (!at(i + 1).is("(")) {
            fail(i, "'(' is missing after '" + std::string(t.text) + "'");
            i = end;
            return;
        }
        const std::size_t open = i + 1;
        const std::size_t close = syntax_.partner(open);
        i = close + 1;
        s.condition = {open + 1, close};
        refuse_barriers({open + 1, close}, "a barrier that is not a statement of its own");
        if (t.is("if")) {
            s.kind = Kind::branch;
            s.children.push_back(statement(i, end));
            if (i < end && at(i).is("else")) {
                s.children.push_back(statement(++i, end));
            }
            return;
        }
        if (t.is("for")) {
            s.kind = Kind::for_loop;
            std::size_t first = open + 1;
            skip_to_semicolon(first, close);
            std::size_t second = first;
            skip_to_semicolon(second, close);
            s.init = {open + 1, first};
            s.condition = {first, second > first ? second - 1 : first};
            s.step = {second, close};
        } else {
            s.kind = t.is("while") ? Kind::while_loop : Kind::simple;
        }
        s.loop = ++loops_;
        const bool loop = !t.is("switch");
        nest_.push_back({s.loop, loop});
        const std::size_t body = i;
        s.children.push_back(statement(i, end));
        nest_.pop_back();
        if (!loop) {
            refuse_barriers({body, i}, "a barrier in a switch");
        }
    }

    void labelled(std::size_t& i, std::size_t end) {
        const bool is_case = at(i).is("case");
        while (i < end && !at(i).is(":")) {
            i = at(i).is("(") ? syntax_.partner(i) + 1 : i + 1;
        }
        static_cast<void>(is_case);
        ++i;
        if (i < end) {
            const std::size_t begin = i;
            static_cast<void>(statement(i, end));
            refuse_barriers({begin, i}, "a barrier behind a label");
        }
    }

    void jump(std::size_t i) {
        const bool is_continue = at(i).is("continue");
        for (auto n = nest_.rbegin(); n != nest_.rend(); ++n) {
            if (n->is_loop || !is_continue) {
                result_.jumps.push_back({i, n->number, is_continue});
                return;
            }
        }
        fail(i, "'" + std::string(at(i).text) + "' stands in no loop");
    }

    void skip_to_semicolon(std::size_t& i, std::size_t end) const {
        while (i < end && !at(i).is(";")) {
            const bool open = at(i).is("(") || at(i).is("[") || at(i).is("{");
            i = open ? syntax_.partner(i) + 1 : i + 1;
        }
        i = std::min(i + 1, end);
    }

    static bool holds_barrier(const Statement& s) {
        return s.kind == Kind::barrier ||
               std::any_of(s.children.begin(), s.children.end(),
                           [](const Statement& c) { return c.kind != Kind::simple; });
    }

    void refuse_barriers(Range range, const char* why) {
        for (std::size_t i = range.begin; i < range.end; ++i) {
            if (at(i).is_identifier() && at(i + 1).is("(")) {
                const FunctionSyntax* const f = syntax_.function(at(i).text);
                if (is_barrier(at(i).text) || (f != nullptr && f->has_barrier)) {
                    fail(i, f != nullptr
                                ? "the host backend cannot split the function '" + std::string(at(i).text) +
                                      "' at its barrier; write the barrier in the kernel itself"
                                : std::string(why) + " cannot be where the host backend splits a kernel");
                    return;
                }
            }
        }
    }

    void fail(std::size_t i, const std::string& why) {
        if (!failed_) {
            diagnostics_.error(at(i).at, why);
        }
        failed_ = true;
    }

    struct Nest {
        std::size_t number;
        bool is_loop;
    };

    const Syntax& syntax_;
    Diagnostics& diagnostics_;
    Statements result_;
    std::vector<Nest> nest_;
    std::size_t loops_ = 0;
    std::size_t depth_ = 0;
    bool failed_ = false;
};

} // namespace

Statements read_statements(const Syntax& syntax, Range body, Diagnostics& diagnostics) {
    return Reader(syntax, diagnostics).read(body);
}

namespace {

std::size_t behind_statement(const Syntax& syntax, std::size_t i, std::size_t end, int depth) {
    if (depth > 200 || i >= end) {
        return end;
    }
    if (syntax[i].is("{")) {
        return syntax.partner(i) + 1;
    }
    const bool has_head =
        syntax[i].is("for") || syntax[i].is("while") || syntax[i].is("if") || syntax[i].is("switch");
    if (has_head && syntax[i + 1].is("(")) {
        const std::size_t behind = behind_statement(syntax, syntax.partner(i + 1) + 1, end, depth + 1);
        const bool other = syntax[i].is("if") && behind < end && syntax[behind].is("else");
        return other ? behind_statement(syntax, behind + 1, end, depth + 1) : behind;
    }
    i = syntax[i].is("do") ? behind_statement(syntax, i + 1, end, depth + 1) : i;
    while (i < end && !syntax[i].is(";")) {
        const bool bracket = syntax[i].is("(") || syntax[i].is("[") || syntax[i].is("{");
        i = bracket ? syntax.partner(i) + 1 : i + 1;
    }
    return std::min(i + 1, end);
}

} // namespace

std::size_t behind_statement(const Syntax& syntax, Range range) {
    return behind_statement(syntax, range.begin, range.end, 0);
}

void refuse_far_jumps(const Syntax& syntax, Range region, Diagnostics& diagnostics) {
    for (std::size_t i = region.begin; i + 1 < region.end; ++i) {
        if (!syntax[i].is("goto")) {
            continue;
        }
        const std::string_view label = syntax[i + 1].text;
        bool here = false;
        for (std::size_t n = region.begin; n + 1 < region.end && !here; ++n) {
            here = syntax[n].text == label && syntax[n + 1].is(":") && !syntax[n - 1].is("?");
        }
        if (!here) {
            diagnostics.error(syntax[i].at,
                              "a goto that leads past a barrier cannot be where the host backend "
                              "splits a kernel");
        }
    }
}

namespace {

std::size_t dimensions_of(const Syntax& syntax, Range specifiers, std::size_t name) {
    std::size_t count = 0;
    for (std::size_t i = specifiers.begin; i < specifiers.end; ++i) {
        count += syntax.typedef_dimensions(syntax[i].text);
    }
    for (std::size_t i = name + 1; syntax[i].is("["); i = syntax.partner(i) + 1) {
        ++count;
    }
    return count;
}

} // namespace

bool read_declaration(const Syntax& syntax, Range statement, Declaration& declaration) {
    std::size_t i = statement.begin;
    bool typed = false;
    for (; i < statement.end; ++i) {
        const Token& t = syntax[i];
        if (t.is("typedef")) {
            declaration.is_typedef = true;
        } else if (t.is("struct") || t.is("union") || t.is("enum")) {
            typed = true;
            while (syntax[i + 1].is("__attribute__") && syntax[i + 2].is("(")) {
                i = syntax.partner(i + 2);
            }
            if (syntax[i + 1].is_identifier()) {
                ++i;
            }
            if (syntax[i + 1].is("{")) {
                i = syntax.partner(i + 1);
            }
        } else if (t.is("__attribute__") && syntax[i + 1].is("(")) {
            i = syntax.partner(i + 1);
        } else if (t.is_identifier() && is_qualifier(t.text)) {
            continue;
        } else if (t.is_identifier() && syntax.is_type(t.text) && (!typed || is_scalar_type(t.text))) {
            typed = true;
        } else {
            break;
        }
    }
    if (!typed || i >= statement.end) {
        return declaration.is_typedef;
    }
    declaration.specifiers = {statement.begin, i};
    const bool name_alone = syntax[i + 1].is_identifier() && !syntax.is_type(syntax[i + 1].text) &&
                            (syntax[i + 2].is(")") || syntax[i + 2].is("["));
    if (syntax[i].is("(") && !syntax[i + 1].is("*") && !name_alone) {
        return false; // float4(...), an expression.
    }
    declaration.is_typedef = declaration.is_typedef || syntax[i].is(";");
    while (i < statement.end && !syntax[i].is(";")) {
        Declarator d;
        d.all.begin = i;
        d.name = statement.end;
        bool value = false;
        for (; i < statement.end && !syntax[i].is(",") && !syntax[i].is(";"); ++i) {
            const Token& t = syntax[i];
            if (t.is("__attribute__") && syntax[i + 1].is("(")) {
                i = syntax.partner(i + 1);
            } else if (t.is("=") && !value) {
                value = true;
                d.initialiser.begin = i + 1;
            } else if (t.is("(") || t.is("[") || t.is("{")) {
                if (!value) {
                    d.array = d.array || t.is("[");
                    d.pointer = d.pointer || t.is("(");
                    for (std::size_t n = i + 1; t.is("(") && n < syntax.partner(i); ++n) {
                        d.name = syntax[n].is_identifier() && !is_qualifier(syntax[n].text) ? n : d.name;
                    }
                }
                i = syntax.partner(i);
            } else if (!value && t.is("*")) {
                d.pointer = true;
            } else if (!value && t.is_identifier()) {
                d.name = is_qualifier(t.text) ? d.name : i;
            } else if (!value) {
                return false; // Of a variable with the name of a type.
            }
        }
        d.all.end = i;
        d.initialiser.end = value ? i : d.initialiser.begin;
        if (d.name == statement.end) {
            return false;
        }
        d.dimensions = dimensions_of(syntax, declaration.specifiers, d.name);
        declaration.declarators.push_back(d);
        i += syntax[i].is(",") ? 1 : 0;
    }
    return true;
}

} // namespace ferry::translate
