// SPDX-License-Identifier: Apache-2.0
// Scalar loads: SMEM.
#include "accesses.hpp"
#include "fault.hpp"
#include "operands.hpp"

#include <chrono>

namespace amd_gpu {
namespace {

u64 scalar_offset(const Wave& wave, const Instruction& in) {
    if (in.offset_in_register) {
        const u32 from_register = wave.scalar[in.data];
        return from_register + (in.offset_enabled ? static_cast<u64>(static_cast<i64>(in.offset)) : 0);
    }
    return in.offset_enabled ? static_cast<u64>(static_cast<i64>(in.offset))
                             : u64{wave.scalar[static_cast<unsigned>(in.offset) & 127]};
}

// The argument block's own size is in the kernel's descriptor. Loads are aligned groups of words, so the last
// one may go beyond the last argument.
void check_arguments(const Wave& wave, u64 address, unsigned bytes) {
    const Group& group = *wave.group;
    const u64 begin = group.kernel_arguments;
    const u64 end = begin + (group.kernel_arguments_size + 15) / 16 * 16;
    if (group.kernel_arguments_size != 0 && address >= begin && address < begin + 4096 &&
        address + bytes > end) {
        throw Fault("reads kernel argument bytes " + std::to_string(address - begin) + " to " +
                        std::to_string(address - begin + bytes - 1) + ", and the kernel declares " +
                        std::to_string(group.kernel_arguments_size) + " bytes of arguments",
                    0, address);
    }
}

template <unsigned words>
void load(Wave& wave, const Instruction& in) {
    const u64 address = (wave.pair(in.base) + scalar_offset(wave, in)) & ~3ULL;
    check_arguments(wave, address, words * 4);
    const u8* from = wave.group->memory->pointer(address, words * 4);
    if (from == nullptr) {
        throw Fault("scalar load of " + std::to_string(words * 4) + " bytes at " + hexadecimal(address) +
                        ", " + wave.group->memory->describe(address),
                    0, address);
    }
    std::memcpy(&wave.scalar[in.scalar_destination], from, words * 4);
}

void nothing(Wave&, const Instruction&) {}

void time(Wave& wave, const Instruction& in) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    wave.set_pair(in.scalar_destination,
                  static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()));
}

const Opcode smem[] = {
    {0, "s_load_dword", load<1>},     {1, "s_load_dwordx2", load<2>},
    {2, "s_load_dwordx4", load<4>},   {3, "s_load_dwordx8", load<8>},
    {4, "s_load_dwordx16", load<16>}, {5, "s_scratch_load_dword"},
    {6, "s_scratch_load_dwordx2"},    {7, "s_scratch_load_dwordx4"},
    {8, "s_buffer_load_dword"},       {9, "s_buffer_load_dwordx2"},
    {10, "s_buffer_load_dwordx4"},    {11, "s_buffer_load_dwordx8"},
    {12, "s_buffer_load_dwordx16"},   {16, "s_store_dword"},
    {17, "s_store_dwordx2"},          {18, "s_store_dwordx4"},
    {24, "s_buffer_store_dword"},     {25, "s_buffer_store_dwordx2"},
    {26, "s_buffer_store_dwordx4"},   {32, "s_dcache_inv", nothing},
    {33, "s_dcache_wb", nothing},     {34, "s_dcache_inv_vol", nothing},
    {35, "s_dcache_wb_vol", nothing}, {36, "s_memtime", time},
    {37, "s_memrealtime", time},
};

} // namespace

std::span<const Opcode> smem_opcodes() {
    return smem;
}

} // namespace amd_gpu
