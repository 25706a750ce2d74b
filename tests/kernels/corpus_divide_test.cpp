// SPDX-License-Identifier: Apache-2.0
// Integer division has the same result everywhere if the result is defined. On the host, an undefined
// division does not end the process.
#include "corpus.hpp"
#include "divides.cl.hpp"

#include <limits>
#include <type_traits>

using namespace kernels;
using conformance::random_below;

namespace {

/// Divisors that are never 0 or -1, of either sign.
std::vector<int> divisors(std::size_t size) {
    std::vector<int> result(size);
    for (int& value : result) {
        value = 2 + static_cast<int>(random_below(90));
        value = random_below(2) != 0 ? -value : value;
    }
    return result;
}

std::vector<int> dividends(std::size_t size) {
    std::vector<int> result(size);
    for (int& value : result) {
        value = static_cast<int>(random_below(1U << 24)) - (1 << 23);
    }
    return result;
}

int bits_of(unsigned value) {
    return static_cast<int>(value);
}

std::vector<int> forms(int x, int y) {
    const auto ux = static_cast<unsigned>(x);
    const auto uy = static_cast<unsigned>(y);
    const auto short_x = static_cast<std::int16_t>(x);
    const auto next_short = static_cast<std::int16_t>(x + 1);
    const int byte = static_cast<std::uint8_t>(x) / static_cast<std::uint8_t>(y | 1);
    const int shifted = static_cast<int>(ux << (uy & 7U));
    const int power = x / y % 5;
    return {x / y,
            x % y,
            bits_of(ux / uy),
            bits_of(ux % uy),
            x * 3 / y % 7 + 100 / -y - -x / y,
            static_cast<int>(std::int64_t{x} * 5 / y) + x / y,
            x / y + x / y - x % y,
            x / y,
            x / (y + 1 > 0 ? y : y - 1),
            short_x % y + byte,
            x / y + next_short % y + shifted,
            x / y + y / 16 + 16 + 1 + 12,
            100 / (96 / (96 / 7)) + -100 % 12 + 100 + 2,
            123,
            x,
            static_cast<int>(1000.0F / static_cast<float>(y)) + 4 +
                static_cast<int>(static_cast<float>(x) / 4.0F),
            x / y / (y + 3 != 0 ? 2 : 3),
            x > y ? 1 : 0,
            x % y,
            static_cast<std::int8_t>(x) / static_cast<std::int8_t>(y | 1) +
                short_x % static_cast<std::int16_t>(y | 1),
            bits_of(static_cast<unsigned>(x >> 2) << 1U),
            y > 0 ? x / y : x % y,
            bits_of((ux & 255U) / ((uy & 15U) | 1U) << 2U),
            bits_of((1U << (static_cast<unsigned>(power) & 31U)) & 15U)};
}

template <class T>
void check_undefined(Corpus& c, const char* kernel) {
    const std::size_t n = 37 + random_below(100);
    constexpr T low = std::numeric_limits<T>::min();
    auto a = conformance::random_values<T>(n);
    auto b = conformance::random_values<T>(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (random_below(3) == 0 || i == 0) {
            b[i] = 0;
        } else if (std::is_signed_v<T> && (random_below(3) == 0 || i == 1)) {
            a[i] = low;
            b[i] = static_cast<T>(-1);
        }
    }
    auto da = c.in(a);
    auto db = c.in(b);
    auto out = c.out<T>(2 * n);
    c.run(kernel, {n, 1}, da, db, out);
    const std::vector<T> seen = c.read(out);
    for (std::size_t i = 0; i < n; ++i) {
        using Wide = std::make_unsigned_t<T>;
        CHECK(seen[2 * i + 1] == static_cast<T>(static_cast<Wide>(a[i]) + static_cast<Wide>(b[i])));
    }
}

/// All pairs of numbers next to powers of two, zero and the limits, and some other pairs.
template <class T>
void check_edges(Corpus& c, const char* kernel) {
    using Wide = std::make_unsigned_t<T>;
    std::vector<T> edges = conformance::random_values<T>(5);
    for (int bit = 0; bit < std::numeric_limits<Wide>::digits; ++bit) {
        const auto power = static_cast<Wide>(Wide{1} << static_cast<unsigned>(bit));
        edges.insert(edges.end(), {static_cast<T>(power), static_cast<T>(power - 1),
                                   static_cast<T>(power + 1), static_cast<T>(Wide{0} - power)});
    }
    std::vector<T> a;
    std::vector<T> b;
    std::vector<T> wanted;
    for (const T x : edges) {
        for (const T y : edges) {
            const bool minus_one = std::is_signed_v<T> && y == static_cast<T>(-1);
            const T quotient = y == 0      ? x
                               : minus_one ? static_cast<T>(Wide{0} - static_cast<Wide>(x))
                                           : static_cast<T>(x / y);
            const T rest = y == 0 || minus_one ? T{0} : static_cast<T>(x % y);
            a.push_back(x);
            b.push_back(y);
            wanted.insert(wanted.end(), {quotient, rest, quotient, rest});
        }
    }
    auto da = c.in(a);
    auto db = c.in(b);
    auto out = c.out<T>(wanted.size());
    c.run(kernel, {a.size(), 1}, da, db, out);
    check_equal(c.read(out), wanted, kernel);
}

} // namespace

