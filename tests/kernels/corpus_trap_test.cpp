// SPDX-License-Identifier: Apache-2.0
// Texts that C and C++ read differently, or that are difficult to read.
#include "../support/child.hpp"
#include "control.cl.hpp"
#include "corpus.hpp"
#include "known_bugs.hpp"
#include "literals.cl.hpp"
#include "macros.cl.hpp"
#include "named.cl.hpp"
#include "names.cl.hpp"
#include "split_loops.cl.hpp"
#include "types.cl.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <iterator>

using namespace kernels;
using conformance::random_below;
using ferry::Grid;

namespace {

std::vector<int> small_integers(std::size_t size) {
    std::vector<int> result(size);
    for (int& value : result) {
        value = static_cast<int>(random_below(1U << 20)) - (1 << 19);
    }
    return result;
}

int collatz(unsigned n) {
    int steps = 0;
    for (; n > 1; ++steps) {
        n = (n & 1) != 0 ? 3 * n + 1 : n / 2;
    }
    return steps;
}

int classify(int n) {
    const int results[] = {11, 10, -5, -5, 101, 101, 1, 101};
    return results[n & 7];
}

int loops(int v) {
    int count = 0;
    for (int k = 0; k < 12 && k <= (v & 15); ++k) {
        for (int j = k, l = 0; k != 3 && j < 10 && l != 7; j += 2, ++l) {
            count += j ^ l;
        }
    }
    return count;
}

void check_features(const ferry::Device& device, Corpus& c) {
    const ferry::Backend backend = device.backend();
    auto out = c.out<int>(12);
    c.run("features", {1, 1}, out);
    std::vector<int> wanted{backend == ferry::Backend::cuda,
                            backend == ferry::Backend::hip,
                            backend == ferry::Backend::opencl,
                            backend == ferry::Backend::host,
                            FERRY_VERSION_MAJOR * 10000 + FERRY_VERSION_MINOR * 100 + FERRY_VERSION_PATCH,
                            device.info().fp64,
                            device.info().fp64,
                            1,
                            0,
                            120,
                            120,
                            1};
    const std::vector<int> seen = c.read(out);
    // The width of a sub-group. If the text is not translated, the driver may have no sub-groups.
    CHECK((backend == ferry::Backend::opencl ? seen[8] >= 0 : seen[8] >= 1));
    wanted[8] = seen[8];
    check_equal(seen, wanted, "features");
}

} // namespace

KERNEL_TEST("corpus: macros that make casts, literals, names and functions") {
    Corpus c(device, macros_cl);
    const auto in = small_integers(4 * 9);
    std::vector<int> wanted;
    for (std::size_t i = 0; i < 9; ++i) {
        const int x = in[4 * i];
        const int y = in[4 * i + 1];
        const int z = in[4 * i + 2];
        const int w = in[4 * i + 3];
        for (const int v : {x - w, y - z, z - y, w - x, x + y, x - y, x + y + 2 * z + 3 * w, 7, w, y, z, x,
                            10, 8, 20, 255}) {
            wanted.push_back(v);
        }
    }
    auto din = c.in(in);
    auto out = c.out<int>(16 * 9);
    c.run("macros", {3, 3}, din, out);
    check_equal(c.read(out), wanted);
    check_features(device, c);
}

KERNEL_TEST("corpus: names that are keywords in C++, built-in functions or swizzles") {
    Corpus c(device, names_cl);
    const auto in = small_integers(21);
    std::vector<int> wanted;
    for (const int p : in) {
        const int n = p ^ 5;
        for (const int v : {3 * p + n + 15, 76, 140, 147 + p, 5 * p + 8, 6 + 3 * (p + 3), (p + 3) ^ 6,
                            std::min(std::min(p, n), 1000) + 1}) {
            wanted.push_back(v);
        }
    }
    auto din = c.in(in);
    auto out = c.out<int>(8 * 21);
    c.run("names", {3, 7}, din, out);
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: parameters say their names, also where these are names of built-in functions") {
    Corpus c(device, named_cl);
    CHECK(c.parameter("mix", 2).name == "length");
}

