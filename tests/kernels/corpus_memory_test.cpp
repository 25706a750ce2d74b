// SPDX-License-Identifier: Apache-2.0
// Memory accessed as other types: half in each address space, types of the same size, float atomics, copies.
#include "corpus.hpp"
#include "memory.cl.hpp"
#include "scalar.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

using namespace kernels;

namespace {

struct Half {
    std::uint16_t bits = 0;
    bool operator==(const Half&) const = default;
    int operator+() const { return bits; }
};

Half half(double x, Rounding rounding = Rounding::nearest_even) {
    return {half_bits(x, rounding)};
}

void check_halves(Corpus& c) {
    // The second and the fourth value are not exact in half precision.
    const std::vector<float> f{1.5F, 1.0F + 0x1.8p-11F, -2.25F, 1000.3F, 0.125F, 3.0F};
    std::vector<float> stored(16, 0.0F);
    const auto store = [&](std::size_t to, std::size_t from, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            stored[to + i] = static_cast<float>(half_value(half(f[from + i]).bits));
        }
    };
    store(0, 0, 4);
    store(4, 0, 3);
    store(8, 0, 2);
    store(12, 3, 3);
    std::vector<Half> in(16);
    std::vector<float> values(16);
    for (std::size_t i = 0; i < in.size(); ++i) {
        values[i] = static_cast<float>(i) * 0.5F - 3.0F;
        in[i] = half(values[i]);
    }
    std::vector<float> wanted = stored;
    const auto append = [&](std::size_t count) {
        wanted.insert(wanted.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
    };
    wanted.insert(wanted.end(), stored.begin(), stored.end());
    append(8);
    append(2);
    wanted.insert(wanted.end(), {values[3], values[4], values[5], values[5], values[6], values[7]});
    append(8);
    append(16);

    auto din = c.in(in);
    auto df = c.in(f);
    auto out = c.out<Half>(32);
    auto got = c.out<float>(wanted.size());
    std::vector<Half> halves = c.read(out);
    std::copy(in.begin(), in.begin() + 3, halves.begin());
    for (std::size_t i = 0; i < 3; ++i) {
        halves[4 + i] = half(f[i], Rounding::to_zero);
    }
    std::copy(in.begin() + 8, in.end(), halves.begin() + 8);
    std::copy(in.begin(), in.end(), halves.begin() + 16);
    c.run("halves", {1, 1}, din, din, df, out, got);
    // vstorea_half3 may write past the three elements, because half3 has the size of half4.
    auto values_seen = c.read(got);
    values_seen[7] = wanted[7];
    values_seen[16 + 7] = wanted[16 + 7];
    check_equal(values_seen, wanted, "got");
    auto seen = c.read(out);
    seen[3] = halves[3];
    seen[7] = halves[7];
    check_equal(seen, halves, "halves");
}

void check_doubles(Corpus& c) {
    const std::vector<double> d{1.0 + 0x1p-11 + 0x1p-40, -1.0 - 0x1p-11 - 0x1p-40, 0x1.8p-25, 65519.999};
    auto din = c.in(d);
    auto out = c.out<Half>(12);
    std::vector<Half> wanted{half(d[0]), half(d[0], Rounding::to_zero)};
    for (const std::size_t i : {0U, 1U, 0U, 1U, 2U, 3U}) {
        wanted.push_back(half(d[i]));
    }
    for (std::size_t i = 0; i < 3; ++i) {
        wanted.push_back(half(d[i], Rounding::up));
    }
    c.run("doubles", {1, 1}, din, out);
    auto seen = c.read(out);
    seen.resize(11);
    check_equal(seen, wanted, "doubles");
}

void check_casts(Corpus& c) {
    const std::vector<std::uint32_t> in{0x01020304, 0x8090a0b0, 0x3f800001, 0x7fedcba9};
    const auto reversed = [](std::uint32_t v) {
        return v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24;
    };
    const std::vector<std::uint32_t> wanted{reversed(in[0]),
                                            in[1] << 16 | in[1] >> 16,
                                            in[1],
                                            in[2],
                                            in[3],
                                            in[1],
                                            in[3],
                                            in[2],
                                            in[1],
                                            in[0],
                                            reversed(in[3]),
                                            reversed(in[2]),
                                            reversed(in[1]),
                                            reversed(in[0]),
                                            4 + 32 * 4 + 1024 * 16,
                                            8 + 32 + 1024 * 2};
    auto din = c.in(in);
    auto out = c.out<std::uint32_t>(wanted.size());
    c.run("casts", {1, 1}, din, out);
    check_equal(c.read(out), wanted, "casts");
}

void check_sums(Corpus& c) {
    constexpr std::size_t n = 24;
    auto sum = c.in(std::vector<float>{10.0F, 0.0F, 0.0F, -1.0F});
    auto old = c.out<float>(5 * n);
    c.run("sums", {1, n}, sum, old, ferry::local<int>(n));
    const auto totals = c.read(sum);
    auto seen = c.read(old);
    CHECK(totals[0] == 10.0F + n);
    CHECK(totals[1] == 2.0F * n);
    const auto at = [&](std::size_t part) { return seen.begin() + static_cast<std::ptrdiff_t>(part * n); };
    for (std::size_t part = 0; part < 4; ++part) { // their order is not defined
        std::sort(at(part), at(part + 1));
    }
    std::vector<float> wanted(5 * n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto x = static_cast<float>(i);
        wanted[i] = 10.0F + x;
        wanted[n + i] = 2.0F * x;
        wanted[4 * n + i] = x + 1;
    }
    // An exchange returns all values except the last one, which remains.
    for (const std::size_t part : {2U, 3U}) {
        std::vector<float> all(n + 1);
        std::iota(all.begin(), all.end(), -1.0F);
        const auto last = std::find(all.begin(), all.end(), totals[part]);
        REQUIRE(last != all.end());
        all.erase(last);
        std::copy(all.begin(), all.end(), wanted.begin() + static_cast<std::ptrdiff_t>(part * n));
    }
    check_equal(seen, wanted, "old values");
}

void check_olds(Corpus& c) {
    std::vector<int> start(12);
    std::iota(start.begin(), start.end(), 100);
    const std::vector<int> after{103, 98, 103, 102, -5, 5000, 106 & 6, 107 | 6, 108 ^ 6, 6, 6, 111};
    const auto twice = [](std::vector<int> v) {
        v.resize(24);
        std::copy(v.begin(), v.begin() + 12, v.begin() + 12);
        return v;
    };
    auto g = c.in(twice(start));
    auto old = c.out<int>(24);
    c.run("olds", {1, 1}, g, old);
    check_equal(c.read(old), twice(start), "old values");
    check_equal(c.read(g), twice(after), "atomics");
}

template <class T>
void check_copy(Corpus& c, const char* kernel) {
    constexpr std::size_t n = 12;
    const auto bytes = conformance::random_values<std::uint8_t>(n * sizeof(T));
    std::vector<T> in(n);
    std::memcpy(in.data(), bytes.data(), bytes.size());
    auto din = c.in(in);
    auto out = c.in(std::vector<T>(n));
    std::reverse(in.begin(), in.end());
    c.run(kernel, {1, n}, din, out, ferry::local<T>(n));
    INFO(kernel);
    CHECK(std::memcmp(c.read(out).data(), in.data(), bytes.size()) == 0);
}

} // namespace

KERNEL_TEST("corpus: memory as other types, in every address space") {
    Corpus c(device, memory_cl);
    check_halves(c);
    if (device.info().fp64) {
        check_doubles(c);
    }
    check_casts(c);
    check_sums(c);
    check_olds(c);
    check_copy<std::uint8_t>(c, "copy_uchar");
    check_copy<std::int16_t>(c, "copy_short");
    check_copy<float>(c, "copy_float");
    check_copy<std::int64_t>(c, "copy_long");
    check_copy<std::array<std::int8_t, 4>>(c, "copy_char4");
    check_copy<std::array<float, 4>>(c, "copy_float4");
    check_copy<std::array<std::uint32_t, 16>>(c, "copy_uint16");
}
