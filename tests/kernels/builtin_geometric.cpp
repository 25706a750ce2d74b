// SPDX-License-Identifier: Apache-2.0
// Version 1.2 of the standard sets no limits for these. The limits here are the errors of naive evaluation in
// the type: a product and an addition for each component, and the square root. The fast_ functions have 8192
// units, like the standard's half_ functions.
#include "builtin_math.hpp"

namespace kernels {
namespace {

using L = long double;

/// The sum of the products of the components of two vectors, and the sum of their magnitudes.
struct Sums {
    L sum = 0;
    L size = 0;
};
Sums products(const Call& c, bool squares_of_difference, bool squares) {
    Sums s;
    for (unsigned k = 0; k < c.width; ++k) {
        const L a = squares_of_difference ? c.in[0][k].f - c.in[1][k].f : c.in[0][k].f;
        const L b = squares_of_difference || squares ? a : c.in[1][k].f;
        s.sum += a * b;
        s.size += std::fabs(a * b);
    }
    return s;
}

/// Whether squares neither overflow nor lose digits below the normal numbers. For functions that may square
/// naively.
bool everyday(const Call& c, L size, bool naive) {
    for (unsigned a = 0; a < 2 && c.in[a] != nullptr; ++a) {
        for (unsigned k = 0; k < c.width; ++k) {
            if (!std::isfinite(c.in[a][k].f)) {
                return false;
            }
        }
    }
    return !naive || (size < largest(c.type) / 16 && size > least_normal(c.type) * 0x1p30L);
}

void dot_product(const Call& c) {
    const Sums s = products(c, false, false);
    c.out[0]->real(s.sum, 0);
    c.out[0]->any = !everyday(c, 1, false) || s.size > largest(c.type) / 16;
    c.out[0]->absolute = (2.0L * c.width) * std::max(ulp_at(c.type, s.size), ulp_at(c.type, 0));
}

void cross_product(const Call& c) {
    for (unsigned k = 0; k < c.width; ++k) {
        Wanted& w = c.out[0][k];
        if (k == 3) {
            w.real(0, 0);
            w.any = !everyday(c, 1, false);
            continue;
        }
        const unsigned i = (k + 1) % 3;
        const unsigned j = (k + 2) % 3;
        const L p = c.in[0][i].f * c.in[1][j].f;
        const L q = c.in[0][j].f * c.in[1][i].f;
        w.real(p - q, 0);
        const L size = std::fabs(p) + std::fabs(q);
        w.any = !everyday(c, 1, false) || size > largest(c.type) / 16;
        w.absolute = 4 * ulp_at(c.type, size);
    }
}

Reference size_of_vector(bool difference, bool naive) {
    return [=](const Call& c) {
        const Sums s = products(c, difference, true);
        const L limit = naive ? 8192 : 4 + 2.0L * c.width;
        c.out[0]->real(std::sqrt(s.sum), limit);
        c.out[0]->any = !everyday(c, s.size, naive) || std::sqrt(s.sum) > largest(c.type) / 4;
    };
}

Reference unit_vector(bool naive) {
    return [=](const Call& c) {
        const Sums s = products(c, false, true);
        const bool open = !everyday(c, s.size, naive);
        for (unsigned k = 0; k < c.width; ++k) {
            // normalize() of the zero vector is the zero vector.
            c.out[0][k].real(s.sum == 0 ? c.in[0][k].f : c.in[0][k].f / std::sqrt(s.sum),
                             naive ? 8192 : 6 + 2.0L * c.width);
            c.out[0][k].any = open;
            c.out[0][k].absolute = ulp_at(c.type, 0);
        }
    };
}

} // namespace

std::vector<Builtin> geometric_builtins() {
    const std::vector<unsigned> small{1, 2, 3, 4};
    const std::vector<Type> both = float_types();
    const std::vector<Type> single{Type::f32};
    return {
        {"dot", "dot(A, B)", "gg", "s", both, dot_product, true, small},
        {"cross", "cross(A, B)", "gg", "g", both, cross_product, true, {3, 4}},
        {"length", "length(A)", "g", "s", both, size_of_vector(false, false), true, small},
        {"distance", "distance(A, B)", "gg", "s", both, size_of_vector(true, false), true, small},
        {"normalize", "normalize(A)", "g", "g", both, unit_vector(false), true, small},
        {"fast_length", "fast_length(A)", "g", "s", single, size_of_vector(false, true), true, small},
        {"fast_distance", "fast_distance(A, B)", "gg", "s", single, size_of_vector(true, true), true, small},
        {"fast_normalize", "fast_normalize(A)", "g", "g", single, unit_vector(true), true, small},
    };
}

} // namespace kernels