KERNEL_TEST("corpus: kernels with names of built-in functions, C's and CUDA's") {
    Corpus c(device, named_cl);
    std::vector<std::string> names = c.names();
    std::sort(names.begin(), names.end());
    std::vector<std::string> wanted_names{"atomic_add", "convert_int4", "distance", "malloc",
                                          "max",        "mix",          "sqrtf",    "vload4"};
    const bool has_all = device.info().platform != "NVIDIA CUDA"; // see named.cl
    if (!has_all) {
        std::erase(wanted_names, "atomic_add");
        std::erase(wanted_names, "convert_int4");
    }
    CHECK(names == wanted_names);
    const std::size_t size = 27;
    std::vector<float> in(size);
    for (float& value : in) {
        value = static_cast<float>(static_cast<int>(random_below(2000)) - 1000);
    }
    auto din = c.in(in);
    const int n = static_cast<int>(random_below(100)) + 3;
    const auto f = static_cast<float>(n);
    const auto check = [&](const char* kernel, auto&& expected) {
        auto out = c.out<float>(size);
        c.run(kernel, {9, 3}, din, out, n);
        std::vector<float> wanted;
        std::transform(in.begin(), in.end(), std::back_inserter(wanted), expected);
        check_equal(c.read(out), wanted, kernel);
    };
    check("mix", [&](float v) { return 2 * v + f; });
    check("max", [&](float v) { return v + f; });
    check("vload4", [&](float v) { return v - f; });
    for (const char* const kernel : {"distance", "sqrtf", "malloc"}) {
        check(kernel, [&](float v) { return std::fabs(v) + f; });
    }
    if (has_all) {
        check("atomic_add", [&](float v) { return v * f; });
        check("convert_int4", [&](float v) { return v + f; });
    }
}

KERNEL_TEST("corpus: sizes, literals, promotions, unions and enumerations") {
    Corpus c(device, types_cl);
    const auto in = conformance::random_values<std::uint32_t>(40);
    std::vector<std::int64_t> wanted;
    for (const std::uint32_t v : in) {
        const std::uint64_t square = static_cast<std::uint64_t>(v) * v;
        const std::int64_t values[] = {8,
                                       4,
                                       1,
                                       16,
                                       48,
                                       5,
                                       (v & 255) + 256 * (v >> 24),
                                       v >> 16,
                                       (v & 1) != 0 ? 5 : 6,
                                       -128,
                                       144,
                                       400,
                                       172,
                                       2147483648,
                                       2147483647,
                                       static_cast<std::int64_t>((square & 0xffffffff) + (square >> 32)),
                                       0,
                                       static_cast<std::int16_t>(v) >> 3,
                                       2147483647LL + (v >> 4 & 255),
                                       -4,
                                       0x3fc00000,
                                       1,
                                       static_cast<std::int64_t>(~std::uint64_t{0} >> (v & 63)),
                                       8 + 255 + 123456789012345};
        wanted.insert(wanted.end(), std::begin(values), std::end(values));
    }
    auto din = c.in(in);
    auto out = c.out<std::int64_t>(24 * in.size());
    c.run("types", {5, 8}, din, out);
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: narrow integers chosen by ?: are promoted") {
    Corpus c(device, types_cl);
    const auto in = conformance::random_values<std::int32_t>(53);
    std::vector<int> wanted;
    for (const std::int32_t v : in) {
        const auto bits = static_cast<std::uint32_t>(v);
        const bool left = (bits >> 24 & 1) != 0;
        const int a = static_cast<std::int8_t>(bits);
        const int b = static_cast<std::int8_t>(bits >> 8);
        const int byte = static_cast<int>((left ? bits : bits >> 8) & 0xff);
        const int s = static_cast<std::int16_t>(bits);
        const int t = static_cast<std::int16_t>(bits >> 16);
        const int half = static_cast<int>((left ? bits : bits >> 16) & 0xffff);
        const int chosen = left ? a : b;
        const auto ones = [](int x) { return std::popcount(static_cast<std::uint32_t>(x)); };
        const auto zeros = [](int x) { return std::countl_zero(static_cast<std::uint32_t>(x)); };
        const int odd = static_cast<int>((bits & 1) != 0 ? bits & 0xffff : bits >> 16);
        const int values[] = {ones(chosen),
                              zeros(byte),
                              ones(left ? s : t),
                              zeros(half),
                              static_cast<int>(std::rotl(static_cast<std::uint32_t>(chosen), 4)),
                              4 + 16 * 4 + 256 * 8,
                              ones(left && (bits & 1) != 0 ? a : b),
                              chosen,
                              static_cast<int>(std::int64_t{s} * t >> 32) + chosen,
                              std::abs(a - b) > 127,
                              ones(left ? a : v),
                              std::max(chosen, 0),
                              chosen + 1000 * b,
                              (byte + 255) >> 1,
                              zeros(byte) - 24,
                              left ? 1 : zeros(odd)};
        wanted.insert(wanted.end(), std::begin(values), std::end(values));
    }
    auto din = c.in(in);
    auto out = c.out<int>(16 * in.size());
    c.run("chosen", {in.size(), 1}, din, out);
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: goto, switch, loops, compound literals and designated initialisers") {
    Corpus c(device, control_cl);
    const std::size_t n = 87;
    const auto in = small_integers(n);
    std::vector<int> wanted;
    for (const int v : in) {
        const int last = v > 0 ? ((v & 1) != 0 ? 1 : 2) : v == 0 ? 3 : 4;
        for (const int w : {collatz(static_cast<unsigned>(v & 1023) + 1), classify(v), loops(v),
                            (v & 7) + 2 + 3 * v + 15 + 14, (v & 3) + 8 + 15 + 30 + 49, 6, 3 * v + 9, last}) {
            wanted.push_back(w);
        }
    }
    auto din = c.in(in);
    auto out = c.out<int>(8 * n);
    c.run("control", Grid::covering(n, 9), din, out, static_cast<std::uint32_t>(n));
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: a store that a compiler lost when it split the loop over work-items") {
    Corpus c(device, split_loops_cl);
    auto in = c.in(conformance::random_values<std::uint64_t>(64));
    auto out = c.out<std::uint64_t>(48);
    c.run("split_loops", {3, 16}, in, out);
    check_equal(c.read(out), std::vector<std::uint64_t>(48, 30722));
}

