// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

// printf("%v4f", v): the printf of C++ has no vectors. A conversion of a vector becomes one for each
// component, with commas between them, and the prelude's fy_printf passes the components.
namespace ferry::emit_cpp {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// The replacement of one conversion. `at` moves from after the % to after the conversion.
std::string conversion_of(std::string_view format, std::size_t& at, bool& vectors) {
    constexpr std::string_view flags = "-+ #0.";
    std::string front = "%";
    while (at < format.size() && (flags.find(format[at]) != std::string_view::npos || is_digit(format[at]))) {
        front += format[at++];
    }
    if (at >= format.size() || format[at] != 'v') {
        return front;
    }
    ++at;
    unsigned width = 0;
    while (at < format.size() && is_digit(format[at]) && width < 100) {
        width = width * 10 + static_cast<unsigned>(format[at++] - '0');
    }
    std::string length;
    while (at < format.size() && (format[at] == 'h' || format[at] == 'l')) {
        length += format[at++];
    }
    const char letter = at < format.size() ? format[at++] : ' ';
    const std::string one = front + (length == "hl" ? "" : length) + letter;
    std::string all = one;
    for (unsigned i = 1; i < width; ++i) {
        all += "," + one;
    }
    vectors = true;
    return all;
}

std::string format_of(std::string_view text, bool& vectors) {
    std::string made;
    for (std::size_t c = 0; c < text.size();) {
        if (text[c] != '%') {
            made += text[c++];
        } else if (c + 1 < text.size() && text[c + 1] == '%') {
            made += "%%";
            c += 2;
        } else {
            made += conversion_of(text, ++c, vectors);
        }
    }
    return made;
}

} // namespace

void Emitter::print(const Expr& e) {
    const Expr& format = expr(expr(argument(e, 0)).a);
    bool vectors = false;
    const std::string text = format_of(tree_.strings[format.index], vectors);
    words_.insert(vectors ? "fy_printf" : "printf");
    put(vectors ? "fy_printf(" : "printf(");
    string(text);
    for (const ExprId a : tree_.items(e.list).subspan(1)) {
        put(", ");
        if (is_half(type_of(a))) {
            half_as_float(a);
        } else {
            operand(a, Level::assignment);
        }
    }
    put(")");
}

} // namespace ferry::emit_cpp
