// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"
#include "translate/printf_format.hpp"

namespace ferry::emit_cpp {

void Emitter::print(const Expr& e) {
    const Expr& format = expr(expr(argument(e, 0)).a);
    bool vectors = false;
    const std::string text = translate::printf_format(tree_.strings[format.index], vectors);
    prints_ = true;
    words_.insert(vectors ? "fy_printf" : "printf");
    put(vectors ? "fy_printf(" : "printf(");
    string(text);
    for (const ExprId a : tree_.items(e.list).subspan(1)) {
        put(", ");
        if (is_half(type_of(a))) {
            half_as_float(a);
        } else if (is_half(types_.scalar(type_of(a)))) {
            words_.insert("fy_floats");
            put("fy_floats(");
            operand(a, Level::assignment);
            put(")");
        } else {
            operand(a, Level::assignment);
        }
    }
    put(")");
}

} // namespace ferry::emit_cpp
