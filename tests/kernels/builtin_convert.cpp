// SPDX-License-Identifier: Apache-2.0
#include "builtin_math.hpp"

namespace kernels {
namespace {

using L = long double;

/// The result of a conversion, for values with a result defined by the standard.
void convert(const Call& c, Type to, Rounding rounding, bool saturated) {
    Wanted& w = *c.out[0];
    if (is_float(to)) {
        const L exact = is_float(c.type) ? c.f() : static_cast<L>(c.i());
        w.real(round_to_float(to, exact, rounding), 0);
        return;
    }
    if (!is_float(c.type)) {
        w.integer(saturated ? saturate(to, c.i()) : wrap(to, c.i()));
        return;
    }
    if (std::isnan(c.f())) {
        w.integer(0);
        w.any = true; // the result "should" be 0 with _sat, and drivers differ
        return;
    }
    const L whole = std::isinf(c.f()) ? c.f() : round_to_integer(c.f(), rounding);
    const bool below = whole < static_cast<L>(min_of(to));
    const bool above = whole > static_cast<L>(max_of(to));
    w.any = !saturated && (below || above);
    w.integer(below ? min_of(to) : above ? max_of(to) : static_cast<Wide>(whole));
}

void add_conversions(std::vector<Builtin>& rows, Type from, Type to) {
    const std::pair<const char*, Rounding> modes[] = {
        {"", is_float(to) ? Rounding::nearest_even : Rounding::to_zero},
        {"_rte", Rounding::nearest_even},
        {"_rtz", Rounding::to_zero},
        {"_rtp", Rounding::up},
        {"_rtn", Rounding::down}};
    for (const bool saturated : {false, true}) {
        if (saturated && is_float(to)) {
            continue;
        }
        for (const auto& [suffix, rounding] : modes) {
            const std::string end = (saturated ? "_sat" : "") + std::string(suffix);
            rows.push_back(
                {"convert_" + name_of(to) + end,
                 "convert_" + name_of(to) + "$N" + end + "(A)",
                 "g",
                 std::string(1, static_cast<char>('0' + static_cast<int>(to))),
                 {from},
                 [to, mode = rounding, sat = saturated](const Call& c) { convert(c, to, mode, sat); }});
        }
    }
}

void add_reinterpretation(std::vector<Builtin>& rows, Type from, Type to) {
    rows.push_back({"as_" + name_of(to),
                    "as_" + name_of(to) + "$N(A)",
                    "g",
                    std::string(1, static_cast<char>('0' + static_cast<int>(to))),
                    {from},
                    [to](const Call& c) {
                        std::uint64_t bits = 0;
                        store(c.type, *c.in[0], &bits);
                        c.out[0]->value = load(to, &bits);
                        // the conversion may change the NaN
                        c.out[0]->any = is_float(c.type) && std::isnan(c.f());
                        c.out[0]->sign = true;
                    }});
}

void add_cast(std::vector<Builtin>& rows, Type from, Type to) {
    rows.push_back({"(" + name_of(to) + ")",
                    "(" + name_of(to) + ")A",
                    "g",
                    std::string(1, static_cast<char>('0' + static_cast<int>(to))),
                    {from},
                    [to](const Call& c) {
                        convert(c, to, is_float(to) ? Rounding::nearest_even : Rounding::to_zero, false);
                    },
                    false,
                    {1}});
}

} // namespace

std::vector<Builtin> conversion_builtins(Type from) {
    std::vector<Builtin> rows;
    for (const Type to : all_types) {
        add_conversions(rows, from, to);
        add_cast(rows, from, to);
        if (size_of(from) == size_of(to)) {
            add_reinterpretation(rows, from, to);
        }
    }
    return rows;
}

} // namespace kernels
