// SPDX-License-Identifier: Apache-2.0
#include "chosen.cl.hpp"
#include "corpus.hpp"
#include "extended.cl.hpp"
#include "saturate.cl.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

using namespace kernels;

// The standard only recommends this. Ferry's documentation guarantees it if Ferry translates the text.
KERNEL_TEST("corpus: NaN converted with saturation is 0 where the text is translated") {
    Corpus c(device, saturate_cl);
    auto in = c.in(std::vector<float>{std::numeric_limits<float>::quiet_NaN()});
    auto out = c.out<int>(8);
    c.run("saturate", {1, 1}, in, out);
    const std::vector<int> seen = c.read(out);
    if (device.backend() == ferry::Backend::opencl) {
        MESSAGE(device.id(), ": 0 for ", std::count(seen.begin(), seen.end(), 1), " of 8 types");
        return;
    }
    check_equal(seen, std::vector<int>(8, 1));
}

namespace {

int bits_of(std::int64_t x) {
    const bool bits[] = {x<0, x<5, x<-5, x> 0, x> 5, x> - 6, x <= 0, x >= 0, x == 5, x != -5,
                         x<2147483648L, x> - 2147483649L,    x <= 0};
    int all = 0;
    for (std::size_t i = 0; i < std::size(bits); ++i) {
        all |= bits[i] ? 1 << i : 0;
    }
    return all;
}

} // namespace

KERNEL_TEST("corpus: extended numbers are compared with their signs") {
    constexpr std::size_t count = 64;
    Corpus c(device, extended_cl);
    auto values = conformance::random_values<int>(count);
    const int edges[] = {0,
                         1,
                         -1,
                         4,
                         5,
                         6,
                         -4,
                         -5,
                         -6,
                         std::numeric_limits<int>::min(),
                         std::numeric_limits<int>::max(),
                         -32768,
                         32768};
    std::copy(std::begin(edges), std::end(edges), values.begin());
    auto in = c.in(values);
    auto out = c.out<int>(4 * count);
    c.run("extended", {count, 16}, in, out);
    std::vector<int> wanted;
    for (const int n : values) {
        const std::int64_t whole[] = {n, static_cast<std::uint32_t>(n), static_cast<std::int16_t>(n), n};
        std::transform(std::begin(whole), std::end(whole), std::back_inserter(wanted), bits_of);
    }
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: one function gets the variables of two kernels") {
    Corpus c(device, chosen_cl);
    for (const int which : {0, 1}) {
        auto first = c.out<int>(1);
        auto second = c.out<int>(1);
        c.run("chosen_first", {1, 1}, first, which);
        c.run("chosen_second", {1, 1}, second, which);
        CHECK(c.read(first)[0] == (which != 0 ? 1 + 1200 + 40000 : 1 + 200 + 140000));
        CHECK(c.read(second)[0] == (which != 0 ? 25 + 700 + 60000 : 5 + 2700 + 60000));
    }
    auto least = c.out<std::int64_t>(1);
    auto rounded = c.out<float>(1);
    c.run("folded", {1, 1}, least, rounded);
    CHECK(c.read(least)[0] == std::numeric_limits<std::int64_t>::min());
    CHECK(c.read(rounded)[0] == 0x1p60F + 0x1p37F);
}
