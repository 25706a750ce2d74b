// SPDX-License-Identifier: Apache-2.0
// How many wave instructions a second the interpreter executes on one core: five runs of each program, by the
// processor time of this thread. Times decide no test, so it runs only when asked: amd_gpu_instructions -ns
// -tc='speed*'
#include "../engine.hpp"
#include "assembler.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace amd_gpu {
namespace {

struct Program {
    const char* name;
    std::vector<std::string> before, body; // BODY runs 1000 times in each wave
};

// s[0:1]: the arguments. v0: the local id. s8 counts, s[2:3] is the address of the memory.
const std::vector<Program> programs = {
    {"integers",
     {"v_mov_b32 v1, 0x1234567", "v_mov_b32 v2, v0"},
     {"v_add_u32 v1, v1, v2", "v_lshlrev_b32 v3, 7, v1", "v_xor_b32 v2, v2, v3",
      "v_alignbit_b32 v4, v1, v1, 11", "v_and_b32 v5, v4, v2", "v_add3_u32 v1, v5, v4, v2",
      "v_bfi_b32 v6, v1, v2, v5", "v_add_u32 v2, v6, v3", "v_lshrrev_b32 v3, 3, v2",
      "v_mul_lo_u32 v7, v3, v1", "v_or_b32 v1, v1, v7", "v_sub_u32 v2, v2, v7"}},
    {"floats",
     {"v_cvt_f32_u32 v1, v0", "v_mov_b32 v2, 0.5", "v_mov_b32 v3, 1.0"},
     {"v_fma_f32 v4, v1, v2, v3", "v_mul_f32 v5, v4, v2", "v_fmac_f32 v3, v5, v2", "v_add_f32 v6, v5, v1",
      "v_mul_f32 v6, 0.5, v6", "v_sub_f32 v7, v6, v4", "v_fma_f32 v1, v7, v2, -v1", "v_max_f32 v2, v2, v7",
      "v_min_f32 v2, 1.0, v2", "v_cmp_lt_f32 vcc, v1, v2", "v_cndmask_b32 v3, v3, v4, vcc"}},
    {"doubles",
     {"v_cvt_f64_u32 v[2:3], v0", "v_mov_b32 v4, 0", "v_mov_b32 v5, 0x3fe00000"},
     {"v_fma_f64 v[6:7], v[2:3], v[4:5], v[4:5]", "v_mul_f64 v[2:3], v[6:7], v[4:5]",
      "v_add_f64 v[8:9], v[2:3], v[6:7]", "v_cmp_lt_f64 vcc, v[2:3], v[8:9]",
      "v_cndmask_b32 v2, v2, v6, vcc"}},
    {"memory",
     {"v_lshlrev_b32 v1, 2, v0", "v_mov_b32 v3, s3", "v_add_co_u32 v2, vcc, s2, v1",
      "v_addc_co_u32 v3, vcc, 0, v3, vcc"},
     {"global_load_dword v4, v[2:3], off", "s_waitcnt vmcnt(0)", "v_add_u32 v4, 1, v4",
      "global_store_dword v[2:3], v4, off", "global_load_dword v5, v1, s[2:3] offset:1024",
      "s_waitcnt vmcnt(0)", "v_add_u32 v5, v4, v5", "global_store_dword v1, v5, s[2:3] offset:1024"}},
    {"lds",
     {"v_lshlrev_b32 v1, 2, v0", "v_mov_b32 v2, 0"},
     {"ds_write_b32 v1, v2", "s_waitcnt lgkmcnt(0)", "s_barrier", "ds_read_b32 v3, v1 offset:4",
      "s_waitcnt lgkmcnt(0)", "v_add_u32 v2, v2, v3", "s_barrier"}},
    {"divergence",
     {"v_mov_b32 v1, v0", "v_mov_b32 v2, 0"},
     {"v_and_b32 v3, 3, v1", "v_cmp_eq_u32 vcc, 0, v3", "s_and_saveexec_b64 s[10:11], vcc",
      "v_add_u32 v2, v2, v1", "v_lshlrev_b32 v4, 1, v2", "v_xor_b32 v2, v4, v2",
      "s_or_b64 exec, exec, s[10:11]", "v_add_u32 v1, 1, v1"}},
};

constexpr u64 code_offset = 256;
constexpr u64 memory_words = 4096;

struct Machine {
    AddressMap map;
    alignas(256) u8 code[4096] = {};
    alignas(64) u32 memory[memory_words] = {};
    u64 arguments[2] = {};

    Machine() {
        show(code, sizeof code);
        show(memory, sizeof memory);
        show(arguments, sizeof arguments);
        arguments[0] = reinterpret_cast<u64>(memory);
    }
    template <class T>
    void show(T* at, u64 bytes) {
        const auto begin = reinterpret_cast<u64>(at);
        map.add({begin, begin + bytes, reinterpret_cast<u8*>(at)});
    }
    void load(const Program& program) {
        std::vector<std::string> texts = {"s_load_dwordx2 s[2:3], s[0:1], 0x0", "s_movk_i32 s8, 1000"};
        texts.insert(texts.end(), program.before.begin(), program.before.end());
        texts.insert(texts.end(), program.body.begin(), program.body.end());
        texts.insert(texts.end(), {"s_add_i32 s8, s8, -1", "s_cmp_lg_u32 s8, 0"});
        std::vector<std::vector<u32>> parts = assemble(texts, "gfx90a");
        const std::size_t body_at = 2 + program.before.size();
        std::vector<u32> words;
        std::size_t loop = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            loop = i == body_at ? words.size() : loop;
            words.insert(words.end(), parts[i].begin(), parts[i].end());
        }
        const i64 distance = static_cast<i64>(loop) - static_cast<i64>(words.size()) - 1;
        words.push_back(0xbf850000 | (static_cast<u32>(distance) & 0xffff)); // s_cbranch_scc1
        words.push_back(0xbf810000);                                         // s_endpgm
        std::memcpy(code + code_offset, words.data(), words.size() * 4);
        const u64 entry = code_offset;
        const u32 registers = 3; // 32 vector registers
        const u32 two_user_registers = 2 << 1;
        const u32 with_arguments = 8;
        std::memcpy(code + 16, &entry, sizeof entry);
        std::memcpy(code + 48, &registers, 4);
        std::memcpy(code + 52, &two_user_registers, 4);
        std::memcpy(code + 56, &with_arguments, 4);
    }
};

double seconds() {
    timespec now = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace

TEST_CASE("speed: wave instructions a second" * doctest::skip()) {
    static Machine machine;
    for (const Program& program : programs) {
        machine.load(program);
        std::vector<double> rates;
        for (unsigned run = 0; run < 5; ++run) {
            Engine engine(machine.map, {});
            Launch launch;
            launch.kernel_object = reinterpret_cast<u64>(machine.code);
            launch.arguments = reinterpret_cast<u64>(machine.arguments);
            launch.grid[0] = 64 * 256;
            launch.group[0] = 256;
            launch.shared_bytes = 1028;
            const std::atomic<bool> stop = false;
            const double start = seconds();
            const auto fault = engine.run(launch, stop);
            INFO(program.name, ": ", fault.has_value() ? fault->text : "");
            REQUIRE(!fault.has_value());
            rates.push_back(static_cast<double>(engine.instructions()) / (seconds() - start) * 1e-6);
        }
        std::sort(rates.begin(), rates.end());
        std::printf("%-12s %6.1f million wave instructions a second (%.1f to %.1f)\n", program.name, rates[2],
                    rates.front(), rates.back());
    }
}

} // namespace amd_gpu
