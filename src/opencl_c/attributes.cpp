// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"
#include "translate/annotations.hpp"

#include <algorithm>
#include <array>

namespace ferry::opencl_c {
namespace {

std::string_view stripped(std::string_view word) {
    if (word.size() > 4 && word.starts_with("__") && word.ends_with("__")) {
        word.remove_prefix(2);
        word.remove_suffix(2);
    }
    return word;
}

} // namespace

std::uint64_t Parser::attribute_number(std::uint64_t most) {
    bool is_signed = false;
    const std::uint32_t token = at();
    const std::uint64_t number = constant_expression("the argument of an attribute", is_signed);
    if (number == 0 || number > most) {
        error(token,
              "the argument of the attribute must be 1 to " + std::to_string(most) + ", but it is " +
                  (is_signed ? std::to_string(static_cast<std::int64_t>(number)) : std::to_string(number)));
        return 1;
    }
    return number;
}

void Parser::attributes(Attributes& into) {
    while (is("__attribute__") || is("__attribute")) {
        advance();
        expect("(", "after '__attribute__'");
        expect("(", "after '__attribute__('");
        while (!is(")")) {
            if (accept(",")) {
                continue;
            }
            attribute(into);
        }
        expect(")", "after the attributes");
        expect(")", "after the attributes");
    }
}

void Parser::attribute(Attributes& into) {
    if (!is_word()) {
        fail_here("expected an attribute, but here is " + shown(at()));
    }
    const std::uint32_t token = advance();
    const std::string_view word = stripped(tree_.tokens[token].text);
    if (word == "reqd_work_group_size" || word == "work_group_size_hint" || word == "vec_type_hint") {
        into.of_kernel = token;
    }
    const auto in_parentheses = [&](auto&& inside) {
        expect("(", "before the argument of the attribute");
        inside();
        expect(")", "after the argument of the attribute");
    };
    if (word == "aligned") {
        into.aligned = 16;
        if (is("(")) {
            in_parentheses([&] { into.aligned = attribute_number(1U << 16); });
        }
        if ((into.aligned & (into.aligned - 1)) != 0) {
            error(token, "an alignment must be a power of two, but it is " + std::to_string(into.aligned));
            into.aligned = 0;
        }
    } else if (word == "packed") {
        into.packed = true;
    } else if (word == "overloadable") {
        into.overloadable = true;
    } else if (word == "reqd_work_group_size") {
        in_parentheses([&] {
            for (std::size_t i = 0; i < 3; ++i) {
                if (i > 0) {
                    expect(",", "between the sizes");
                }
                into.required_local[i] = static_cast<std::uint32_t>(attribute_number(0xffffffff));
            }
        });
    } else if (word == "ext_vector_type") {
        in_parentheses([&] { into.vector_lanes = static_cast<unsigned>(attribute_number(16)); });
    } else if (word == "opencl_unroll_hint") {
        into.unroll = 0;
        if (is("(")) {
            in_parentheses([&] { into.unroll = static_cast<std::uint32_t>(attribute_number(1U << 20)); });
        }
    } else {
        if (std::string refusal = translate::refusal_of_attribute(tree_.tokens[token].text);
            !refusal.empty()) {
            fail(token, std::move(refusal));
        }
        skip_arguments();
        if (translate::find_attribute(word)->treatment == translate::Treatment::harmless) {
            for (std::uint32_t i = token; i < at(); ++i) {
                tree_.tokens[i].no_effect = true;
            }
        }
    }
}

/// For what is not a kernel.
void Parser::refuse_kernel_attributes(const Attributes& attributes) {
    if (attributes.of_kernel) {
        error(*attributes.of_kernel,
              "the attribute " + shown(*attributes.of_kernel) + " can only be applied to a kernel");
    }
}

/// Skips the arguments of an attribute that has no effect.
void Parser::skip_arguments() {
    if (!is("(")) {
        return;
    }
    std::size_t open = 0;
    do {
        open += is("(") ? 1 : 0;
        open -= is(")") ? 1 : 0;
        advance();
    } while (open > 0 && peek().kind != translate::TokenKind::end);
}

Type Parser::with_attributes(Type type, const Attributes& attributes, std::uint32_t token) {
    if (attributes.vector_lanes == 0 || types_.is_error(type)) {
        return type;
    }
    if (!types_.is_arithmetic(type) || types_.is(type, TypeKind::bool_)) {
        error(token, "a vector cannot have elements of type " + name(type));
        return type;
    }
    const unsigned lanes = attributes.vector_lanes;
    constexpr std::array<unsigned, 5> widths{2, 3, 4, 8, 16};
    if (std::find(widths.begin(), widths.end(), lanes) == widths.end()) {
        error(token, "a vector has 2, 3, 4, 8 or 16 elements, but this one has " + std::to_string(lanes));
        return type;
    }
    return types_.vector(type, lanes).with_qualifiers_of(type).in(type.space());
}

} // namespace ferry::opencl_c
