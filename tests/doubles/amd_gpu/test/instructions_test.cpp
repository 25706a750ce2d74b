// SPDX-License-Identifier: Apache-2.0
// Instructions from LLVM's assembler, with random operands, against C++.
#include "../addresses.hpp"
#include "../fault.hpp"
#include "../wave.hpp"
#include "assembler.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>

namespace amd_gpu {
namespace {

// A wave with random registers; v1, v2 and v3 have also numbers at the ends of the types.
struct Machine {
    std::mt19937_64 random{std::random_device{}()};
    AddressMap map;
    AddressView memory{map};
    Group group;
    std::unique_ptr<Wave> wave = std::make_unique<Wave>();

    Machine() {
        group.memory = &memory;
        group.lds.resize(1024);
        wave->group = &group;
        refresh();
    }
    void refresh() {
        const u32 edges[] = {0,          1,          ~0U,        0x80000000, 0x7fffffff, 0x3f800000,
                             0xbf800000, 0x7f800000, 0x7fc00000, 0x00000001, 0x00800000, 0x3c00,
                             0x7bff,     0x0001,     0x8000,     0xffff};
        for (unsigned reg = 0; reg < 16; ++reg) {
            for (unsigned lane = 0; lane < lane_count; ++lane) {
                wave->vector[reg][lane] = static_cast<u32>(random());
                if (random() % 8 == 0) {
                    wave->vector[reg][lane] = edges[random() % std::size(edges)];
                }
            }
        }
        for (u32& reg : wave->scalar) {
            reg = static_cast<u32>(random());
        }
        wave->set_pair(reg_exec, ~0ULL);
    }
    // Floats of a moderate size, in registers FIRST to LAST.
    void floats(unsigned first, unsigned last) {
        std::uniform_real_distribution<float> values(-100, 100);
        for (unsigned reg = first; reg <= last; ++reg) {
            for (u32& element : wave->vector[reg].at) {
                element = bits_of(values(random));
            }
        }
    }
    void doubles(unsigned first, unsigned last) {
        std::uniform_real_distribution<double> values(-100, 100);
        for (unsigned reg = first; reg <= last; reg += 2) {
            for (unsigned lane = 0; lane < lane_count; ++lane) {
                const u64 bits = bits_of(values(random));
                wave->vector[reg][lane] = low_half(bits);
                wave->vector[reg + 1][lane] = high_half(bits);
            }
        }
    }
    void run(const std::vector<u32>& code) {
        std::vector<u32> padded = code;
        padded.resize(4);
        const Instruction in = decode(padded.data(), 0x1000);
        CHECK(in.size == code.size() * 4);
        in.run(*wave, in);
    }
    u32 v(unsigned reg, unsigned lane) const { return wave->vector[reg][lane]; }
    u64 vv(unsigned reg, unsigned lane) const { return join(v(reg, lane), v(reg + 1, lane)); }
};

bool same_float(u32 a, u32 b) {
    return a == b || (std::isnan(as_float(a)) && std::isnan(as_float(b)));
}

// The half nearest to VALUE, found among all of them; of two as near, the even one.
u32 nearest_half(double value) {
    if (std::isnan(value)) {
        return 0x7e00;
    }
    u32 best = 0;
    double distance = std::numeric_limits<double>::infinity();
    const u32 sign = std::signbit(value) ? 0x8000 : 0;
    for (u32 bits = 0; bits <= 0x7c00; ++bits) {
        const u32 exponent = bits >> 10;
        const double magnitude = exponent == 0 ? std::ldexp(bits, -24)
                                 : bits == 0x7c00
                                     ? 65536
                                     : std::ldexp(1024 + (bits & 1023), static_cast<int>(exponent) - 25);
        const double away = std::fabs(std::fabs(value) - magnitude);
        if (away < distance || (away == distance && bits % 2 == 0)) {
            best = bits;
            distance = away;
        }
    }
    return std::fabs(value) >= 65520 ? sign | 0x7c00 : sign | best;
}

double half_value(u32 bits) {
    const u32 exponent = bits >> 10 & 31;
    const u32 mantissa = bits & 1023;
    const double magnitude = exponent == 0 ? std::ldexp(mantissa, -24)
                                           : std::ldexp(1024 + mantissa, static_cast<int>(exponent) - 25);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

template <class F>
struct Case {
    const char* text;
    F expected;
};

template <class F, class Each>
void run_cases(const std::vector<Case<F>>& cases, Machine& machine, Each each) {
    std::vector<std::string> texts;
    for (const auto& one : cases) {
        texts.emplace_back(one.text);
    }
    const auto code = assemble(texts, "gfx90a");
    for (std::size_t i = 0; i < cases.size(); ++i) {
        INFO(cases[i].text);
        each(cases[i], code[i], machine);
    }
}

using Words = std::function<u32(u32, u32, u32)>;
using Floats = std::function<float(float, float, float)>;
using Doubles = std::function<double(double, double, double)>;
using Longs = std::function<u64(u64, u64, u64)>;

i32 s(u32 value) {
    return static_cast<i32>(value);
}

} // namespace

TEST_CASE("instructions: words") {
    Machine machine;
    const std::vector<Case<Words>> cases = {
        {"v_add_u32 v0, v1, v2", [](u32 a, u32 b, u32) { return a + b; }},
        {"v_sub_u32 v0, v1, v2", [](u32 a, u32 b, u32) { return a - b; }},
        {"v_subrev_u32 v0, v1, v2", [](u32 a, u32 b, u32) { return b - a; }},
        {"v_add_u32_e64 v0, v1, v2 clamp", [](u32 a, u32 b, u32) { return u64{a} + b > ~0U ? ~0U : a + b; }},
        {"v_add_u32 v0, 64, v2", [](u32, u32 b, u32) { return 64 + b; }},
        {"v_add_u32 v0, -16, v2", [](u32, u32 b, u32) { return b - 16; }},
        {"v_add_u32 v0, 0x12345678, v2", [](u32, u32 b, u32) { return 0x12345678 + b; }},
        {"v_mul_lo_u32 v0, v1, v2", [](u32 a, u32 b, u32) { return a * b; }},
        {"v_mul_hi_u32 v0, v1, v2", [](u32 a, u32 b, u32) { return static_cast<u32>(u64{a} * b >> 32); }},
        {"v_mul_hi_i32 v0, v1, v2",
         [](u32 a, u32 b, u32) { return static_cast<u32>(i64{s(a)} * s(b) >> 32); }},
        {"v_mul_u32_u24 v0, v1, v2", [](u32 a, u32 b, u32) { return (a & 0xffffff) * (b & 0xffffff); }},
        {"v_lshlrev_b32 v0, v1, v2", [](u32 a, u32 b, u32) { return b << a % 32; }},
        {"v_ashrrev_i32 v0, v1, v2", [](u32 a, u32 b, u32) { return static_cast<u32>(s(b) >> a % 32); }},
        {"v_min_i32 v0, v1, v2", [](u32 a, u32 b, u32) { return static_cast<u32>(std::min(s(a), s(b))); }},
        {"v_max_u32 v0, v1, v2", [](u32 a, u32 b, u32) { return std::max(a, b); }},
        {"v_xnor_b32 v0, v1, v2", [](u32 a, u32 b, u32) { return ~(a ^ b); }},
        {"v_bfe_u32 v0, v1, 5, 9", [](u32 a, u32, u32) { return a / 32 % 512; }},
        {"v_bfe_i32 v0, v1, 4, 8",
         [](u32 a, u32, u32) { return static_cast<u32>(i32{static_cast<i8>(a >> 4)}); }},
        {"v_bfi_b32 v0, v1, v2, v3", [](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }},
        {"v_alignbit_b32 v0, v1, v2, 8", [](u32 a, u32 b, u32) { return a << 24 | b >> 8; }},
        {"v_add3_u32 v0, v1, v2, v3", [](u32 a, u32 b, u32 c) { return a + b + c; }},
        {"v_lshl_add_u32 v0, v1, 3, v3", [](u32 a, u32, u32 c) { return a * 8 + c; }},
        {"v_med3_i32 v0, v1, v2, v3",
         [](u32 a, u32 b, u32 c) {
             std::array<i32, 3> all = {s(a), s(b), s(c)};
             std::sort(all.begin(), all.end());
             return static_cast<u32>(all[1]);
         }},
        {"v_sad_u32 v0, v1, v2, v3",
         [](u32 a, u32 b, u32 c) { return static_cast<u32>(std::abs(i64{a} - i64{b})) + c; }},
        {"v_perm_b32 v0, v1, v2, 0", [](u32, u32 b, u32) { return (b & 255) * 0x01010101; }},
        {"v_bfrev_b32 v0, v1",
         [](u32 a, u32, u32) {
             u32 out = 0;
             for (unsigned i = 0; i < 32; ++i) {
                 out = out << 1 | (a >> i & 1);
             }
             return out;
         }},
        {"v_ffbh_u32 v0, v1",
         [](u32 a, u32, u32) { return a == 0 ? ~0U : static_cast<u32>(__builtin_clz(a)); }},
        {"v_bcnt_u32_b32 v0, v1, v2",
         [](u32 a, u32 b, u32) { return static_cast<u32>(__builtin_popcount(a)) + b; }},
        {"v_pk_add_u16 v0, v1, v2",
         [](u32 a, u32 b, u32) { return ((a + b) & 0xffff) | ((a >> 16) + (b >> 16)) << 16; }},
        {"v_pk_mul_lo_u16 v0, v1, v2",
         [](u32 a, u32 b, u32) { return ((a * b) & 0xffff) | (a >> 16) * (b >> 16) << 16; }},
        {"v_pk_add_u16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1]",
         [](u32 a, u32 b, u32) { return (((a >> 16) + b) & 0xffff) | ((a & 0xffff) + (b >> 16)) << 16; }},
        // SDWA
        {"v_add_u32_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:WORD_1",
         [](u32 a, u32 b, u32) { return (a >> 8 & 255) + (b >> 16); }},
        {"v_mov_b32_sdwa v0, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3",
         [](u32 a, u32, u32) { return static_cast<u32>(s(a) >> 24); }},
        {"v_or_b32_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:BYTE_2",
         [](u32 a, u32 b, u32) { return ((a & 255) | (b >> 16 & 255)) << 16; }},
    };
    run_cases(cases, machine, [](const Case<Words>& one, const std::vector<u32>& code, Machine& m) {
        for (unsigned round = 0; round < 4; ++round) {
            m.refresh();
            m.run(code);
            for (unsigned lane = 0; lane < lane_count; ++lane) {
                INFO("lane ", lane, ": ", m.v(1, lane), " ", m.v(2, lane), " ", m.v(3, lane));
                CHECK(m.v(0, lane) == one.expected(m.v(1, lane), m.v(2, lane), m.v(3, lane)));
            }
        }
    });
}

TEST_CASE("instructions: floats are rounded as IEEE requires") {
    Machine machine;
    const std::vector<Case<Floats>> cases = {
        {"v_add_f32 v0, v1, v2", [](float a, float b, float) { return a + b; }},
        {"v_mul_f32 v0, v1, v2", [](float a, float b, float) { return a * b; }},
        {"v_sub_f32_e64 v0, -v1, |v2|", [](float a, float b, float) { return -a - std::fabs(b); }},
        {"v_fma_f32 v0, v1, v2, v3", [](float a, float b, float c) { return std::fma(a, b, c); }},
        {"v_add_f32_e64 v0, v1, v2 mul:4", [](float a, float b, float) { return (a + b) * 4; }},
        {"v_add_f32_e64 v0, v1, v2 clamp",
         [](float a, float b, float) { return std::min(std::max(a + b, 0.0F), 1.0F); }},
        {"v_floor_f32 v0, v1", [](float a, float, float) { return std::floor(a); }},
        {"v_rndne_f32 v0, v1", [](float a, float, float) { return std::nearbyint(a); }},
        {"v_max3_f32 v0, v1, v2, v3", [](float a, float b, float c) { return std::max(a, std::max(b, c)); }},
        {"v_cvt_f32_i32 v0, v1", [](float a, float, float) { return static_cast<float>(s(bits_of(a))); }},
        {"v_ldexp_f32 v0, v1, 3", [](float a, float, float) { return a * 8; }},
        {"v_add_f32 v0, 0.5, v2", [](float, float b, float) { return 0.5F + b; }},
    };
    run_cases(cases, machine, [](const Case<Floats>& one, const std::vector<u32>& code, Machine& m) {
        m.floats(1, 3);
        m.run(code);
        for (unsigned lane = 0; lane < lane_count; ++lane) {
            const float expected =
                one.expected(as_float(m.v(1, lane)), as_float(m.v(2, lane)), as_float(m.v(3, lane)));
            CHECK(same_float(m.v(0, lane), bits_of(expected)));
        }
    });
    // Denormals, infinities and NaN as operands.
    const auto code = assemble({"v_mul_f32 v0, v1, v2", "v_min_f32 v0, v1, v2"}, "gfx90a");
    for (unsigned round = 0; round < 16; ++round) {
        machine.refresh();
        machine.run(code[0]);
        for (unsigned lane = 0; lane < lane_count; ++lane) {
            const float product = as_float(machine.v(1, lane)) * as_float(machine.v(2, lane));
            CHECK(same_float(machine.v(0, lane), bits_of(product)));
        }
    }
}

TEST_CASE("instructions: doubles and 64-bit integers") {
    Machine machine;
    const std::vector<Case<Doubles>> doubles = {
        {"v_add_f64 v[0:1], v[2:3], v[4:5]", [](double a, double b, double) { return a + b; }},
        {"v_mul_f64 v[0:1], v[2:3], -v[4:5]", [](double a, double b, double) { return a * -b; }},
        {"v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]",
         [](double a, double b, double c) { return std::fma(a, b, c); }},
        {"v_max_f64 v[0:1], v[2:3], v[4:5]", [](double a, double b, double) { return std::max(a, b); }},
        {"v_floor_f64 v[0:1], v[2:3]", [](double a, double, double) { return std::floor(a); }},
    };
    run_cases(doubles, machine, [](const Case<Doubles>& one, const std::vector<u32>& code, Machine& m) {
        m.doubles(2, 7);
        m.run(code);
        for (unsigned lane = 0; lane < lane_count; ++lane) {
            CHECK(as_double(m.vv(0, lane)) ==
                  one.expected(as_double(m.vv(2, lane)), as_double(m.vv(4, lane)), as_double(m.vv(6, lane))));
        }
    });
    const std::vector<Case<Longs>> longs = {
        {"v_lshlrev_b64 v[0:1], v2, v[4:5]", [](u64 a, u64 b, u64) { return b << a % 64; }},
        {"v_ashrrev_i64 v[0:1], v2, v[4:5]",
         [](u64 a, u64 b, u64) { return static_cast<u64>(static_cast<i64>(b) >> a % 64); }},
        {"v_mad_u64_u32 v[0:1], vcc, v2, v4, v[6:7]",
         [](u64 a, u64 b, u64 c) { return u64{low_half(a)} * low_half(b) + c; }},
        {"v_mad_i64_i32 v[0:1], vcc, v2, v4, v[6:7]",
         [](u64 a, u64 b, u64 c) { return static_cast<u64>(i64{s(low_half(a))} * s(low_half(b))) + c; }},
    };
    run_cases(longs, machine, [](const Case<Longs>& one, const std::vector<u32>& code, Machine& m) {
        m.refresh();
        m.run(code);
        for (unsigned lane = 0; lane < lane_count; ++lane) {
            CHECK(m.vv(0, lane) == one.expected(m.vv(2, lane), m.vv(4, lane), m.vv(6, lane)));
        }
    });
    // A sum of pairs, with the carry in VCC.
    const auto code =
        assemble({"v_add_co_u32 v0, vcc, v2, v4", "v_addc_co_u32 v1, vcc, v3, v5, vcc"}, "gfx90a");
    machine.refresh();
    machine.run(code[0]);
    machine.run(code[1]);
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        CHECK(machine.vv(0, lane) == machine.vv(2, lane) + machine.vv(4, lane));
    }
}

TEST_CASE("instructions: halves are rounded once") {
    Machine machine;
    const auto code = assemble(
        {"v_add_f16 v0, v1, v2", "v_mul_f16 v0, v1, v2", "v_fma_f16 v0, v1, v2, v3", "v_cvt_f16_f32 v0, v1"},
        "gfx90a");
    for (unsigned i = 0; i < code.size(); ++i) {
        INFO("instruction ", i);
        machine.refresh();
        for (unsigned reg = 1; reg <= 3; ++reg) {
            for (u32& element : machine.wave->vector[reg].at) {
                element &= 0xbfff; // finite
                element = (element & 0x7c00) == 0x7c00 ? element & ~0x400U : element;
            }
        }
        if (i == 3) {
            machine.floats(1, 1);
        }
        machine.run(code[i]);
        for (unsigned lane = 0; lane < lane_count; lane += 4) {
            const double a = half_value(machine.v(1, lane));
            const double b = half_value(machine.v(2, lane));
            const double c = half_value(machine.v(3, lane));
            const double exact = i == 0   ? a + b
                                 : i == 1 ? a * b
                                 : i == 2 ? a * b + c
                                          : as_float(machine.v(1, lane));
            CHECK((machine.v(0, lane) & 0xffff) == nearest_half(exact));
        }
    }
}

TEST_CASE("instructions: only lanes of EXEC are written, and DPP reads others") {
    Machine machine;
    const auto code =
        assemble({"v_mov_b32 v0, v1", "v_mov_b32_dpp v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf",
                  "v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
                  "v_cmp_lt_u32 vcc, v1, v2", "v_cndmask_b32 v0, v1, v2, vcc"},
                 "gfx90a");
    const u64 exec = machine.random() | 1;
    machine.wave->set_pair(reg_exec, exec);
    const Lanes32 before = machine.wave->vector[0];
    machine.run(code[0]);
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        CHECK(machine.v(0, lane) == ((exec >> lane & 1) != 0 ? machine.v(1, lane) : before[lane]));
    }
    machine.refresh();
    const Lanes32 old = machine.wave->vector[0];
    machine.run(code[1]);
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        CHECK(machine.v(0, lane) == (lane % 16 == 0 ? old[lane] : machine.v(1, lane - 1)));
    }
    machine.run(code[2]);
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        CHECK(machine.v(0, lane) == machine.v(1, lane ^ 1));
    }
    machine.run(code[3]);
    machine.run(code[4]);
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        CHECK(machine.v(0, lane) == std::max(machine.v(1, lane), machine.v(2, lane)));
    }
}

