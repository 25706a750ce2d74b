// SPDX-License-Identifier: Apache-2.0
#include "bitonic.cl.hpp"
#include "corpus.hpp"
#include "generators.cl.hpp"
#include "histogram.cl.hpp"
#include "mandelbrot.cl.hpp"
#include "reduce.cl.hpp"
#include "sha256.cl.hpp"
#include "sobel.cl.hpp"

#include <algorithm>
#include <array>
#include <string>

using namespace kernels;
using conformance::random_below;
using ferry::Grid;

KERNEL_TEST("corpus: reduction with two local arguments") {
    Corpus c(device, reduce_cl);
    for (const std::size_t local : {1U, 6U, 31U, 64U}) {
        const std::size_t n = 1 + random_below(500);
        const auto in = integers_below<std::uint32_t>(n, 50);
        const std::size_t groups = (n + local - 1) / local;
        std::vector<std::uint32_t> sums;
        std::vector<std::uint32_t> places;
        for (std::size_t g = 0; g < groups; ++g) {
            const auto first = in.begin() + static_cast<std::ptrdiff_t>(g * local);
            const auto last = in.begin() + static_cast<std::ptrdiff_t>(std::min(n, (g + 1) * local));
            std::uint32_t sum = 0;
            std::for_each(first, last, [&](std::uint32_t v) { sum += v; });
            sums.push_back(sum);
            places.push_back(static_cast<std::uint32_t>(std::max_element(first, last) - in.begin()));
        }
        auto din = c.in(in);
        auto s = c.out<std::uint32_t>(groups);
        auto p = c.out<std::uint32_t>(groups);
        c.run("reduce", {groups, local}, din, s, p, ferry::local<std::uint32_t>(local),
              ferry::local<std::uint32_t>(local), static_cast<std::uint32_t>(n));
        check_equal(c.read(s), sums, "sums");
        check_equal(c.read(p), places, "places");
    }
}

KERNEL_TEST("corpus: histogram in local memory, and float sums by compare and exchange") {
    Corpus c(device, histogram_cl);
    const auto in = conformance::random_values<std::uint32_t>(3001);
    std::vector<std::uint32_t> counts(37);
    std::vector<float> weights(37);
    for (const std::uint32_t v : in) {
        ++counts[v % 37];
        weights[v % 37] += static_cast<float>(v % 8);
    }
    auto din = c.in(in);
    auto dc = c.in(std::vector<std::uint32_t>(37));
    auto dw = c.in(std::vector<float>(37));
    c.run("histogram", {5, 19}, din, dc, dw, static_cast<std::uint32_t>(in.size()));
    check_equal(c.read(dc), counts, "counts");
    check_equal(c.read(dw), weights, "weights");
}

KERNEL_TEST("corpus: SHA-256") {
    Corpus c(device, sha256_cl);
    const std::size_t count = 12;
    std::vector<std::uint8_t> messages(64 * count);
    std::vector<std::uint32_t> bytes(count);
    const std::string abc = "abc";
    std::copy(abc.begin(), abc.end(), messages.begin() + 64);
    bytes[1] = 3;
    const std::string long_text = "a and what follows";
    std::copy(long_text.begin(), long_text.end(), messages.begin() + 128);
    bytes[2] = 1; // later text must not count
    auto dm = c.in(messages);
    auto db = c.in(bytes);
    auto out = c.out<std::uint32_t>(8 * count);
    c.run("sha256", {3, 4}, dm, db, out);
    const auto seen = c.read(out);
    // Well-known SHA-256 digests: of "", "abc" and "a".
    const std::vector<std::uint32_t> wanted{
        0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924, 0x27ae41e4, 0x649b934c, 0xa495991b, 0x7852b855,
        0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad,
        0xca978112, 0xca1bbdca, 0xfac231b3, 0x9a23dc4d, 0xa786eff8, 0x147c4e72, 0xb9807785, 0xafee48bb};
    check_equal(std::vector<std::uint32_t>(seen.begin(), seen.begin() + 24), wanted);
    for (std::size_t i = 3; i < count; ++i) {
        check_equal(std::vector<std::uint32_t>(seen.begin() + static_cast<std::ptrdiff_t>(8 * i),
                                               seen.begin() + static_cast<std::ptrdiff_t>(8 * i + 8)),
                    std::vector<std::uint32_t>(wanted.begin(), wanted.begin() + 8));
    }
}

