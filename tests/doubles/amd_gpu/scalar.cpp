// SPDX-License-Identifier: Apache-2.0
// Scalar arithmetic: SOP1, SOP2 and SOPC.
#include "fault.hpp"
#include "operands.hpp"

#include <algorithm>
#include <bit>

namespace amd_gpu {
namespace {

enum class Condition : u8 { keep, not_zero };

template <class T>
T read(Wave& wave, const Instruction& in, unsigned i) {
    if constexpr (sizeof(T) == 8) {
        return static_cast<T>(scalar64(wave, in, in.source[i]));
    } else {
        return static_cast<T>(scalar32(wave, in, in.source[i]));
    }
}

void write(Wave& wave, const Instruction& in, u32 value) {
    wave.scalar[in.scalar_destination] = value;
}
void write(Wave& wave, const Instruction& in, u64 value) {
    wave.set_pair(in.scalar_destination, value);
}
void write(Wave& wave, const Instruction& in, i32 value) {
    write(wave, in, static_cast<u32>(value));
}
void write(Wave& wave, const Instruction& in, i64 value) {
    write(wave, in, static_cast<u64>(value));
}

// F(a), and F(a, b): A is the type of the first source, B of the second.
template <class A, Condition condition, auto F>
void one(Wave& wave, const Instruction& in) {
    const auto result = F(read<A>(wave, in, 0));
    write(wave, in, result);
    if (condition == Condition::not_zero) {
        wave.scc = result != 0;
    }
}

template <class A, class B, Condition condition, auto F>
void two(Wave& wave, const Instruction& in) {
    const A result = F(read<A>(wave, in, 0), read<B>(wave, in, 1));
    write(wave, in, result);
    if (condition == Condition::not_zero) {
        wave.scc = result != 0;
    }
}

// F(a, b, scc) returns the result and sets scc.
template <class A, auto F>
void carrying(Wave& wave, const Instruction& in) {
    write(wave, in, F(read<A>(wave, in, 0), read<A>(wave, in, 1), wave.scc));
}

template <class A, class B, auto F>
void compare(Wave& wave, const Instruction& in) {
    wave.scc = F(read<A>(wave, in, 0), read<B>(wave, in, 1));
}

// EXEC becomes F(source, EXEC); the destination gets the old EXEC, or for wrexec the new one.
template <auto F, bool old>
void exec_mask(Wave& wave, const Instruction& in) {
    const u64 before = wave.exec();
    const u64 after = F(read<u64>(wave, in, 0), before);
    write(wave, in, old ? before : after);
    wave.set_pair(reg_exec, after);
    wave.scc = after != 0;
}

template <class T>
void move(Wave& wave, const Instruction& in) {
    write(wave, in, read<T>(wave, in, 0));
}

template <class T>
void move_if(Wave& wave, const Instruction& in) {
    if (wave.scc) {
        move<T>(wave, in);
    }
}

template <class T>
void select(Wave& wave, const Instruction& in) {
    write(wave, in, read<T>(wave, in, wave.scc ? 0 : 1));
}

template <class T, bool value>
void set_bit(Wave& wave, const Instruction& in) {
    const T bit = T{1} << (scalar32(wave, in, in.source[0]) & (sizeof(T) * 8 - 1));
    const T old = sizeof(T) == 8 ? static_cast<T>(wave.pair(in.scalar_destination))
                                 : static_cast<T>(wave.scalar[in.scalar_destination]);
    write(wave, in, value ? static_cast<T>(old | bit) : static_cast<T>(old & ~bit));
}

template <class T>
T reversed(T value) {
    T result = 0;
    for (unsigned bit = 0; bit < sizeof(T) * 8; ++bit) {
        result |= (value >> bit & 1) << (sizeof(T) * 8 - 1 - bit);
    }
    return result;
}

template <class T>
u32 lowest_bit(T value) {
    return value == 0 ? ~0U : static_cast<u32>(std::countr_zero(value));
}

template <class T>
u32 leading(T value) {
    return value == 0 ? ~0U : static_cast<u32>(std::countl_zero(value));
}

template <class T>
u32 leading_sign(T value) {
    const T sign = static_cast<T>(0) - (value >> (sizeof(T) * 8 - 1));
    return leading(static_cast<T>(value ^ sign));
}

template <class T>
T field_mask(u32 width) {
    return width >= sizeof(T) * 8 ? ~T{0} : (T{1} << width) - 1;
}

template <class T>
T extract(T value, u32 control) {
    return value >> (control & (sizeof(T) * 8 - 1)) & field_mask<T>(control >> 16 & 127);
}

// T is signed.
template <class T>
T extract_signed(T value, u32 control) {
    using Unsigned = std::make_unsigned_t<T>;
    constexpr unsigned bits = sizeof(T) * 8;
    const unsigned width = control >> 16 & 127;
    const T shifted = value >> (control & (bits - 1));
    if (width == 0) {
        return 0;
    }
    return width >= bits ? shifted
                         : static_cast<T>(static_cast<Unsigned>(shifted) << (bits - width)) >> (bits - width);
}

template <unsigned shift>
void shift_add(Wave& wave, const Instruction& in) {
    const u64 sum = (static_cast<u64>(read<u32>(wave, in, 0)) << shift) + read<u32>(wave, in, 1);
    write(wave, in, static_cast<u32>(sum));
    wave.scc = sum >> 32 != 0;
}

u32 add(u32 a, u32 b, bool& scc, bool carry) {
    const u64 sum = static_cast<u64>(a) + b + (carry ? 1 : 0);
    scc = sum >> 32 != 0;
    return static_cast<u32>(sum);
}

u32 subtract(u32 a, u32 b, bool& scc, bool borrow) {
    const u64 away = static_cast<u64>(b) + (borrow ? 1 : 0);
    scc = a < away;
    return static_cast<u32>(a - away);
}

u32 checked(i64 value, bool& scc) {
    scc = value != static_cast<i32>(value);
    return static_cast<u32>(value);
}

void get_pc(Wave& wave, const Instruction& in) {
    write(wave, in, in.address + 4);
}

void set_pc(Wave& wave, const Instruction& in) {
    wave.pc = read<u64>(wave, in, 0);
}

void swap_pc(Wave& wave, const Instruction& in) {
    const u64 to = read<u64>(wave, in, 0);
    write(wave, in, in.address + 4);
    wave.pc = to;
}

void set_index(Wave& wave, const Instruction& in) {
    wave.scalar[reg_m0] = (wave.scalar[reg_m0] & ~0xffU) | (read<u32>(wave, in, 0) & 0xff);
}

void indexing_on(Wave& wave, const Instruction& in) {
    const u32 kept = wave.scalar[reg_m0] & ~0xf0ffU;
    wave.scalar[reg_m0] = kept | (read<u32>(wave, in, 0) & 0xff) | (in.source[1] & 15U) << 12;
    wave.indexing = true;
}

constexpr auto keep = Condition::keep;
constexpr auto test = Condition::not_zero;

const Opcode sop1[] = {
    {0, "s_mov_b32", move<u32>},
    {1, "s_mov_b64", move<u64>},
    {2, "s_cmov_b32", move_if<u32>},
    {3, "s_cmov_b64", move_if<u64>},
    {4, "s_not_b32", one<u32, test, [](u32 a) { return ~a; }>},
    {5, "s_not_b64", one<u64, test, [](u64 a) { return ~a; }>},
    {6, "s_wqm_b32"},
    {7, "s_wqm_b64"},
    {8, "s_brev_b32", one<u32, keep, reversed<u32>>},
    {9, "s_brev_b64", one<u64, keep, reversed<u64>>},
    {10, "s_bcnt0_i32_b32", one<u32, test, [](u32 a) { return std::popcount(~a); }>},
    {11, "s_bcnt0_i32_b64", one<u64, test, [](u64 a) { return std::popcount(~a); }>},
    {12, "s_bcnt1_i32_b32", one<u32, test, [](u32 a) { return std::popcount(a); }>},
    {13, "s_bcnt1_i32_b64", one<u64, test, [](u64 a) { return std::popcount(a); }>},
    {14, "s_ff0_i32_b32", one<u32, keep, [](u32 a) { return lowest_bit(~a); }>},
    {15, "s_ff0_i32_b64", one<u64, keep, [](u64 a) { return lowest_bit(~a); }>},
    {16, "s_ff1_i32_b32", one<u32, keep, lowest_bit<u32>>},
    {17, "s_ff1_i32_b64", one<u64, keep, lowest_bit<u64>>},
    {18, "s_flbit_i32_b32", one<u32, keep, leading<u32>>},
    {19, "s_flbit_i32_b64", one<u64, keep, leading<u64>>},
    {20, "s_flbit_i32", one<u32, keep, leading_sign<u32>>},
    {21, "s_flbit_i32_i64", one<u64, keep, leading_sign<u64>>},
    {22, "s_sext_i32_i8", one<u32, keep, ([](u32 a) { return i32{static_cast<i8>(a)}; })>},
    {23, "s_sext_i32_i16", one<u32, keep, ([](u32 a) { return i32{static_cast<i16>(a)}; })>},
    {24, "s_bitset0_b32", set_bit<u32, false>},
    {25, "s_bitset0_b64", set_bit<u64, false>},
    {26, "s_bitset1_b32", set_bit<u32, true>},
    {27, "s_bitset1_b64", set_bit<u64, true>},
    {28, "s_getpc_b64", get_pc},
    {29, "s_setpc_b64", set_pc, true},
    {30, "s_swappc_b64", swap_pc, true},
    {32, "s_and_saveexec_b64", exec_mask<[](u64 a, u64 e) { return a & e; }, true>},
    {33, "s_or_saveexec_b64", exec_mask<[](u64 a, u64 e) { return a | e; }, true>},
    {34, "s_xor_saveexec_b64", exec_mask<[](u64 a, u64 e) { return a ^ e; }, true>},
    {35, "s_andn2_saveexec_b64", exec_mask<[](u64 a, u64 e) { return a & ~e; }, true>},
    {36, "s_orn2_saveexec_b64", exec_mask<[](u64 a, u64 e) { return a | ~e; }, true>},
    {37, "s_nand_saveexec_b64", exec_mask<[](u64 a, u64 e) { return ~(a & e); }, true>},
    {38, "s_nor_saveexec_b64", exec_mask<[](u64 a, u64 e) { return ~(a | e); }, true>},
    {39, "s_xnor_saveexec_b64", exec_mask<[](u64 a, u64 e) { return ~(a ^ e); }, true>},
    {40, "s_quadmask_b32"},
    {41, "s_quadmask_b64"},
    {42, "s_movrels_b32"},
    {43, "s_movrels_b64"},
    {44, "s_movreld_b32"},
    {45, "s_movreld_b64"},
    {48, "s_abs_i32",
     one<i32, test, ([](i32 a) { return a < 0 ? 0U - static_cast<u32>(a) : static_cast<u32>(a); })>},
    {50, "s_set_gpr_idx_idx", set_index},
    {51, "s_andn1_saveexec_b64", exec_mask<[](u64 a, u64 e) { return ~a & e; }, true>},
    {52, "s_orn1_saveexec_b64", exec_mask<[](u64 a, u64 e) { return ~a | e; }, true>},
    {53, "s_andn1_wrexec_b64", exec_mask<[](u64 a, u64 e) { return ~a & e; }, false>},
    {54, "s_andn2_wrexec_b64", exec_mask<[](u64 a, u64 e) { return a & ~e; }, false>},
    {55, "s_bitreplicate_b64_b32"},
};

const Opcode sop2[] = {
    {0, "s_add_u32", carrying<u32, [](u32 a, u32 b, bool& scc) { return add(a, b, scc, false); }>},
    {1, "s_sub_u32", carrying<u32, [](u32 a, u32 b, bool& scc) { return subtract(a, b, scc, false); }>},
    {2, "s_add_i32", carrying<i32, [](i32 a, i32 b, bool& scc) { return checked(i64{a} + b, scc); }>},
    {3, "s_sub_i32", carrying<i32, [](i32 a, i32 b, bool& scc) { return checked(i64{a} - b, scc); }>},
    {4, "s_addc_u32", carrying<u32, [](u32 a, u32 b, bool& scc) { return add(a, b, scc, scc); }>},
    {5, "s_subb_u32", carrying<u32, [](u32 a, u32 b, bool& scc) { return subtract(a, b, scc, scc); }>},
    {6, "s_min_i32", carrying<i32, [](i32 a, i32 b, bool& scc) { return (scc = a < b) ? a : b; }>},
    {7, "s_min_u32", carrying<u32, [](u32 a, u32 b, bool& scc) { return (scc = a < b) ? a : b; }>},
    {8, "s_max_i32", carrying<i32, ([](i32 a, i32 b, bool& scc) { return (scc = a > b) ? a : b; })>},
    {9, "s_max_u32", carrying<u32, ([](u32 a, u32 b, bool& scc) { return (scc = a > b) ? a : b; })>},
    {10, "s_cselect_b32", select<u32>},
    {11, "s_cselect_b64", select<u64>},
    {12, "s_and_b32", two<u32, u32, test, [](u32 a, u32 b) { return a & b; }>},
    {13, "s_and_b64", two<u64, u64, test, [](u64 a, u64 b) { return a & b; }>},
    {14, "s_or_b32", two<u32, u32, test, [](u32 a, u32 b) { return a | b; }>},
    {15, "s_or_b64", two<u64, u64, test, [](u64 a, u64 b) { return a | b; }>},
    {16, "s_xor_b32", two<u32, u32, test, [](u32 a, u32 b) { return a ^ b; }>},
    {17, "s_xor_b64", two<u64, u64, test, [](u64 a, u64 b) { return a ^ b; }>},
    {18, "s_andn2_b32", two<u32, u32, test, [](u32 a, u32 b) { return a & ~b; }>},
    {19, "s_andn2_b64", two<u64, u64, test, [](u64 a, u64 b) { return a & ~b; }>},
    {20, "s_orn2_b32", two<u32, u32, test, [](u32 a, u32 b) { return a | ~b; }>},
    {21, "s_orn2_b64", two<u64, u64, test, [](u64 a, u64 b) { return a | ~b; }>},
    {22, "s_nand_b32", two<u32, u32, test, [](u32 a, u32 b) { return ~(a & b); }>},
    {23, "s_nand_b64", two<u64, u64, test, [](u64 a, u64 b) { return ~(a & b); }>},
    {24, "s_nor_b32", two<u32, u32, test, [](u32 a, u32 b) { return ~(a | b); }>},
    {25, "s_nor_b64", two<u64, u64, test, [](u64 a, u64 b) { return ~(a | b); }>},
    {26, "s_xnor_b32", two<u32, u32, test, [](u32 a, u32 b) { return ~(a ^ b); }>},
    {27, "s_xnor_b64", two<u64, u64, test, [](u64 a, u64 b) { return ~(a ^ b); }>},
    {28, "s_lshl_b32", two<u32, u32, test, [](u32 a, u32 b) { return a << (b & 31); }>},
    {29, "s_lshl_b64", two<u64, u32, test, [](u64 a, u32 b) { return a << (b & 63); }>},
    {30, "s_lshr_b32", two<u32, u32, test, ([](u32 a, u32 b) { return a >> (b & 31); })>},
    {31, "s_lshr_b64", two<u64, u32, test, ([](u64 a, u32 b) { return a >> (b & 63); })>},
    {32, "s_ashr_i32", two<i32, u32, test, ([](i32 a, u32 b) { return a >> (b & 31); })>},
    {33, "s_ashr_i64", two<i64, u32, test, ([](i64 a, u32 b) { return a >> (b & 63); })>},
    {34, "s_bfm_b32", two<u32, u32, keep, [](u32 a, u32 b) { return ((1U << (a & 31)) - 1) << (b & 31); }>},
    // The mask's width and place are words, not pairs.
    {35, "s_bfm_b64",
     [](Wave& wave, const Instruction& in) {
         const u64 ones = (1ULL << (read<u32>(wave, in, 0) & 63)) - 1;
         write(wave, in, ones << (read<u32>(wave, in, 1) & 63));
     }},
    {36, "s_mul_i32", two<u32, u32, keep, [](u32 a, u32 b) { return a * b; }>},
    {37, "s_bfe_u32", two<u32, u32, test, extract<u32>>},
    {38, "s_bfe_i32", two<i32, u32, test, extract_signed<i32>>},
    {39, "s_bfe_u64", two<u64, u32, test, extract<u64>>},
    {40, "s_bfe_i64", two<i64, u32, test, extract_signed<i64>>},
    {42, "s_absdiff_i32",
     two<u32, u32, test,
         ([](u32 a, u32 b) { return static_cast<i32>(a - b) < 0 ? b - a : a - b; })>},
    {44, "s_mul_hi_u32",
     two<u32, u32, keep, ([](u32 a, u32 b) { return static_cast<u32>(static_cast<u64>(a) * b >> 32); })>},
    {45, "s_mul_hi_i32", two<i32, i32, keep, ([](i32 a, i32 b) { return static_cast<i32>(i64{a} * b >> 32); })>},
    {46, "s_lshl1_add_u32", shift_add<1>},
    {47, "s_lshl2_add_u32", shift_add<2>},
    {48, "s_lshl3_add_u32", shift_add<3>},
    {49, "s_lshl4_add_u32", shift_add<4>},
    {50, "s_pack_ll_b32_b16", two<u32, u32, keep, [](u32 a, u32 b) { return (a & 0xffff) | b << 16; }>},
    {51, "s_pack_lh_b32_b16", two<u32, u32, keep, [](u32 a, u32 b) { return (a & 0xffff) | (b & 0xffff0000); }>},
    {52, "s_pack_hh_b32_b16", two<u32, u32, keep, ([](u32 a, u32 b) { return a >> 16 | (b & 0xffff0000); })>},
};

const Opcode sopc[] = {
    {0, "s_cmp_eq_i32", compare<i32, i32, [](i32 a, i32 b) { return a == b; }>},
    {1, "s_cmp_lg_i32", compare<i32, i32, [](i32 a, i32 b) { return a != b; }>},
    {2, "s_cmp_gt_i32", compare<i32, i32, ([](i32 a, i32 b) { return a > b; })>},
    {3, "s_cmp_ge_i32", compare<i32, i32, ([](i32 a, i32 b) { return a >= b; })>},
    {4, "s_cmp_lt_i32", compare<i32, i32, [](i32 a, i32 b) { return a < b; }>},
    {5, "s_cmp_le_i32", compare<i32, i32, [](i32 a, i32 b) { return a <= b; }>},
    {6, "s_cmp_eq_u32", compare<u32, u32, [](u32 a, u32 b) { return a == b; }>},
    {7, "s_cmp_lg_u32", compare<u32, u32, [](u32 a, u32 b) { return a != b; }>},
    {8, "s_cmp_gt_u32", compare<u32, u32, ([](u32 a, u32 b) { return a > b; })>},
    {9, "s_cmp_ge_u32", compare<u32, u32, ([](u32 a, u32 b) { return a >= b; })>},
    {10, "s_cmp_lt_u32", compare<u32, u32, [](u32 a, u32 b) { return a < b; }>},
    {11, "s_cmp_le_u32", compare<u32, u32, [](u32 a, u32 b) { return a <= b; }>},
    {12, "s_bitcmp0_b32", compare<u32, u32, ([](u32 a, u32 b) { return (a >> (b & 31) & 1) == 0; })>},
    {13, "s_bitcmp1_b32", compare<u32, u32, ([](u32 a, u32 b) { return (a >> (b & 31) & 1) != 0; })>},
    {14, "s_bitcmp0_b64", compare<u64, u32, ([](u64 a, u32 b) { return (a >> (b & 63) & 1) == 0; })>},
    {15, "s_bitcmp1_b64", compare<u64, u32, ([](u64 a, u32 b) { return (a >> (b & 63) & 1) != 0; })>},
    {16, "s_setvskip"},
    {17, "s_set_gpr_idx_on", indexing_on, true},
    {18, "s_cmp_eq_u64", compare<u64, u64, [](u64 a, u64 b) { return a == b; }>},
    {19, "s_cmp_lg_u64", compare<u64, u64, [](u64 a, u64 b) { return a != b; }>},
};

} // namespace

std::span<const Opcode> sop1_opcodes() {
    return sop1;
}
std::span<const Opcode> sop2_opcodes() {
    return sop2;
}
std::span<const Opcode> sopc_opcodes() {
    return sopc;
}

} // namespace amd_gpu
