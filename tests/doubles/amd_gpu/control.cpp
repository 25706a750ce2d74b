// SPDX-License-Identifier: Apache-2.0
// Control flow and constants: SOPP and SOPK.
#include "fault.hpp"
#include "operands.hpp"

#include <thread>

namespace amd_gpu {
namespace {

void nothing(Wave&, const Instruction&) {}

void end(Wave& wave, const Instruction&) {
    wave.state = WaveState::done;
}

void barrier(Wave& wave, const Instruction&) {
    wave.state = WaveState::at_barrier;
}

template <auto Condition>
void branch(Wave& wave, const Instruction& in) {
    if (Condition(wave)) {
        wave.pc = in.target;
    }
}

void trap(Wave&, const Instruction& in) {
    throw Fault("s_trap " + std::to_string(in.immediate & 0xff));
}

// Waves sleep while they wait for another thread.
void sleep(Wave&, const Instruction&) {
    std::this_thread::yield();
}

// Kernels send the host interrupts, which wake a thread that prints for them. Other messages are for
// graphics.
void send_message(Wave& wave, const Instruction& in) {
    constexpr int interrupt = 1;
    if ((in.immediate & 15) != interrupt || wave.group->interrupt == nullptr) {
        throw Fault("s_sendmsg " + std::to_string(in.immediate & 15) + " is not implemented");
    }
    wave.group->interrupt(wave.scalar[reg_m0]);
}

void indexing_off(Wave& wave, const Instruction&) {
    wave.indexing = false;
}

void indexing_mode(Wave& wave, const Instruction& in) {
    wave.scalar[reg_m0] = (wave.scalar[reg_m0] & ~0xf000U) | static_cast<u32>(in.immediate & 15) << 12;
}

// The constant of SOPK, sign-extended or not.
template <class T>
T constant(const Instruction& in) {
    return sizeof(T) == 4 && static_cast<T>(-1) < 0 ? static_cast<T>(in.immediate)
                                                    : static_cast<T>(static_cast<u16>(in.immediate));
}

template <class T, auto F>
void compare_constant(Wave& wave, const Instruction& in) {
    wave.scc = F(static_cast<T>(wave.scalar[in.scalar_destination]), constant<T>(in));
}

void move_constant(Wave& wave, const Instruction& in) {
    wave.scalar[in.scalar_destination] = static_cast<u32>(in.immediate);
}

void move_constant_if(Wave& wave, const Instruction& in) {
    if (wave.scc) {
        move_constant(wave, in);
    }
}

void add_constant(Wave& wave, const Instruction& in) {
    const i64 sum = i64{static_cast<i32>(wave.scalar[in.scalar_destination])} + in.immediate;
    wave.scc = sum != static_cast<i32>(sum);
    wave.scalar[in.scalar_destination] = static_cast<u32>(sum);
}

void multiply_constant(Wave& wave, const Instruction& in) {
    wave.scalar[in.scalar_destination] *= static_cast<u32>(in.immediate);
}

enum : unsigned { hardware_mode = 1, hardware_bases = 15 };

void get_hardware_register(Wave& wave, const Instruction& in) {
    const unsigned reg = in.immediate & 63;
    const unsigned shift = in.immediate >> 6 & 31;
    const unsigned width = (in.immediate >> 11 & 31) + 1;
    if (reg != hardware_bases) {
        throw Fault("s_getreg_b32 of hardware register " + std::to_string(reg) + " is not implemented");
    }
    const u32 value = wave.group->apertures >> shift;
    wave.scalar[in.scalar_destination] = width == 32 ? value : value & ((1U << width) - 1);
}

// Supports only the fields that compiled kernels set: the denormal modes. They are ignored because denormals
// are always kept.
void set_hardware_register(Wave&, const Instruction& in) {
    const unsigned reg = in.immediate & 63;
    const unsigned shift = in.immediate >> 6 & 31;
    if (reg != hardware_mode || shift < 4) {
        throw Fault("s_setreg_b32 of hardware register " + std::to_string(reg) + ", bit " +
                    std::to_string(shift) + " is not implemented");
    }
}

void call(Wave& wave, const Instruction& in) {
    wave.set_pair(in.scalar_destination, in.address + 4);
    wave.pc = in.target;
}

const Opcode sopp[] = {
    {0, "s_nop", nothing},
    {1, "s_endpgm", end, true},
    {2, "s_branch", branch<[](const Wave&) { return true; }>, true},
    {3, "s_wakeup", nothing},
    {4, "s_cbranch_scc0", branch<[](const Wave& wave) { return !wave.scc; }>, true},
    {5, "s_cbranch_scc1", branch<[](const Wave& wave) { return wave.scc; }>, true},
    {6, "s_cbranch_vccz", branch<[](const Wave& wave) { return wave.vcc() == 0; }>, true},
    {7, "s_cbranch_vccnz", branch<[](const Wave& wave) { return wave.vcc() != 0; }>, true},
    {8, "s_cbranch_execz", branch<[](const Wave& wave) { return wave.exec() == 0; }>, true},
    {9, "s_cbranch_execnz", branch<[](const Wave& wave) { return wave.exec() != 0; }>, true},
    {10, "s_barrier", barrier, true},
    {11, "s_setkill"},
    {12, "s_waitcnt", nothing},
    {13, "s_sethalt"},
    {14, "s_sleep", sleep},
    {15, "s_setprio", nothing},
    {16, "s_sendmsg", send_message},
    {17, "s_sendmsghalt"},
    {18, "s_trap", trap, true},
    {19, "s_icache_inv", nothing},
    {20, "s_incperflevel", nothing},
    {21, "s_decperflevel", nothing},
    {22, "s_ttracedata", nothing},
    {28, "s_set_gpr_idx_off", indexing_off, true},
    {29, "s_set_gpr_idx_mode", indexing_mode},
};

const Opcode sopk[] = {
    {0, "s_movk_i32", move_constant},
    {1, "s_cmovk_i32", move_constant_if},
    {2, "s_cmpk_eq_i32", compare_constant<i32, [](i32 a, i32 b) { return a == b; }>},
    {3, "s_cmpk_lg_i32", compare_constant<i32, [](i32 a, i32 b) { return a != b; }>},
    {4, "s_cmpk_gt_i32", compare_constant<i32, ([](i32 a, i32 b) { return a > b; })>},
    {5, "s_cmpk_ge_i32", compare_constant<i32, ([](i32 a, i32 b) { return a >= b; })>},
    {6, "s_cmpk_lt_i32", compare_constant<i32, [](i32 a, i32 b) { return a < b; }>},
    {7, "s_cmpk_le_i32", compare_constant<i32, [](i32 a, i32 b) { return a <= b; }>},
    {8, "s_cmpk_eq_u32", compare_constant<u32, [](u32 a, u32 b) { return a == b; }>},
    {9, "s_cmpk_lg_u32", compare_constant<u32, [](u32 a, u32 b) { return a != b; }>},
    {10, "s_cmpk_gt_u32", compare_constant<u32, ([](u32 a, u32 b) { return a > b; })>},
    {11, "s_cmpk_ge_u32", compare_constant<u32, ([](u32 a, u32 b) { return a >= b; })>},
    {12, "s_cmpk_lt_u32", compare_constant<u32, [](u32 a, u32 b) { return a < b; }>},
    {13, "s_cmpk_le_u32", compare_constant<u32, [](u32 a, u32 b) { return a <= b; }>},
    {14, "s_addk_i32", add_constant},
    {15, "s_mulk_i32", multiply_constant},
    {17, "s_getreg_b32", get_hardware_register},
    {18, "s_setreg_b32", set_hardware_register},
    {20, "s_setreg_imm32_b32", set_hardware_register},
    {21, "s_call_b64", call, true},
};

} // namespace

std::span<const Opcode> sopp_opcodes() {
    return sopp;
}
std::span<const Opcode> sopk_opcodes() {
    return sopk;
}

} // namespace amd_gpu
