// SPDX-License-Identifier: Apache-2.0
// Structs with a layout set by a pragma or an attribute, and structs with members named like swizzles.
#include "corpus.hpp"
#include "layouts.cl.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

using namespace kernels;

namespace {

#pragma pack(push, 1)
struct Tight {
    std::uint8_t tag;
    std::uint32_t value;
    struct {
        std::uint16_t low;
        std::uint64_t high;
    } part[2];
    union {
        std::int32_t i;
        std::uint8_t bytes[3];
    } both;
};
#pragma pack(2)
struct Pairs {
    std::uint8_t tag;
    std::uint32_t value;
    Tight inner;
    std::uint64_t last;
};
#pragma pack(pop)
struct Attributed {
    std::uint8_t tag;
    std::uint8_t gap[3];
    std::uint16_t half;
    std::uint8_t value[4];
    std::uint8_t end[2];
};
static_assert(sizeof(Tight) == 29 && sizeof(Pairs) == 44 && sizeof(Attributed) == 12);

template <class T>
T random_bytes() {
    const auto bytes = conformance::random_values<std::uint8_t>(sizeof(T));
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

struct Complex {
    float s0;
    float s1;
};
struct Mixed {
    float x;
    Complex lo;
    float sa;
};

} // namespace

KERNEL_TEST("corpus: pack and packed give structs the sizes of C") {
    Corpus c(device, layouts_cl);
    auto out = c.out<std::uint32_t>(8);
    c.run("sizes", {1, 1}, out);
    check_equal(c.read(out), std::vector<std::uint32_t>{29, 44, 16, 18, 12, 16, 12, 21});
}

KERNEL_TEST("corpus: members of packed structs are where the host has them") {
    constexpr std::size_t n = 37;
    Corpus c(device, layouts_cl);
    std::vector<Pairs> in(n);
    std::vector<Attributed> more(n);
    const auto by_value = random_bytes<Tight>();
    std::vector<std::uint64_t> wanted;
    for (std::size_t i = 0; i < n; ++i) {
        in[i] = random_bytes<Pairs>();
        more[i] = random_bytes<Attributed>();
        const Tight& t = in[i].inner;
        std::uint32_t value = 0;
        std::memcpy(&value, more[i].value, sizeof value);
        const std::uint64_t results[] = {in[i].tag,
                                         in[i].value,
                                         t.tag + (std::uint64_t{t.value} << 8),
                                         t.part[0].low,
                                         t.part[0].high,
                                         t.part[1].low + t.part[1].high,
                                         static_cast<std::uint64_t>(std::int64_t{t.both.i}),
                                         in[i].last,
                                         more[i].tag + (std::uint64_t{more[i].half} << 8) +
                                             (std::uint64_t{value} << 24),
                                         by_value.part[1].high ^ by_value.value};
        wanted.insert(wanted.end(), std::begin(results), std::end(results));
    }
    auto din = c.in(in);
    auto dmore = c.in(more);
    auto out = c.out<std::uint64_t>(wanted.size());
    c.run("unpack", {n, 1}, din, dmore, out, by_value);
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: members called like swizzles are members beside vectors") {
    constexpr std::size_t n = 21;
    Corpus c(device, layouts_cl);
    const std::vector<int> values = integers_below<int>(8 * n, 1000); // small, so that nothing is rounded
    std::vector<Complex> a(n);
    std::vector<Complex> b(n);
    std::vector<Mixed> m(n);
    std::vector<float> wanted;
    for (std::size_t i = 0; i < n; ++i) {
        const auto v = [&](std::size_t k) { return static_cast<float>(values[8 * i + k]); };
        a[i] = {v(0), v(1)};
        b[i] = {v(2), v(3)};
        m[i] = {v(4), {v(5), v(6)}, v(7)};
        const float s1 = v(6) + v(3);
        for (const float f : {v(0) * v(2) - v(1) * v(3), v(0) * v(3) + v(1) * v(2), v(2) + v(7), s1 - v(0),
                              s1, v(7) - 1.0F}) {
            wanted.push_back(f);
        }
    }
    auto da = c.in(a);
    auto db = c.in(b);
    auto dm = c.in(m);
    c.run("members", {n, 1}, da, db, dm);
    std::vector<float> seen;
    const auto ra = c.read(da);
    const auto rm = c.read(dm);
    for (std::size_t i = 0; i < n; ++i) {
        seen.insert(seen.end(), {ra[i].s0, ra[i].s1, rm[i].x, rm[i].lo.s0, rm[i].lo.s1, rm[i].sa});
    }
    check_equal(seen, wanted);
}
