// SPDX-License-Identifier: Apache-2.0
// Texts with different types in C and C++: enums, conditional expressions of narrow integers, values without
// braces.
#include "corners.cl.hpp"
#include "corpus.hpp"
#include "enums.cl.hpp"
#include "flat_values.cl.hpp"
#include "promoted.cl.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <vector>

using namespace kernels;

KERNEL_TEST("corpus: enumerations are unsigned, their constants are not") {
    Corpus c(device, enums_cl);
    const auto in = conformance::random_values<std::int32_t>(35);
    std::vector<int> wanted;
    for (const int v : in) {
        const std::uint32_t color = (v & 1) != 0 ? 0 : 2;
        const int values[] = {8,
                              100,
                              0,
                              0,
                              static_cast<int>((color - 1) / 2),
                              0,
                              13,
                              5,
                              0,
                              color == 0 ? 1 : 3,
                              11,
                              4 + 64 + 1024,
                              5,
                              static_cast<int>(color),
                              1,
                              7,
                              2};
        wanted.insert(wanted.end(), std::begin(values), std::end(values));
        wanted.insert(wanted.end(), 3, 0);
    }
    auto din = c.in(in);
    auto out = c.in(std::vector<int>(wanted.size()));
    c.run("enums", {5, 7}, din, out, 2U);
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: whether an enumeration has a sign is in its values") {
    Corpus c(device, enums_cl);
    const std::vector<int> one{1, 1, 1, 1, 1, 1, 1, 987, 1, 1, 1, 0, 44, -56, 15, 1};
    const std::size_t n = std::size_t{3} * 7;
    std::vector<int> wanted;
    for (std::size_t i = 0; i < n; ++i) {
        wanted.insert(wanted.end(), one.begin(), one.end());
    }
    auto out = c.out<int>(wanted.size());
    c.run("enum_values", {3, 7}, out);
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: a choice of narrow integers is an int") {
    Corpus c(device, promoted_cl);
    const std::size_t n = std::size_t{5} * 7;
    const auto in = conformance::random_values<std::int32_t>(2 * n);
    std::vector<int> wanted;
    const auto clz = [](int v) { return std::countl_zero(static_cast<std::uint32_t>(v)); };
    const auto as_char = [](int v) { return (v & 0xff) - (v & 0x80) * 2; };
    const auto clz8 = [](int v) { return std::countl_zero(static_cast<std::uint8_t>(v)); };
    for (std::size_t i = 0; i < n; ++i) {
        const int x = static_cast<std::uint8_t>(in[2 * i]);
        const int y = static_cast<std::uint8_t>(in[2 * i + 1]);
        const int ch = as_char(in[2 * i]);
        const int d = as_char(in[2 * i + 1]);
        const int s = static_cast<std::int16_t>(in[2 * i]);
        const int low = std::min(x, y);
        const int low_char = std::min(ch, d);
        const std::int64_t product = std::int64_t{low_char} * std::min(s, ch);
        wanted.insert(wanted.end(),
                      {clz(low), std::popcount(static_cast<std::uint32_t>(low_char)), low << 4, 2 * low,
                       static_cast<int>(product >> 32), 4 + 40 + 400 + 1000, clz(low), low_char, clz8(low),
                       clz8(low), clz((i & 1) != 0 ? low : y), std::abs(low_char) == std::abs(d) ? 1 : 2,
                       clz(low), clz(x < y ? 1 : 0) + clz(low + 1), std::max(low, static_cast<int>(i)),
                       clz8(x)});
    }
    auto din = c.in(in);
    auto out = c.out<int>(wanted.size());
    c.run("promoted", {5, 7}, din, out);
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: values without braces fill the elements of an array in turn") {
    Corpus c(device, flat_values_cl);
    std::vector<int> wanted;
    for (int i = 0; i < 4 * 16; ++i) {
        wanted.insert(wanted.end(), {4, 2, 2, 2, 2, 3, 32, i + 4, (i + 2) + 30, 3 + 40, i + 1, i});
    }
    auto out = c.out<int>(wanted.size());
    c.run("flat_values", {4, 16}, out);
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: corners of the language") {
    Corpus c(device, corners_cl);
    constexpr int items = 16;
    constexpr int n = 5 * items;
    const auto in = conformance::random_values<std::int32_t>(n);
    std::vector<int> wanted;
    for (int i = 0; i < n; ++i) {
        const int l = i % items;
        const int v = in[static_cast<std::size_t>(i)];
        const int low = v & 7;
        const auto part = [&](int item) { return in[static_cast<std::size_t>(i - l + item)] & 255; };
        const int d = (l * 20) & 255;
        const int other = ((15 - l) * 20) & 255;
        wanted.insert(wanted.end(), {1, (v > 0 ? 1 : 2) + i + (1 << low) + i,
                                     (v > 0 ? i : 0) + (low > 3 ? 16 : 1), (4 << low) + std::max(low, 5),
                                     2 * d + d * 1000 + other + 2 * other, l + 400, l + 1 + 24 + 2400, 2 * l,
                                     27, l < 8 ? part(l) + part(l + 8) + 1000 : part(l), (15 - l) * 2 + 1});
        wanted.insert(wanted.end(), 5, 0);
    }
    auto din = c.in(in);
    auto out = c.in(std::vector<int>(wanted.size()));
    c.run("corners", {5, items}, din, out);
    check_equal(c.read(out), wanted);
}