KERNEL_TEST("corpus: bitonic sort of pairs in a local argument") {
    struct Pair {
        std::uint32_t x, y;
    };
    Corpus c(device, bitonic_cl);
    for (const std::size_t local : {2U, 16U, 64U}) {
        auto data = integers_below<std::uint32_t>(2 * 3 * local, 20);
        auto buffer = c.in(data);
        for (std::size_t g = 0; g < 3; ++g) {
            std::vector<std::array<std::uint32_t, 2>> pairs(local);
            for (std::size_t i = 0; i < local; ++i) {
                pairs[i] = {data[2 * (g * local + i)], data[2 * (g * local + i) + 1]};
            }
            std::sort(pairs.begin(), pairs.end());
            for (std::size_t i = 0; i < local; ++i) {
                data[2 * (g * local + i)] = pairs[i][0];
                data[2 * (g * local + i) + 1] = pairs[i][1];
            }
        }
        c.run("bitonic", {3, local}, buffer, ferry::local<Pair>(local));
        check_equal(c.read(buffer), data);
    }
}

KERNEL_TEST("corpus: Mandelbrot set in fixed point") {
    Corpus c(device, mandelbrot_cl);
    const std::uint32_t width = 61;
    const std::uint32_t height = 43;
    const std::uint32_t limit = 100;
    std::vector<std::uint16_t> wanted;
    for (std::int64_t py = 0; py < height; ++py) {
        for (std::int64_t px = 0; px < width; ++px) {
            const std::int64_t cx = (px * 3 << 28) / width - (2LL << 28);
            const std::int64_t cy = (py * 2 << 28) / height - (1LL << 28);
            std::int64_t x = 0;
            std::int64_t y = 0;
            std::uint16_t i = 0;
            while (i < limit && x * x + y * y < 4LL << 56) {
                const std::int64_t next = ((x * x - y * y) >> 28) + cx;
                y = ((x * y) >> 27) + cy;
                x = next;
                ++i;
            }
            wanted.push_back(i);
        }
    }
    auto out = c.out<std::uint16_t>(wanted.size());
    c.run("mandelbrot", Grid::covering({width, height}, {8, 4}), out, width, height, limit);
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: Sobel filter with a vector argument by value") {
    Corpus c(device, sobel_cl);
    struct alignas(8) Size {
        int x, y;
    };
    const Size size{53, 17};
    const auto in = integers_below<std::uint8_t>(static_cast<std::size_t>(size.x * size.y), 256);
    const int weights[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    std::vector<std::uint8_t> wanted;
    for (int y = 0; y < size.y; ++y) {
        for (int x = 0; x < size.x; ++x) {
            int sx = 0;
            int sy = 0;
            for (int j = 0; j < 3; ++j) {
                for (int i = 0; i < 3; ++i) {
                    const int px = std::clamp(x + i - 1, 0, size.x - 1);
                    const int py = std::clamp(y + j - 1, 0, size.y - 1);
                    sx += in[static_cast<std::size_t>(py * size.x + px)] * weights[j][i];
                    sy += in[static_cast<std::size_t>(py * size.x + px)] * weights[i][j];
                }
            }
            wanted.push_back(static_cast<std::uint8_t>(std::min(255, std::abs(sx) + std::abs(sy))));
        }
    }
    auto din = c.in(in);
    auto out = c.out<std::uint8_t>(in.size());
    c.run("sobel", Grid::covering({53, 17}, {16, 2}), din, out, size);
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: xorshift and Philox") {
    Corpus c(device, generators_cl);
    struct alignas(8) Key {
        std::uint32_t x, y;
    };
    const std::uint64_t seed = conformance::random_engine()();
    const Key key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
    const int rounds = 17;
    std::vector<std::uint64_t> sums;
    std::vector<std::uint32_t> blocks;
    for (std::uint32_t i = 0; i < 96; ++i) {
        std::uint64_t state = seed + i + 1;
        std::uint64_t sum = 0;
        for (int r = 0; r < rounds; ++r) {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            sum += state * 0x2545f4914f6cdd1dULL;
        }
        sums.push_back(sum);
        std::array<std::uint32_t, 4> b{i, 0, 0, static_cast<std::uint32_t>(rounds)};
        Key k = key;
        for (int r = 0; r < 10; ++r) {
            const std::uint64_t p = 0xd2511f53ULL * b[0];
            const std::uint64_t q = 0xcd9e8d57ULL * b[2];
            b = {static_cast<std::uint32_t>(q >> 32) ^ b[1] ^ k.x, static_cast<std::uint32_t>(q),
                 static_cast<std::uint32_t>(p >> 32) ^ b[3] ^ k.y, static_cast<std::uint32_t>(p)};
            k = {k.x + 0x9e3779b9U, k.y + 0xbb67ae85U};
        }
        blocks.insert(blocks.end(), b.begin(), b.end());
    }
    auto xorshifts = c.out<std::uint64_t>(96);
    auto philoxes = c.out<std::uint32_t>(4 * 96);
    c.run("generators", {3, 32}, xorshifts, philoxes, seed, key, rounds);
    check_equal(c.read(xorshifts), sums, "xorshift");
    check_equal(c.read(philoxes), blocks, "philox");
}
