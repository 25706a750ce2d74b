// SPDX-License-Identifier: Apache-2.0
// Texts that are right in OpenCL C and wrong in C++: conversions of pointers, calls of kernels, scalars that
// become vectors, arithmetic of half, loops made of goto.
#include "called_local.cl.hpp"
#include "calls.cl.hpp"
#include "corpus.hpp"
#include "element_pointers.cl.hpp"
#include "elements.cl.hpp"
#include "half_values.cl.hpp"
#include "pointers.cl.hpp"
#include "rounds.cl.hpp"
#include "scalar.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

using namespace kernels;

namespace corpus_c_forms_test {

struct Int4 {
    std::array<int, 4> v;
    bool operator==(const Int4&) const = default;
    int operator+() const { return v[0]; }
};
struct Float4 {
    std::array<float, 4> v;
    bool operator==(const Float4&) const = default;
    float operator+() const { return v[0]; }
};
struct Half {
    std::uint16_t bits = 0;
    bool operator==(const Half&) const = default;
    int operator+() const { return bits; }
};

std::vector<Int4> small_vectors(std::size_t n) {
    std::vector<Int4> result(n);
    for (Int4& vector : result) {
        for (int& element : vector.v) {
            element = static_cast<int>(conformance::random_below(200)) - 100;
        }
    }
    return result;
}

KERNEL_TEST("corpus: pointers convert without a cast") {
    Corpus c(device, pointers_cl);
    const std::size_t n = std::size_t{7} * 11;
    const auto in = integers_below<int>(n, 1000);
    std::vector<int> wanted;
    for (std::size_t i = 0; i < n; ++i) {
        wanted.insert(wanted.end(), {in[i], in[i] + 2 * in[(i + 1) % n] + 3 * in[(i + 2) % n]});
    }
    auto din = c.in(in);
    auto out = c.out<int>(wanted.size());
    c.run("converted", {7, 11}, din, out, static_cast<int>(n));
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: pointers to vectors and arrays become pointers to their elements") {
    if (conformance::matches(device, "Intel(R) OpenCL")) {
        MESSAGE(device.id(), ": not run, Intel's compiler refuses these conversions");
        return;
    }
    Corpus c(device, element_pointers_cl);
    const auto in = small_vectors(std::size_t{7} * 11);
    std::vector<int> wanted;
    for (std::size_t i = 0; i < in.size(); ++i) {
        auto v = in[i].v;
        wanted.push_back(v[i & 3]);
        v[(i + 1) & 3] = 7;
        wanted.insert(wanted.end(), {v[0] + 3 * v[1] + 5 * v[2] + 9 * v[3], v[3] + 2, v[1]});
    }
    auto din = c.in(in);
    auto out = c.out<int>(wanted.size());
    c.run("elements_of", {7, 11}, din, out);
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: kernels call kernels, and have arrays and typedefs of pointers as parameters") {
    Corpus c(device, calls_cl);
    const std::size_t n = std::size_t{5} * 13;
    const auto in = conformance::random_values<std::uint32_t>(n);
    for (const int by : {2, 5}) {
        auto data = c.in(in);
        auto once = in;
        auto twice = in;
        for (std::size_t i = 0; i < n; ++i) {
            once[i] += static_cast<std::uint32_t>(by);
            twice[i] = once[i] + static_cast<std::uint32_t>(by + 10 * std::max(by, 3));
        }
        c.run("advance", {5, 13}, data, by);
        check_equal(c.read(data), once, "advance");
        c.run("advance_twice", {5, 13}, data, by);
        check_equal(c.read(data), twice, "advance_twice");
    }
    std::vector<std::uint32_t> turned;
    for (std::size_t i = 0; i < n; ++i) {
        turned.push_back(in[i / 13 * 13 + 12 - i % 13]);
    }
    auto din = c.in(in);
    auto out = c.out<std::uint32_t>(n);
    c.run("turned", {5, 13}, out, din, ferry::local<int>(13));
    check_equal(c.read(out), turned, "turned");
}

KERNEL_TEST("corpus: a kernel with a local array is called by another kernel") {
    if (device.backend() == ferry::Backend::opencl) {
        MESSAGE(device.id(), ": not run, OpenCL C leaves it to the driver");
        return;
    }
    Corpus c(device, called_local_cl);
    const std::size_t n = std::size_t{7} * 37;
    const auto in = conformance::random_values<std::uint32_t>(n);
    std::vector<std::uint32_t> wanted;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t first = i % 3 == 0 ? 3U * (in[i] + 5U) : in[i];
        wanted.push_back(3U * (first + 6U));
    }
    auto data = c.in(in);
    c.run("own_slots_twice", {7, 37}, data, 5U);
    check_equal(c.read(data), wanted);
}

