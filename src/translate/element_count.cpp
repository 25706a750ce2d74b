// SPDX-License-Identifier: Apache-2.0
#include "element_count.hpp"

#include "constant_value.hpp"

#include <algorithm>

namespace ferry::translate {

std::optional<std::size_t> count_elements(const Syntax& syntax, const Declaration& d,
                                          const Declarator& declarator) {
    const Range value = declarator.initialiser;
    const bool list = !value.empty() && syntax[value.begin].is("{");
    const std::size_t close = list ? syntax.partner(value.begin) : value.begin;
    bool aggregate = declarator.dimensions > 1;
    for (std::size_t i = d.specifiers.begin; i < d.specifiers.end; ++i) {
        aggregate = aggregate || syntax.is_composite(syntax[i].text);
    }
    std::size_t place = 0;
    std::size_t count = 0;
    bool clear = list;
    for (std::size_t i = value.begin + 1; i < close; ++i) { // an element
        if (syntax[i].is("[")) {
            const std::size_t behind = syntax.partner(i);
            Diagnostics unheard;
            const auto wanted =
                constant_value(syntax, {i + 1, behind}, syntax[i].at, "a designator", unheard);
            clear = clear && wanted && *wanted >= 0 && syntax[behind + 1].is("=");
            place = static_cast<std::size_t>(wanted.value_or(0));
            i = clear ? behind + 2 : i;
        }
        const Token& first = syntax[i];
        const bool object =
            declarator.dimensions == 1 && (first.is_identifier() || first.is("(") || first.is("*"));
        clear = clear && !first.is("[") && first.kind != TokenKind::string &&
                (!aggregate || first.is("{") || object);
        count = std::max(count, ++place);
        for (; i < close && !syntax[i].is(","); ++i) {
            const bool bracket = syntax[i].is("(") || syntax[i].is("[") || syntax[i].is("{");
            i = bracket ? syntax.partner(i) : i;
        }
    }
    return clear ? std::optional(count) : std::nullopt;
}

} // namespace ferry::translate
