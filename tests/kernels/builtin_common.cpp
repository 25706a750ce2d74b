// SPDX-License-Identifier: Apache-2.0
#include "builtin_math.hpp"

#include <numbers>

namespace kernels {
namespace {

using L = long double;

bool all_numbers(const Call& c) {
    for (const Value* argument : c.in) {
        if (argument != nullptr && !std::isfinite(argument->f)) {
            return false;
        }
    }
    return true;
}

void mixed(const Call& c) {
    const L step = c.f(1) - c.f();
    const L product = step * c.f(2);
    const L size = std::max({std::fabs(c.f()), std::fabs(step), std::fabs(product), std::fabs(c.f(1))});
    c.out[0]->real(c.f() + product, 0);
    c.out[0]->any = !all_numbers(c) || c.f(2) < 0 || c.f(2) > 1 || size > largest(c.type) / 4;
    c.out[0]->absolute = 4 * ulp_at(c.type, size);
}

void smooth(const Call& c) {
    const L low = c.f();
    const L range = c.f(1) - low;
    const L t = std::clamp((c.f(2) - low) / range, 0.0L, 1.0L);
    c.out[0]->real(t * t * (3 - 2 * t), 16);
    c.out[0]->any = !all_numbers(c) || !(range > least_normal(c.type)) || range > largest(c.type) / 4 ||
                    std::fabs(c.f(2) - low) > largest(c.type) / 4;
    c.out[0]->absolute = 4 * least_normal(c.type);
}

void clamped(const Call& c) {
    c.out[0]->any = !(c.f(1) <= c.f(2)) || std::isnan(c.f());
    c.out[0]->real(std::fmin(std::fmax(c.f(), c.f(1)), c.f(2)), 0);
}

Builtin row(const char* name, const char* expression, const char* arguments, Reference reference) {
    return {name, expression, arguments, "g", float_types(), std::move(reference)};
}

} // namespace

std::vector<Builtin> common_builtins() {
    const Reference greater = [](const Call& c) {
        c.out[0]->any = std::isnan(c.f()) || std::isnan(c.f(1));
        c.out[0]->real(c.f() < c.f(1) ? c.f(1) : c.f(), 0);
    };
    const Reference less = [](const Call& c) {
        c.out[0]->any = std::isnan(c.f()) || std::isnan(c.f(1));
        c.out[0]->real(c.f(1) < c.f() ? c.f(1) : c.f(), 0);
    };
    const Reference stepped = [](const Call& c) {
        c.out[0]->any = std::isnan(c.f()) || std::isnan(c.f(1));
        c.out[0]->real(c.f(1) < c.f() ? 0 : 1, 0);
    };
    // The implementation may overflow if it multiplies a large number by the factor before the division.
    const auto scaled = [](L factor) {
        return [factor](const Call& c) { c.out[0]->real(c.f() * factor, 2); };
    };
    const Reference stepped_by_scalar = stepped;
    return {
        row("clamp", "clamp(A, B, C)", "ggg", clamped),
        row("clamp(scalar)", "clamp(A, B, C)", "gss", clamped),
        row("degrees", "degrees(A)", "g", scaled(180 / std::numbers::pi_v<L>)),
        row("radians", "radians(A)", "g", scaled(std::numbers::pi_v<L> / 180)),
        row("max", "max(A, B)", "gg", greater),
        row("max(scalar)", "max(A, B)", "gs", greater),
        row("min", "min(A, B)", "gg", less),
        row("min(scalar)", "min(A, B)", "gs", less),
        row("mix", "mix(A, B, fmin(fabs(C), ($T)1))", "ggg",
            [](const Call& c) {
                const Value weight = real(std::fmin(std::fabs(c.f(2)), 1.0L));
                Call inner = c;
                inner.in[2] = &weight;
                mixed(inner);
            }),
        row("mix(scalar)", "mix(A, B, fmin(fabs(C), ($S)1))", "ggs",
            [](const Call& c) {
                const Value weight = real(std::fmin(std::fabs(c.f(2)), 1.0L));
                Call inner = c;
                inner.in[2] = &weight;
                mixed(inner);
            }),
        row("step", "step(A, B)", "gg", stepped),
        row("step(scalar)", "step(A, B)", "sg", stepped_by_scalar),
        row("smoothstep", "smoothstep(A, B, C)", "ggg", smooth),
        row("smoothstep(scalar)", "smoothstep(A, B, C)", "ssg", smooth),
        row("sign", "sign(A)", "g",
            [](const Call& c) {
                const L x = c.f();
                c.out[0]->real(std::isnan(x) ? 0 : x > 0 ? 1 : x < 0 ? -1 : x, 0);
                c.out[0]->sign = true;
            }),
    };
}

} // namespace kernels
