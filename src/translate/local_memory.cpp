// SPDX-License-Identifier: Apache-2.0
#include "local_memory.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace ferry::translate {
namespace {

using Names = std::unordered_set<std::string_view>;

} // namespace

Names local_names(const Syntax& syntax, const FunctionSyntax& function, std::size_t end) {
    Names names;
    for (const ParameterSyntax& p : function.parameters) {
        if (p.space == Space::local && p.name < p.all.end) {
            names.insert(syntax[p.name].text);
        }
    }
    for (std::size_t i = function.body.begin; i < end; ++i) {
        const bool cast = i > 0 && syntax[i - 1].is("(");
        if (!syntax[i].is("__local") || cast) {
            continue;
        }
        for (; i < end && !syntax[i].is(";"); ++i) {
            const bool ends = syntax[i + 1].is("[") || syntax[i + 1].is(",") || syntax[i + 1].is(";") ||
                              syntax[i + 1].is("=");
            if (syntax[i].is_identifier() && ends) {
                names.insert(syntax[i].text);
            }
        }
    }
    return names;
}

bool is_in_local_memory(const Syntax& syntax, Range expression) {
    const auto& functions = syntax.functions();
    const auto function = std::find_if(functions.begin(), functions.end(), [&](const FunctionSyntax& f) {
        return f.defined && f.body.begin <= expression.begin && expression.end <= f.body.end;
    });
    const Names names =
        function != functions.end() ? local_names(syntax, *function, expression.begin) : Names();
    for (std::size_t i = expression.begin; i < expression.end; ++i) {
        if (syntax[i].is("__local")) {
            return true;
        }
        const bool variable = syntax[i].is_identifier() && !syntax.is_type(syntax[i].text) &&
                              !is_qualifier(syntax[i].text) && !syntax[i + 1].is("(");
        if (syntax[i].is("__global") || syntax[i].is("__constant") || variable) {
            return names.count(syntax[i].text) != 0;
        }
    }
    return false;
}

} // namespace ferry::translate