TEST_CASE("instructions: atomics and bounds of memory and LDS") {
    Machine machine;
    alignas(8) static u32 words[lane_count * 2];
    const auto base = reinterpret_cast<u64>(words);
    machine.map.add({base, base + sizeof words, reinterpret_cast<u8*>(words)});
    const auto code =
        assemble({"global_atomic_add v0, v[2:3], v4, off glc", "global_atomic_umax_x2 v[2:3], v[4:5], off",
                  "ds_add_rtn_u32 v0, v2, v4", "global_load_dwordx2 v[0:1], v[2:3], off"},
                 "gfx90a");
    for (u32& word : words) {
        word = 5;
    }
    const auto aim = [&](u64 stride) {
        for (unsigned lane = 0; lane < lane_count; ++lane) {
            machine.wave->vector[2][lane] = low_half(base + lane * stride);
            machine.wave->vector[3][lane] = high_half(base + lane * stride);
        }
    };
    aim(0);
    machine.run(code[0]);
    u32 sum = 5;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        CHECK(machine.v(0, lane) == sum);
        sum += machine.v(4, lane);
    }
    CHECK(words[0] == sum);
    aim(8);
    std::array<u64, lane_count> maxima;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        maxima[lane] = std::max(join(words[2 * lane], words[2 * lane + 1]), machine.vv(4, lane));
    }
    machine.run(code[1]);
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        CHECK(join(words[2 * lane], words[2 * lane + 1]) == maxima[lane]);
    }
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        machine.wave->vector[2][lane] = 1020;
    }
    machine.run(code[2]);
    machine.wave->vector[2][17] = 1024;
    try {
        machine.run(code[2]);
        FAIL("an atomic past the end of LDS was not reported");
    } catch (const Fault& fault) {
        CHECK(fault.lane == 17);
        CHECK(fault.address == 1024);
        CHECK(std::string(fault.what()).find("past the 1024 bytes of the group") != std::string::npos);
    }
    aim(8);
    machine.wave->vector[2][40] += 8 * lane_count;
    CHECK_THROWS_WITH_AS(machine.run(code[3]), doctest::Contains("past the allocation of 512 bytes"), Fault);
}

TEST_CASE("instructions: an offset wraps a negative LDS address") {
    Machine machine;
    const auto code = assemble({"ds_write_b32 v2, v4 offset:64", "ds_read_b32 v0, v2 offset:64"}, "gfx90a");
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        machine.wave->vector[2][lane] = 4 * lane - 64;
    }
    machine.run(code[0]);
    machine.run(code[1]);
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        CHECK(machine.v(0, lane) == machine.v(4, lane));
    }
}

} // namespace amd_gpu
