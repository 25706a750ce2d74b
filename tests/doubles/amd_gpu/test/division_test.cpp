// SPDX-License-Identifier: Apache-2.0
// The steps of a division, in the order in which LLVM emits them, against the processor's division.
#include "../addresses.hpp"
#include "../wave.hpp"
#include "assembler.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <random>
#include <utility>

namespace amd_gpu {
namespace {

struct Divider {
    std::mt19937_64 random{std::random_device{}()};
    AddressMap map;
    AddressView memory{map};
    Group group;
    std::unique_ptr<Wave> wave = std::make_unique<Wave>();
    std::vector<std::vector<u32>> code;

    explicit Divider(const std::vector<std::string>& texts) : code(assemble(texts, "gfx90a")) {
        group.memory = &memory;
        wave->group = &group;
        wave->set_pair(reg_exec, ~0ULL);
    }
    void run() {
        for (std::vector<u32> words : code) {
            words.resize(4);
            const Instruction in = decode(words.data(), 0x1000);
            in.run(*wave, in);
        }
    }
    u64 pair(unsigned reg, unsigned lane) const {
        return join(wave->vector[reg][lane], wave->vector[reg + 1][lane]);
    }
    void set_pair(unsigned reg, unsigned lane, u64 bits) {
        wave->vector[reg][lane] = low_half(bits);
        wave->vector[reg + 1][lane] = high_half(bits);
    }
};

// A numerator and a denominator of all exponents. One in eight has few bits, so that quotients are exact or
// ties. The quotients of one pair in four are about as small as denormals.
std::pair<u64, u64> operands(std::mt19937_64& random, unsigned mantissa_bits, unsigned exponent_mask) {
    u64 bits[] = {random(), random()};
    for (u64& number : bits) {
        if (random() % 8 == 0) {
            number &= ~((1ULL << (mantissa_bits - 1 - random() % 4)) - 1);
        }
    }
    if (random() % 4 == 0) {
        const u64 exponent = bits[1] >> mantissa_bits & exponent_mask;
        const u64 smaller = exponent_mask / 2 - 4 + random() % (mantissa_bits + 8);
        if (random() % 2 == 0) { // the quotient is a power of two, or the number below
            bits[0] = bits[1] - random() % 2;
        }
        bits[0] &= ~(static_cast<u64>(exponent_mask) << mantissa_bits);
        bits[0] |= (exponent < smaller ? 0 : exponent - smaller) << mantissa_bits;
    }
    return {bits[0], bits[1]};
}

} // namespace

TEST_CASE("division: float quotients are rounded correctly") {
    Divider divider({"v_div_scale_f32 v3, s[0:1], v2, v2, v1", "v_rcp_f32 v4, v3",
                     "v_div_scale_f32 v6, vcc, v1, v2, v1", "v_fma_f32 v7, -v3, v4, 1.0",
                     "v_fma_f32 v4, v7, v4, v4", "v_mul_f32 v7, v6, v4", "v_fma_f32 v8, -v3, v7, v6",
                     "v_fma_f32 v7, v8, v4, v7", "v_fma_f32 v3, -v3, v7, v6", "v_div_fmas_f32 v3, v3, v4, v7",
                     "v_div_fixup_f32 v0, v3, v2, v1"});
    for (unsigned round = 0; round < 2000; ++round) {
        for (unsigned lane = 0; lane < lane_count; ++lane) {
            const auto [numerator, denominator] = operands(divider.random, 23, 255);
            divider.wave->vector[1][lane] = static_cast<u32>(numerator);
            divider.wave->vector[2][lane] = static_cast<u32>(denominator);
        }
        divider.run();
        for (unsigned lane = 0; lane < lane_count; ++lane) {
            const float a = as_float(divider.wave->vector[1][lane]);
            const float b = as_float(divider.wave->vector[2][lane]);
            const float got = as_float(divider.wave->vector[0][lane]);
            INFO(a, " / ", b, " is ", a / b, ", not ", got);
            REQUIRE((bits_of(got) == bits_of(a / b) || (std::isnan(got) && std::isnan(a / b))));
        }
    }
}

TEST_CASE("division: double quotients are rounded correctly") {
    Divider divider({"v_div_scale_f64 v[6:7], s[0:1], v[4:5], v[4:5], v[2:3]", "v_rcp_f64 v[8:9], v[6:7]",
                     "v_fma_f64 v[10:11], -v[6:7], v[8:9], 1.0", "v_fma_f64 v[8:9], v[8:9], v[10:11], v[8:9]",
                     "v_fma_f64 v[10:11], -v[6:7], v[8:9], 1.0", "v_fma_f64 v[8:9], v[8:9], v[10:11], v[8:9]",
                     "v_div_scale_f64 v[10:11], vcc, v[2:3], v[4:5], v[2:3]",
                     "v_mul_f64 v[12:13], v[10:11], v[8:9]", "v_fma_f64 v[6:7], -v[6:7], v[12:13], v[10:11]",
                     "v_div_fmas_f64 v[6:7], v[6:7], v[8:9], v[12:13]",
                     "v_div_fixup_f64 v[0:1], v[6:7], v[4:5], v[2:3]"});
    for (unsigned round = 0; round < 2000; ++round) {
        for (unsigned lane = 0; lane < lane_count; ++lane) {
            const auto [numerator, denominator] = operands(divider.random, 52, 2047);
            divider.set_pair(2, lane, numerator);
            divider.set_pair(4, lane, denominator);
        }
        divider.run();
        for (unsigned lane = 0; lane < lane_count; ++lane) {
            const double a = as_double(divider.pair(2, lane));
            const double b = as_double(divider.pair(4, lane));
            const double got = as_double(divider.pair(0, lane));
            INFO(a, " / ", b, " is ", a / b, ", not ", got);
            REQUIRE((bits_of(got) == bits_of(a / b) || (std::isnan(got) && std::isnan(a / b))));
        }
    }
}

TEST_CASE("division: the last step rounds a scaled result once") {
    Divider divider({"v_div_fmas_f32 v0, v1, v2, v3"});
    divider.wave->set_pair(reg_vcc, ~0ULL);
    // Divided by 2^64, these are halfway between two denormals, but for a product that a double sum does not
    // hold.
    const float lower = 11 * 0x1p-86F;
    const float upper = 13 * 0x1p-86F;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        divider.wave->vector[1][lane] = bits_of(lane % 2 == 0 ? 0x1p-140F : -0x1p-140F);
        divider.wave->vector[2][lane] = bits_of(1.0F);
        divider.wave->vector[3][lane] = bits_of(lane / 2 % 2 == 0 ? lower : upper);
    }
    divider.run();
    constexpr u32 expected[] = {6, 5, 7, 6};
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        CHECK(divider.wave->vector[0][lane] == expected[lane % 4]);
    }
}

} // namespace amd_gpu
