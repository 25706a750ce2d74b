// SPDX-License-Identifier: Apache-2.0
#include "host_form.hpp"

#include "statements.hpp"

#include <algorithm>

namespace ferry::translate {

bool needs_group_body(const Rewriter& rewriter, const FunctionSyntax& kernel) {
    if (kernel.has_barrier) {
        return true;
    }
    const Syntax& syntax = rewriter.syntax();
    for (std::size_t i = kernel.body.begin; i < kernel.body.end; ++i) {
        if (syntax[i].is("__local") && rewriter.declares_local_object(i)) {
            return true;
        }
    }
    return false;
}

bool may_vectorise(const Syntax& syntax, Range range, const MemoryNames& names) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
        const Token& t = syntax[i];
        if (t.is("&") && syntax.is_unary(i)) {
            return false;
        }
        Declaration d;
        const bool begins = i == range.begin || syntax[i - 1].is(";") || syntax[i - 1].is("{") ||
                            syntax[i - 1].is("}") || syntax[i - 1].is("(");
        if (begins && t.is_identifier() && read_declaration(syntax, {i, range.end}, d) &&
            std::any_of(d.declarators.begin(), d.declarators.end(),
                        [](const Declarator& n) { return n.array; })) {
            return false;
        }
    }
    return may_reorder_memory(syntax, range, names);
}

} // namespace ferry::translate