KERNEL_TEST("corpus: a scalar first argument becomes a vector, and an index chooses a component") {
    Corpus c(device, elements_cl);
    const std::size_t n = std::size_t{9} * 5;
    std::vector<Float4> reals(n);
    std::vector<Float4> widened(n);
    const auto values = floats_between(4 * n, -1, 1);
    const auto in = small_vectors(n);
    auto limited = in;
    auto indexed = in;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < 4; ++k) {
            reals[i].v[k] = values[4 * i + k];
            widened[i].v[k] = reals[i].v[k] > 0.25F ? reals[i].v[k] : 0.5F;
            limited[i].v[k] = std::max(-50, std::min(in[i].v[k], 60));
            indexed[i].v[k] += static_cast<int>(k) * indexed[i].v[(i + k) & 3];
        }
    }
    auto dreals = c.in(reals);
    auto dwidened = c.out<Float4>(n);
    c.run("widened", {9, 5}, dreals, dwidened);
    check_equal(c.read(dwidened), widened, "widened");
    auto din = c.in(in);
    auto out = c.out<Int4>(n);
    c.run("limited", {9, 5}, din, out);
    check_equal(c.read(out), limited, "limited");
    auto last = c.out<Int4>(n);
    c.run("indexed", {9, 5}, din, last);
    check_equal(c.read(last), indexed, "indexed");
}

KERNEL_TEST("corpus: variables, casts and arithmetic of half") {
    if (device.backend() == ferry::Backend::opencl && !device.info().fp16) {
        MESSAGE(device.id(), ": not run, the driver has no cl_khr_fp16");
        return;
    }
    Corpus c(device, half_values_cl);
    const std::size_t n = std::size_t{3} * 17;
    std::vector<Half> halves;
    std::vector<Half> wanted_halves;
    std::vector<float> floats; // whole numbers, which half has exactly
    std::vector<float> wanted;
    std::vector<int> whole;
    std::vector<int> wanted_whole;
    const auto bits = [](int value, int divisor) {
        return Half{half_bits(static_cast<long double>(value) / divisor, Rounding::nearest_even)};
    };
    for (std::size_t i = 0; i < n; ++i) {
        const int h = 1 + static_cast<int>(conformance::random_below(300));
        const int x = static_cast<int>(conformance::random_below(1000));
        halves.push_back(bits(h, 1));
        whole.push_back(static_cast<int>(conformance::random_below(10'000)));
        const Half rounded = bits(whole.back(), 1);
        wanted_whole.push_back(
            static_cast<int>(half_value(bits(static_cast<int>(half_value(rounded.bits)) + h, 1).bits)));
        floats.push_back(static_cast<float>(x));
        wanted_halves.push_back(h > 100 ? bits(h, 2) : bits(-h, 1));
        wanted.push_back(static_cast<float>(2 * h) * 0.25F + static_cast<float>(x - h));
    }
    auto data = c.in(halves);
    auto out = c.in(floats);
    auto sums = c.in(whole);
    c.run("half_values", {3, 17}, data, out, sums);
    check_equal(c.read(sums), wanted_whole, "sums");
    check_equal(c.read(out), wanted, "out");
    check_equal(c.read(data), wanted_halves, "data");
}

KERNEL_TEST("corpus: a loop made of goto has barriers behind its label") {
    Corpus c(device, rounds_cl);
    const std::size_t group = 1 + conformance::random_below(30);
    const std::size_t groups = 7;
    auto wanted = integers_below<int>(group * groups, 1000);
    auto data = c.in(wanted);
    const int rounds = 1 + static_cast<int>(conformance::random_below(5));
    for (int k = 0; k < rounds; ++k) {
        const auto before = wanted;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            wanted[i] = before[i / group * group + (i % group + 1) % group] + k;
        }
    }
    c.run("rounds", {groups, group}, data, ferry::local<int>(group), rounds);
    check_equal(c.read(data), wanted);
}

} // namespace corpus_c_forms_test
