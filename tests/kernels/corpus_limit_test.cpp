// SPDX-License-Identifier: Apache-2.0
// Sums and differences that are limited to the range of their type, in kernels that divide: a driver's
// compiler may replace them by an operation of its own.
#include "corpus.hpp"
#include "limits.cl.hpp"

#include <algorithm>
#include <limits>

using namespace kernels;

namespace {

template <class T>
T difference(T x, T y) {
    return x < y ? T{0} : static_cast<T>(x - y);
}

template <class T>
T total(T x, T y) {
    return static_cast<T>(x + std::min(y, static_cast<T>(std::numeric_limits<T>::max() - x)));
}

/// What a kernel of the type writes for x and y; `divided` is its element 14.
template <class T>
std::vector<T> limits_of(T x, T y, T most_of_half, T divided) {
    T left = x;
    T taken = y;
    for (int round = 0; round < 3; ++round) {
        left = difference(left, taken);
        taken = static_cast<T>(taken + left);
    }
    const T below = difference(x, y);
    const T above = total(x, y);
    const T below_half = difference(most_of_half, x);
    const T above_half = total(x, most_of_half);
    return {below,
            above,
            below,
            below,
            below,
            above,
            above,
            below_half,
            difference(x, most_of_half),
            above_half,
            below_half,
            above_half,
            left,
            below,
            divided,
            static_cast<T>(x < y ? y - x : x - y)};
}

template <class T>
void check_limits(Corpus& c, const char* kernel, T most_of_half) {
    constexpr std::size_t group = 16;
    const std::size_t n = group * (1 + conformance::random_below(20));
    const auto a = conformance::random_values<T>(n);
    const auto b = conformance::random_values<T>(n);
    const std::uint64_t by = 2 + conformance::random_below(1000);
    std::vector<T> wanted;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t first = i / group * group;
        const auto values = limits_of(a[first + (i + 5) % group], b[first + (i + 3) % group], most_of_half,
                                      static_cast<T>(a[i] / by));
        wanted.insert(wanted.end(), values.begin(), values.end());
    }
    auto da = c.in(a);
    auto db = c.in(b);
    auto out = c.out<T>(wanted.size());
    c.run(kernel, {n / group, group}, da, db, by, out);
    check_equal(c.read(out), wanted, kernel);
}

} // namespace

KERNEL_TEST("corpus: limited sums and differences beside divisions") {
    Corpus c(device, limits_cl);
    check_limits<std::uint8_t>(c, "limits_uchar", 216);
    check_limits<std::uint16_t>(c, "limits_ushort", 50000);
    check_limits<std::uint32_t>(c, "limits_uint", 3000000000U);
    check_limits<std::uint64_t>(c, "limits_ulong", 17000000000000000000U);
}

KERNEL_TEST("corpus: limited sums and differences of vectors beside divisions") {
    constexpr std::size_t lanes = 8;
    Corpus c(device, limits_cl);
    const std::size_t n = 1 + conformance::random_below(50);
    const auto a = conformance::random_values<std::uint8_t>(n * lanes);
    const auto b = conformance::random_values<std::uint8_t>(n * lanes);
    std::vector<std::uint8_t> wanted;
    for (std::size_t i = 0; i < n; ++i) {
        const auto put = [&](auto&& value) {
            for (std::size_t k = lanes * i; k < lanes * (i + 1); ++k) {
                wanted.push_back(value(a[k], b[k]));
            }
        };
        put([](std::uint8_t x, std::uint8_t y) { return difference(x, y); });
        put([](std::uint8_t x, std::uint8_t) { return total<std::uint8_t>(x, 200); });
        put([](std::uint8_t x, std::uint8_t y) { return difference(x, y); });
        put([](std::uint8_t x, std::uint8_t) { return difference<std::uint8_t>(200, x); });
    }
    auto da = c.in(a);
    auto db = c.in(b);
    auto by = c.in(std::vector<float>(n, 3.0F));
    auto out = c.out<std::uint8_t>(wanted.size());
    c.run("limits_of_vectors", {n, 1}, da, db, by, out);
    check_equal(c.read(out), wanted, "limits_of_vectors");
}
