// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"

#include <algorithm>

namespace ferry::opencl_c {
namespace {

unsigned hex_digit(char c) {
    return c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
           : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a') + 10
           : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A') + 10
                                  : 99;
}

/// The components named by a swizzle of a vector with this many lanes. No value if the word is not a swizzle.
std::optional<Swizzle> swizzle_from(std::string_view word, unsigned lanes) {
    Swizzle s;
    const unsigned even = lanes == 3 ? 4 : lanes; // The .hi of three components has an undefined fourth one.
    if (word == "lo" || word == "hi" || word == "even" || word == "odd") {
        const unsigned first = word == "hi" ? even / 2 : word == "odd" ? 1 : 0;
        const unsigned step = word == "lo" || word == "hi" ? 1 : 2;
        for (unsigned i = 0; i < even / 2; ++i) {
            s.components[s.count++] = static_cast<std::uint8_t>(first + step * i);
        }
        return s;
    }
    const bool numbered = word.size() > 1 && (word[0] == 's' || word[0] == 'S');
    if (numbered) {
        word.remove_prefix(1);
    }
    if (word.empty() || word.size() > 16) {
        return std::nullopt;
    }
    constexpr std::string_view points = "xyzw";
    constexpr std::string_view colours = "rgba";
    const std::string_view letters = points.find(word[0]) != std::string_view::npos ? points : colours;
    for (const char c : word) {
        const std::size_t letter = letters.find(c);
        const unsigned component = numbered                           ? hex_digit(c)
                                   : letter == std::string_view::npos ? 99
                                                                      : static_cast<unsigned>(letter);
        if (component >= lanes) {
            return std::nullopt;
        }
        s.components[s.count++] = static_cast<std::uint8_t>(component);
    }
    const bool is_width =
        s.count == 1 || s.count == 2 || s.count == 3 || s.count == 4 || s.count == 8 || s.count == 16;
    return is_width ? std::optional(s) : std::nullopt;
}

} // namespace

ExprId Parser::make_element(std::uint32_t token, ExprId a, ExprId b) {
    const bool vector = types_.is_vector(type_of(a));
    const bool lvalue = expr(a).lvalue;
    ExprId base = vector ? a : value(a);
    b = value(b);
    if (is_bad(base) || is_bad(b)) {
        return bad(token);
    }
    if (types_.is_pointer(type_of(b)) && types_.is_integer(type_of(base))) {
        std::swap(base, b);
    }
    const Type type = type_of(base);
    if (!types_.is_pointer(type) && !vector) {
        error(token, "a value of type " + name(type) +
                         " has no elements: '[]' needs a pointer, an array or a vector");
        return bad(token);
    }
    if (!types_.is_integer(type_of(b))) {
        error(token_of(b), "an index must be an integer, but it has type " + name(type_of(b)));
        return bad(token);
    }
    const Type element = types_.element(type);
    if (!types_.is_complete(element)) {
        error(token, "an element of the incomplete type " + name(element) + " cannot be reached");
        return bad(token);
    }
    if (vector) {
        const auto index = evaluate(b);
        if (index && (*index < 0 || *index >= static_cast<std::int64_t>(types_.lanes(type)))) {
            error(token_of(b), "a " + name(type.plain()) + " has no component " + std::to_string(*index));
            return bad(token);
        }
    }
    Expr made;
    made.kind = ExprKind::element;
    made.type = element;
    made.lvalue = vector ? lvalue : true;
    made.token = token;
    made.a = base;
    made.b = promote(b);
    return add(made);
}

ExprId Parser::member_of(ExprId a, const MemberPath& path, std::uint32_t token) {
    for (const std::uint32_t place : path) {
        const Type record = type_of(a);
        Expr made;
        made.kind = ExprKind::member;
        made.type = types_.record(record).members[place].type.with_qualifiers_of(record).in(record.space());
        made.lvalue = expr(a).lvalue;
        made.token = token;
        made.a = a;
        made.index = place;
        a = add(made);
    }
    return a;
}

ExprId Parser::make_swizzle(std::uint32_t token, ExprId a, std::uint32_t word) {
    const Type type = type_of(a);
    const std::string_view text = tree_.tokens[word].text;
    auto swizzle = swizzle_from(text, types_.lanes(type));
    if (!swizzle) {
        error(word, translate::quoted(text) + " names no components of a " + name(type.plain()));
        return bad(token);
    }
    Expr made;
    if (expr(a).kind == ExprKind::swizzle) { // A swizzle of a swizzle.
        const Swizzle inner = tree_.swizzles[expr(a).index];
        for (unsigned i = 0; i < swizzle->count; ++i) {
            const unsigned c = swizzle->components[i];
            swizzle->components[i] = c < inner.count ? inner.components[c] : 0;
        }
        made.a = expr(a).a;
    } else {
        made.a = a;
    }
    made.kind = ExprKind::swizzle;
    made.type = types_.vector(types_.scalar(type), swizzle->count).with_qualifiers_of(type).in(type.space());
    made.lvalue = expr(a).lvalue;
    made.token = word;
    made.index = static_cast<std::uint32_t>(tree_.swizzles.size());
    tree_.swizzles.push_back(*swizzle);
    return add(made);
}

ExprId Parser::make_member(std::uint32_t token, ExprId a, bool arrow) {
    if (!is_word()) {
        fail_here("expected a member's name after '" + std::string(arrow ? "->" : ".") + "', but here is " +
                  shown(at()));
    }
    const std::uint32_t word = advance();
    const std::string_view text = tree_.tokens[word].text;
    if (is_bad(a)) {
        return a;
    }
    if (arrow) {
        const ExprId pointer = value(a);
        const Type type = type_of(pointer);
        if (!types_.is_pointer(type)) {
            error(token, "'->' needs a pointer, but its operand has type " + name(type) +
                             (types_.is_record(type) ? "; use '.'" : ""));
            return bad(token);
        }
        a = make_dereference(token, pointer);
        if (is_bad(a)) {
            return a;
        }
    } else if (types_.is_array(type_of(a)) || types_.is_pointer(type_of(a))) {
        const bool of_record = types_.is_record(types_.element(type_of(a)));
        error(token, "'.' needs a struct, a union or a vector, but its operand has type " + name(type_of(a)) +
                         (of_record ? "; use '->'" : ""));
        return bad(token);
    }
    const Type type = type_of(a);
    if (types_.is_vector(type)) {
        return make_swizzle(token, a, word);
    }
    if (!types_.is_record(type)) {
        error(token, "a value of type " + name(type.plain()) + " has no members");
        return bad(token);
    }
    if (!types_.record(type).complete) {
        error(token, "the type " + name(type.plain()) + " is incomplete, so it has no members here");
        return bad(token);
    }
    const auto path = types_.find_member(type, text);
    if (!path) {
        error(word, name(type.plain()) + " has no member " + translate::quoted(text));
        return bad(token);
    }
    return member_of(a, *path, word);
}

} // namespace ferry::opencl_c