KERNEL_TEST("corpus: integer division in constants, sizes, cases, assignments and packed members") {
    Corpus c(device, divides_cl);
    const std::size_t n = 59 + random_below(50);
    const auto a = dividends(n);
    const auto b = divisors(n);
    std::vector<int> wanted;
    for (std::size_t i = 0; i < n; ++i) {
        const std::vector<int> one = forms(a[i], b[i]);
        wanted.insert(wanted.end(), one.begin(), one.end());
    }
    auto da = c.in(a);
    auto db = c.in(b);
    auto out = c.out<int>(wanted.size());
    c.run("forms", {n, 1}, da, db, out);
    check_equal(c.read(out), wanted, "forms");
}

KERNEL_TEST("corpus: integer division of vectors, by scalars and of swizzles") {
    Corpus c(device, divides_cl);
    const std::size_t n = 31;
    const auto a = dividends(4 * n);
    const auto b = divisors(4 * n);
    std::vector<int> wanted;
    for (std::size_t i = 0; i < 4 * n; i += 4) {
        const int* const x = &a[i];
        const int* const y = &b[i];
        const auto put = [&](auto&& value) {
            for (std::size_t k = 0; k < 4; ++k) {
                wanted.push_back(value(k));
            }
        };
        put([&](std::size_t k) { return x[k] / y[k]; });
        put([&](std::size_t k) { return x[k] % y[k]; });
        put([&](std::size_t k) { return x[k] / y[0] + 100 / y[k]; });
        wanted.insert(wanted.end(),
                      {x[0] / y[0] % y[1], x[1] / y[1] / y[2], x[2] / y[2] % y[3], x[3] / y[3]});
        put([&](std::size_t k) { return (x[k] & 255) / 7 + (k == 3 ? 5 : x[k] / y[2 - k]); });
        put([&](std::size_t k) { return static_cast<int>(static_cast<float>(x[k]) / 4.0F / 2.0F); });
    }
    auto da = c.in(a);
    auto db = c.in(b);
    auto out = c.out<int>(wanted.size());
    c.run("vectors", {n, 1}, da, db, out);
    check_equal(c.read(out), wanted, "vectors");
}

// docs/kernel-language.md documents these results. The strict host device reports these divisions
// (tests/wrong).
KERNEL_TEST("corpus: on the host divisions by zero and -1 have the documented results") {
    if (device.backend() != ferry::Backend::host || is_strict(device)) {
        return;
    }
    Corpus c(device, divides_cl);
    check_edges<std::int8_t>(c, "edges_char");
    check_edges<std::uint8_t>(c, "edges_uchar");
    check_edges<std::int16_t>(c, "edges_short");
    check_edges<std::uint16_t>(c, "edges_ushort");
    check_edges<std::int32_t>(c, "edges_int");
    check_edges<std::uint32_t>(c, "edges_uint");
    check_edges<std::int64_t>(c, "edges_long");
    check_edges<std::uint64_t>(c, "edges_ulong");
}

// The result on other devices depends on the vendor's compiler. The strict host device reports it
// (tests/wrong).
KERNEL_TEST("corpus: on the host a division without a result does not end the process") {
    if (device.backend() != ferry::Backend::host || is_strict(device)) {
        return;
    }
    Corpus c(device, divides_cl);
    check_undefined<std::int8_t>(c, "undefined_char");
    check_undefined<std::uint8_t>(c, "undefined_uchar");
    check_undefined<std::int16_t>(c, "undefined_short");
    check_undefined<std::uint16_t>(c, "undefined_ushort");
    check_undefined<std::int32_t>(c, "undefined_int");
    check_undefined<std::uint32_t>(c, "undefined_uint");
    check_undefined<std::int64_t>(c, "undefined_long");
    check_undefined<std::uint64_t>(c, "undefined_ulong");
    auto out = c.out<int>(7);
    c.run("constants", {7, 1}, out, 5, 0);
    check_equal(c.read(out), {0, 1, 2, 3, 4, 5, 6}, "constants");
}
