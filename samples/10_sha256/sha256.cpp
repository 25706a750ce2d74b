// SPDX-License-Identifier: Apache-2.0
#include "sha256.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <vector>

namespace {

// The standard defines its constants as the first 32 bits of the fractions of roots of primes. Computing them
// here makes the check independent of the table in search.cl.
struct Constants {
    std::array<std::uint32_t, 64> rounds{};
    std::array<std::uint32_t, 8> start{};

    Constants() {
        std::size_t n = 0;
        for (std::uint32_t p = 2; n < rounds.size(); ++p) {
            bool prime = true;
            for (std::uint32_t d = 2; d * d <= p; ++d) {
                prime = prime && p % d != 0;
            }
            if (prime) {
                rounds[n] = fraction(std::cbrt(static_cast<long double>(p)));
                if (n < start.size()) {
                    start[n] = fraction(std::sqrt(static_cast<long double>(p)));
                }
                ++n;
            }
        }
    }
    static std::uint32_t fraction(long double x) {
        return static_cast<std::uint32_t>((x - std::floor(x)) * 4294967296.0L);
    }
};

void add_block(std::array<std::uint32_t, 8>& state, const std::uint8_t* block,
               const std::array<std::uint32_t, 64>& constants) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t t = 0; t < 16; ++t) {
        for (std::size_t i = 0; i < 4; ++i) {
            w[t] = w[t] << 8 | block[4 * t + i];
        }
    }
    for (std::size_t t = 16; t < 64; ++t) {
        const std::uint32_t x = w[t - 15];
        const std::uint32_t y = w[t - 2];
        w[t] = w[t - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3)) + w[t - 7] +
               (std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10));
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t t = 0; t < 64; ++t) {
        const std::uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                  ((e & f) ^ (~e & g)) + constants[t] + w[t];
        const std::uint32_t two =
            (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + one;
        d = c;
        c = b;
        b = a;
        a = one + two;
    }
    const std::array<std::uint32_t, 8> all{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) {
        state[i] += all[i];
    }
}

} // namespace

Digest sha256(std::span<const std::uint8_t> message) {
    static const Constants constants;
    std::vector<std::uint8_t> padded(message.begin(), message.end());
    padded.push_back(0x80);
    while (padded.size() % 64 != 56) {
        padded.push_back(0);
    }
    for (int shift = 56; shift >= 0; shift -= 8) {
        padded.push_back(static_cast<std::uint8_t>(std::uint64_t{message.size()} * 8 >> shift));
    }
    std::array<std::uint32_t, 8> state = constants.start;
    for (std::size_t at = 0; at < padded.size(); at += 64) {
        add_block(state, padded.data() + at, constants.rounds);
    }
    Digest digest;
    for (std::size_t i = 0; i < digest.size(); ++i) {
        digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
    }
    return digest;
}

std::size_t leading_zero_bits(const Digest& digest) {
    std::size_t bits = 0;
    for (const std::uint8_t byte : digest) {
        bits += static_cast<std::size_t>(std::countl_zero(byte));
        if (byte != 0) {
            break;
        }
    }
    return bits;
}

std::string hex(std::span<const std::uint8_t> bytes) {
    return fmt::format("{:02x}", fmt::join(bytes, ""));
}