namespace {

/// Exits with 0 if the kernel's result is right.
int run_literals(const ferry::Device& device) {
    Corpus c(device, literals_cl);
    const auto in = integers_below<std::uint64_t>(4 * 24, 1000);
    std::vector<std::uint64_t> wanted;
    for (std::size_t i = 0; i < in.size(); i += 4) {
        wanted.insert(wanted.end(), {7, 7, 2 * in[i + 1], 2 * in[i]});
    }
    auto din = c.in(in);
    auto out = c.out<std::uint64_t>(in.size());
    c.run("literals", {3, 8}, din, out);
    return c.read(out) == wanted ? 0 : 1;
}

const support::ChildBody literals_child("literals", [](const std::string& device) {
    ferry::configure({.backend = device.substr(0, device.find(':')) + ",host"});
    return run_literals(ferry::find_device(device));
});

} // namespace

// Runs in a separate process, because compilers crash on it.
KERNEL_TEST("corpus: a vector literal that begins with a constant and goes on with a swizzle") {
    support::Child child;
    child.arguments = {"--child=literals|" + device.id()};
    const support::ChildResult result = support::run(child);
    BugLedger ledger(device);
    if (!ledger.covers(std::string(swizzle_behind_constant), "ulong", 4, !result.exited(0))) {
        CHECK_MESSAGE(result.exited(0), result.describe());
    }
    ledger.check_not_stale();
}

KERNEL_TEST("corpus: a build's errors have the file, line and column") {
    const std::string text = "#include \"part.h\"\n"
                             "#define PLUS(x) ((x) + not_in_macro)\n"
                             "__kernel void k(__global float* o) {\n"
                             "    o[0] = not_here;\n"
                             "    o[1] = PLUS(1.0f);\n"
                             "    o[2] = from_header(1.0f);\n"
                             "}\n";
    const std::string header = "// more\nfloat from_header(float x) {\n    return x + not_in_header;\n}\n";
    try {
        const ferry::Program program(device, ferry::Source::opencl_c(text, "wrong.cl"),
                                     {.headers = {{"part.h", header}}});
        FAIL_CHECK("a text with errors was built");
    } catch (const ferry::Error& error) {
        CHECK(error.code() == ferry::Code::build_failed);
        for (const char* place : {"part.h:3:16", "wrong.cl:4:12", "wrong.cl:5:12"}) {
            CHECK_MESSAGE(error.log().find(place) != std::string::npos, place, " in\n", error.log());
        }
    }
}
