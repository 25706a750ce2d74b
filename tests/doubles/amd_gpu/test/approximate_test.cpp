// SPDX-License-Identifier: Apache-2.0
// Instructions that AMD documents as approximate: their errors, against long double.
#include "../half.hpp"
#include "../wave.hpp"
#include "assembler.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

namespace amd_gpu {
namespace {

using Function = long double (*)(long double);

struct Approximate {
    const char* text;
    Function expected;
};

const Approximate floats[] = {
    {"v_rcp_f32 v0, v2", [](long double a) { return 1 / a; }},
    {"v_rcp_iflag_f32 v0, v2", [](long double a) { return 1 / a; }},
    {"v_rsq_f32 v0, v2", [](long double a) { return 1 / std::sqrt(a); }},
    {"v_sqrt_f32 v0, v2", [](long double a) { return std::sqrt(a); }},
    {"v_exp_f32 v0, v2", [](long double a) { return std::exp2(a); }},
    {"v_log_f32 v0, v2", [](long double a) { return std::log2(a); }},
};
const Approximate halves[] = {
    {"v_rcp_f16 v0, v2", [](long double a) { return 1 / a; }},
    {"v_rsq_f16 v0, v2", [](long double a) { return 1 / std::sqrt(a); }},
    {"v_sqrt_f16 v0, v2", [](long double a) { return std::sqrt(a); }},
    {"v_exp_f16 v0, v2", [](long double a) { return std::exp2(a); }},
    {"v_log_f16 v0, v2", [](long double a) { return std::log2(a); }},
};
const Approximate doubles[] = {
    {"v_rcp_f64 v[0:1], v[2:3]", [](long double a) { return 1 / a; }},
    {"v_rsq_f64 v[0:1], v[2:3]", [](long double a) { return 1 / std::sqrt(a); }},
    {"v_sqrt_f64 v[0:1], v[2:3]", [](long double a) { return std::sqrt(a); }},
};

struct Machine {
    std::mt19937_64 random{std::random_device{}()};
    Group group;
    std::unique_ptr<Wave> wave = std::make_unique<Wave>();

    Machine() {
        wave->group = &group;
        wave->set_pair(reg_exec, ~0ULL);
    }
    double below(double limit) {
        return std::uniform_real_distribution<double>(limit * 0x1p-8, limit)(random);
    }
    void run(const char* text) {
        std::vector<u32> code = assemble({text}, "gfx90a").at(0);
        code.resize(4);
        const Instruction in = decode(code.data(), 0x1000);
        in.run(*wave, in);
    }
};

// The error in units of a number with DIGITS bits of mantissa.
long double error_of(long double seen, long double wanted, int digits) {
    int exponent = 0;
    std::frexp(wanted, &exponent);
    return std::fabs(std::ldexp(seen - wanted, digits - exponent));
}

} // namespace

TEST_CASE("approximate instructions: float and half have errors of up to one unit") {
    Machine m;
    for (const Approximate& one : floats) {
        INFO(std::string(one.text));
        long double worst = 0;
        for (unsigned round = 0; round < 20; ++round) {
            for (u32& element : m.wave->vector[2].at) {
                element = bits_of(static_cast<float>(m.below(60)));
            }
            m.run(one.text);
            for (unsigned lane = 0; lane < lane_count; ++lane) {
                const long double wanted = one.expected(as_float(m.wave->vector[2][lane]));
                worst = std::max(worst, error_of(as_float(m.wave->vector[0][lane]), wanted, 24));
            }
        }
        CHECK(worst <= 1);
        CHECK(worst > 0.6L); // not rounded correctly
    }
    for (const Approximate& one : halves) {
        INFO(std::string(one.text));
        long double worst = 0;
        for (unsigned round = 0; round < 20; ++round) {
            for (u32& element : m.wave->vector[2].at) {
                element = to_half(m.below(12));
            }
            m.run(one.text);
            for (unsigned lane = 0; lane < lane_count; ++lane) {
                const long double wanted = one.expected(from_half(m.wave->vector[2][lane]));
                if (std::fabs(wanted) >= 0x1p-14L) {
                    worst = std::max(worst, error_of(from_half(m.wave->vector[0][lane]), wanted, 11));
                }
            }
        }
        CHECK(worst <= 1);
        CHECK(worst > 0.6L);
    }
}

TEST_CASE("approximate instructions: double has errors of up to 2^29 units") {
    Machine m;
    for (const Approximate& one : doubles) {
        INFO(std::string(one.text));
        long double worst = 0;
        for (unsigned round = 0; round < 20; ++round) {
            for (unsigned lane = 0; lane < lane_count; ++lane) {
                const u64 bits = bits_of(m.below(1000));
                m.wave->vector[2][lane] = low_half(bits);
                m.wave->vector[3][lane] = high_half(bits);
            }
            m.run(one.text);
            for (unsigned lane = 0; lane < lane_count; ++lane) {
                const auto value = [&](unsigned reg) {
                    return as_double(join(m.wave->vector[reg][lane], m.wave->vector[reg + 1][lane]));
                };
                worst = std::max(worst, error_of(value(0), one.expected(value(2)), 53));
            }
        }
        CHECK(worst <= 0x1p29L + 1);
        CHECK(worst > 0x1p28L);
    }
}

TEST_CASE("approximate instructions: denormal floats are flushed, results that are representable are exact") {
    Machine m;
    const float infinity = std::numeric_limits<float>::infinity();
    const struct {
        const char* text;
        float from, to;
    } exact[] = {
        {"v_exp_f32 v0, v2", -0.0F, 1},
        {"v_exp_f32 v0, v2", -130, 0},
        {"v_exp_f32 v0, v2", -infinity, 0},
        {"v_log_f32 v0, v2", 1, 0},
        {"v_log_f32 v0, v2", 0x1p-130F, -infinity},
        {"v_rcp_f32 v0, v2", -2, -0.5F},
        {"v_rcp_f32 v0, v2", 0x1p-149F, infinity},
        {"v_rcp_f32 v0, v2", 0x1p127F, 0},
        {"v_rcp_f32 v0, v2", -0.0F, -infinity},
        {"v_rsq_f32 v0, v2", 4, 0.5F},
        {"v_rsq_f32 v0, v2", -0.0F, -infinity},
        {"v_sqrt_f32 v0, v2", 4, 2},
        {"v_sqrt_f32 v0, v2", -0.0F, -0.0F},
        {"v_sqrt_f32 v0, v2", 0x1p-140F, 0},
    };
    for (const auto& one : exact) {
        INFO(std::string(one.text), " of ", one.from);
        m.wave->vector[2][7] = bits_of(one.from);
        m.run(one.text);
        CHECK(m.wave->vector[0][7] == bits_of(one.to));
    }
}

} // namespace amd_gpu
