// SPDX-License-Identifier: Apache-2.0
// The signs of zeros and infinities of sinpi, cospi and tanpi, as the standard's table of edge cases has
// them.
#include "corpus.hpp"
#include "known_bugs.hpp"

#include <algorithm>
#include <limits>

namespace corpus_half_turns_test {

using namespace kernels;
using conformance::random_below;

namespace {

constexpr const char* text = R"(
#define KERNEL(T, name) \
    __kernel void name(__global const T* x, __global T* sines, __global T* cosines, __global T* tangents) { \
        const size_t i = get_global_id(0); \
        sines[i] = sinpi(x[i]); \
        cosines[i] = cospi(x[i]); \
        tangents[i] = tanpi(x[i]); \
    }
KERNEL(float, in_float)
#ifdef FERRY_HAS_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
KERNEL(double, in_double)
#endif
)";

/// Numbers of half turns: 2 * x. All are exact, and the largest ones are even integers.
template <class T>
std::vector<T> inputs() {
    std::vector<T> x{T(0), -T(0), std::numeric_limits<T>::max(), -std::numeric_limits<T>::max()};
    for (int halves = -12; halves <= 12; ++halves) {
        x.push_back(T(halves) / 2);
    }
    for (int i = 0; i < 200; ++i) {
        const T halves = T(1 + random_below(1U << 22)) / 2;
        x.push_back(i % 2 == 0 ? halves : -halves);
    }
    return x;
}

bool is_odd(double integer) {
    return std::fmod(integer, 2.0) != 0;
}

double sine(double x) {
    return std::floor(x) == x ? std::copysign(0.0, x) : is_odd(std::floor(x)) ? -1 : 1;
}
double cosine(double x) {
    return std::floor(x) != x ? 0.0 : is_odd(x) ? -1 : 1;
}
double tangent(double x) {
    const double zero_or_infinity = std::floor(x) == x ? std::copysign(0.0, x) : HUGE_VAL;
    return is_odd(std::floor(x)) ? -zero_or_infinity : zero_or_infinity;
}

template <class T>
void check_one(const ferry::Device& device, const char* kernel, const char* type, BugLedger& bugs) {
    Corpus c(device, text);
    const std::vector<T> x = inputs<T>();
    auto in = c.in(x);
    std::vector<ferry::Buffer<T>> out;
    for (int i = 0; i < 3; ++i) {
        out.push_back(c.out<T>(x.size()));
    }
    c.run(kernel, {x.size(), 1}, in, out[0], out[1], out[2]);
    constexpr const char* names[] = {"zeros of sinpi", "zeros of cospi", "zeros of tanpi"};
    constexpr double (*wanted[])(double) = {sine, cosine, tangent};
    for (std::size_t f = 0; f < 3; ++f) {
        const std::vector<T> got = c.read(out[f]);
        std::string wrong;
        std::string signs;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double want = wanted[f](static_cast<double>(x[i]));
            const auto result = static_cast<double>(got[i]);
            const std::string text_of_it =
                std::to_string(x[i]) + ": " + std::to_string(result) + ", not " + std::to_string(want);
            if (std::abs(result) != std::abs(want)) {
                wrong = wrong.empty() ? text_of_it : wrong;
            } else if (std::signbit(result) != std::signbit(want)) {
                signs = signs.empty() ? text_of_it : signs;
            }
        }
        const bool excused = bugs.covers(names[f], type, 1, !signs.empty());
        CHECK_MESSAGE(wrong.empty(), std::string(names[f]), " of ", std::string(type), ": ", wrong);
        CHECK_MESSAGE((excused || signs.empty()), std::string(names[f]), " of ", std::string(type), ": ",
                      signs);
    }
}

} // namespace

KERNEL_TEST("corpus: zeros and infinities of sinpi, cospi and tanpi have the signs of the standard") {
    BugLedger bugs(device);
    check_one<float>(device, "in_float", "float", bugs);
    if (device.info().fp64) {
        check_one<double>(device, "in_double", "double", bugs);
    }
    bugs.check_not_stale();
}

} // namespace corpus_half_turns_test
