// SPDX-License-Identifier: Apache-2.0
#include "builtins.hpp"
#include "parser.hpp"

#include <algorithm>
#include <array>

// The grammar of expressions, C99 6.5.
namespace ferry::opencl_c {
namespace {

struct BinaryOperator {
    std::string_view text;
    Op op;
    int precedence;
};
constexpr std::array<BinaryOperator, 18> binary_operators{{{"||", Op::logical_or, 1},
                                                           {"&&", Op::logical_and, 2},
                                                           {"|", Op::bit_or, 3},
                                                           {"^", Op::bit_xor, 4},
                                                           {"&", Op::bit_and, 5},
                                                           {"==", Op::equal, 6},
                                                           {"!=", Op::not_equal, 6},
                                                           {"<", Op::less, 7},
                                                           {">", Op::greater, 7},
                                                           {"<=", Op::less_equal, 7},
                                                           {">=", Op::greater_equal, 7},
                                                           {"<<", Op::shift_left, 8},
                                                           {">>", Op::shift_right, 8},
                                                           {"+", Op::add, 9},
                                                           {"-", Op::subtract, 9},
                                                           {"*", Op::multiply, 10},
                                                           {"/", Op::divide, 10},
                                                           {"%", Op::remainder, 10}}};

const BinaryOperator* binary_operator(const translate::Token& token) {
    if (token.kind != translate::TokenKind::punctuator) {
        return nullptr;
    }
    const auto at = std::find_if(binary_operators.begin(), binary_operators.end(),
                                 [&](const BinaryOperator& o) { return token.text == o.text; });
    return at == binary_operators.end() ? nullptr : &*at;
}

} // namespace

ExprId Parser::expression() {
    ExprId e = assignment();
    while (is(",")) {
        const std::uint32_t token = advance();
        const ExprId right = value(assignment());
        Expr made;
        made.kind = ExprKind::comma;
        made.token = token;
        made.a = e;
        made.b = right;
        made.type = type_of(right);
        e = add(made);
    }
    return e;
}

ExprId Parser::assignment() {
    const ExprId left = conditional();
    if (peek().kind != translate::TokenKind::punctuator || peek().text.back() != '=') {
        return left;
    }
    const std::string_view text = peek().text;
    if (text == "=") {
        const Nesting nesting(*this);
        const std::uint32_t token = advance();
        return make_assignment(token, left, assignment());
    }
    const auto at =
        std::find_if(binary_operators.begin(), binary_operators.end(), [&](const BinaryOperator& o) {
            return o.text.size() + 1 == text.size() && text.starts_with(o.text);
        });
    const bool compares = text == "==" || text == "<=" || text == ">=" || text == "!=";
    if (at == binary_operators.end() || compares) {
        return left;
    }
    const Nesting nesting(*this);
    const std::uint32_t token = advance();
    return make_compound(at->op, token, left, assignment());
}

ExprId Parser::conditional() {
    const ExprId condition = binary(1);
    if (!is("?")) {
        return condition;
    }
    const Nesting nesting(*this);
    const std::uint32_t token = advance();
    if (is(":")) { // The GNU extension a ?: b.
        advance();
        const ExprId first = value(condition);
        return make_conditional(token, first, first, conditional());
    }
    const ExprId a = expression();
    expect(":", "of '?:'");
    return make_conditional(token, condition, a, conditional());
}

ExprId Parser::binary(int least) {
    ExprId left = unary();
    while (const BinaryOperator* const o = binary_operator(peek())) {
        if (o->precedence < least) {
            break;
        }
        const std::uint32_t token = advance();
        left = make_binary(o->op, token, left, binary(o->precedence + 1));
    }
    return left;
}

ExprId Parser::unary() {
    const translate::Token& t = peek();
    if (t.kind == translate::TokenKind::punctuator) {
        if (t.text == "(") {
            return cast_or_literal();
        }
        if (t.text == "++" || t.text == "--") {
            const Nesting nesting(*this);
            const std::uint32_t token = advance();
            return make_step(tree_.tokens[token].text == "++" ? Op::pre_increment : Op::pre_decrement, token,
                             unary());
        }
        constexpr std::array<std::string_view, 6> prefixes{"-", "+", "!", "~", "*", "&"};
        if (std::find(prefixes.begin(), prefixes.end(), t.text) != prefixes.end()) {
            const Nesting nesting(*this);
            const std::uint32_t token = advance();
            return make_unary(tree_.tokens[token].text, token, unary());
        }
        return postfix(primary());
    }
    if (t.is_identifier()) {
        constexpr std::array<std::string_view, 5> words{"sizeof", "vec_step", "__alignof__", "__alignof",
                                                        "_Alignof"};
        if (std::find(words.begin(), words.end(), t.text) != words.end()) {
            const std::uint32_t token = advance();
            return size_of_expression(token, tree_.tokens[token].text);
        }
        if (t.text == "__extension__") {
            advance();
            return unary();
        }
    }
    return postfix(primary());
}

ExprId Parser::size_of_expression(std::uint32_t token, std::string_view word) {
    const Nesting nesting(*this);
    Type type;
    if (is("(") && starts_type(1)) {
        advance();
        type = type_name();
        expect(")", "after the type");
        if (is("{")) { // sizeof (T){...}
            Type whole = type;
            static_cast<void>(initialiser(whole, false));
            type = whole;
        }
    } else {
        type = type_of(unary());
    }
    if (types_.is_error(type)) {
        return bad(token);
    }
    const bool sized = types_.is_complete(type) || types_.is_void(type);
    if (!sized) {
        error(token, translate::quoted(word) + " cannot be applied to the " +
                         (types_.is(type, TypeKind::function) ? "function type " : "incomplete type ") +
                         name(type));
        return bad(token);
    }
    const Type size = Types::basic(TypeKind::ulong);
    if (word == "vec_step") {
        return integer(types_.lanes(type) == 3 ? 4 : types_.lanes(type), Types::basic(TypeKind::int_), token);
    }
    return integer(word == "sizeof" ? types_.size(type) : types_.align(type), size, token);
}

/// Parses all forms that begin with '(': a cast, a vector literal, a compound literal, a statement
/// expression, or a parenthesised expression.
ExprId Parser::cast_or_literal() {
    const Nesting nesting(*this);
    if (peek(1).is("{")) {
        const std::uint32_t token = advance();
        const ExprId e = statement_expression(token);
        expect(")", "after the statement expression");
        return postfix(e);
    }
    if (!starts_type(1)) {
        return postfix(primary());
    }
    const std::uint32_t token = advance();
    Type type = type_name();
    expect(")", "after the type");
    if (is("{")) {
        Variable variable;
        variable.token = token;
        const bool file = function_ == 0;
        const ExprId initial = initialiser(type, file);
        variable.type = file ? type.in(Space::constant) : type;
        variable.initial = initial;
        variable.function = function_;
        Expr made;
        made.kind = ExprKind::compound_literal;
        made.type = variable.type;
        made.lvalue = true;
        made.token = token;
        made.index = static_cast<std::uint32_t>(tree_.variables.size());
        tree_.variables.push_back(variable);
        return postfix(add(made));
    }
    if (types_.is_vector(type) && is("(") && !starts_type(1) && !peek(1).is("{")) {
        advance();
        std::vector<ExprId> items{assignment()};
        while (accept(",")) {
            items.push_back(assignment());
        }
        expect(")", "after the components");
        return postfix(vector_literal(type, std::move(items), token));
    }
    return cast(unary(), type, token);
}

ExprId Parser::statement_expression(std::uint32_t token) {
    if (function_ == 0) {
        fail(token, "a statement expression is outside of a function");
    }
    const StmtId body = compound(true);
    Expr made;
    made.kind = ExprKind::statements;
    made.token = token;
    made.index = body;
    made.type = Types::basic(TypeKind::void_);
    // As in GNU C, empty statements after the value and labels before it do not matter.
    const auto items = tree_.items(tree_.stmt(body).list);
    const auto is_empty = [&](StmtId id) { return tree_.stmt(id).kind == StmtKind::empty; };
    const auto last = std::find_if_not(items.rbegin(), items.rend(), is_empty);
    StmtId id = last == items.rend() ? 0 : *last;
    while (tree_.stmt(id).kind == StmtKind::label) {
        id = tree_.stmt(id).body;
    }
    if (tree_.stmt(id).kind == StmtKind::expression) {
        const ExprId loaded = value(tree_.stmt(id).expr);
        tree_.stmts[id].expr = loaded;
        made.type = type_of(loaded);
        made.a = types_.is_void(made.type) ? 0 : loaded;
    }
    return add(made);
}

std::vector<ExprId> Parser::arguments() {
    const Nesting nesting(*this);
    std::vector<ExprId> all;
    expect("(", "before the arguments");
    if (!accept(")")) {
        do {
            all.push_back(assignment());
        } while (accept(","));
        expect(")", "after the arguments");
    }
    return all;
}

ExprId Parser::postfix(ExprId e) {
    for (;;) {
        if (is("[")) {
            const Nesting nesting(*this);
            const std::uint32_t token = advance();
            const ExprId index = expression();
            expect("]", "after the index");
            e = make_element(token, e, index);
        } else if (is(".") || is("->")) {
            const std::uint32_t token = advance();
            e = make_member(token, e, tree_.tokens[token].text == "->");
        } else if (is("++") || is("--")) {
            const std::uint32_t token = advance();
            e = make_step(tree_.tokens[token].text == "++" ? Op::post_increment : Op::post_decrement, token,
                          e);
        } else if (is("(")) {
            const std::uint32_t token = at();
            static_cast<void>(arguments());
            if (!is_bad(e)) {
                error(token, "a value of type " + name(type_of(e)) + " cannot be called");
            }
            e = bad(token);
        } else {
            return e;
        }
    }
}

ExprId Parser::primary() {
    const translate::Token& t = peek();
    switch (t.kind) {
    case translate::TokenKind::number:
        return number();
    case translate::TokenKind::character:
        return character();
    case translate::TokenKind::string:
        return string();
    case translate::TokenKind::identifier:
        return identifier();
    default:
        break;
    }
    if (is("(")) {
        const Nesting nesting(*this);
        advance();
        const ExprId e = expression();
        expect(")", "of the expression");
        return e;
    }
    fail_here("expected an expression, but here is " + shown(at()));
}

ExprId Parser::identifier() {
    if (starts_type() && !peek(1).is("(")) {
        fail_here("expected an expression, but here is the type " + shown(at()));
    }
    const std::uint32_t token = advance();
    const std::string_view text = tree_.tokens[token].text;
    const Symbol* const symbol = scopes_.find(text);
    if (symbol != nullptr && symbol->kind == Symbol::Kind::enumerator) {
        return integer(static_cast<std::uint64_t>(symbol->value), symbol->type, token);
    }
    if (symbol != nullptr && symbol->kind == Symbol::Kind::variable) {
        Variable& variable = tree_.variables[symbol->index];
        variable.used = true;
        Expr made;
        made.kind = ExprKind::variable;
        made.type = variable.type;
        made.lvalue = true;
        made.token = token;
        made.index = symbol->index;
        return add(made);
    }
    if (is("(")) {
        return call(token, at());
    }
    if (symbol != nullptr || is_builtin(text)) {
        error(token, "the function " + translate::quoted(text) +
                         " is not called here; the language has no pointers to functions");
        return bad(token);
    }
    return undeclared(token, false);
}

} // namespace ferry::opencl_c
