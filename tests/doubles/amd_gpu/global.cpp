// SPDX-License-Identifier: Apache-2.0
// Flat, global, scratch and buffer accesses: FLAT and MUBUF.
#include "accesses.hpp"
#include "fault.hpp"
#include "operands.hpp"

namespace amd_gpu {
namespace {

constexpr unsigned no_base = 127;

void refuse_lds_target(const Instruction& in) {
    if (in.to_lds) {
        throw Fault(std::string(in.opcode->name) + " to LDS is not implemented");
    }
}

void flat_addresses(const Wave& wave, const Instruction& in, Lanes64& out) {
    const Lanes32& low = wave.vector[in.address_register];
    const auto offset = static_cast<u64>(static_cast<i64>(in.offset));
    if (in.segment == Segment::global && in.base != no_base) {
        const u64 base = wave.pair(in.base) + offset;
        for (unsigned lane = 0; lane < lane_count; ++lane) {
            out.at[lane] = base + low.at[lane];
        }
        return;
    }
    const Lanes32& high = wave.vector[in.address_register + 1U];
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        out.at[lane] = join(low.at[lane], high.at[lane]) + offset;
    }
}

template <unsigned number>
void flat(Wave& wave, const Instruction& in) {
    static const Operation operation = *memory_operation(number);
    refuse_lds_target(in);
    Pointers pointers;
    if (in.segment == Segment::scratch) {
        const char* const kind = access_name(operation.access);
        for_each_lane(wave.exec(), [&](unsigned lane) {
            const u32 base =
                in.base != no_base ? wave.scalar[in.base] : wave.vector[in.address_register][lane];
            pointers.at[lane] =
                scratch_pointer(wave, lane, base + static_cast<u32>(in.offset), operation.bytes, kind);
        });
    } else {
        Lanes64 lane_addresses;
        flat_addresses(wave, in, lane_addresses);
        resolve(wave, lane_addresses, operation, in.segment, pointers);
    }
    operation.run(wave, in, pointers);
}

// A buffer descriptor is four scalar registers. Its swizzle bit marks the one of scratch: the offset of the
// wave is then in units of all lanes.
template <unsigned number>
void buffer(Wave& wave, const Instruction& in) {
    static const Operation operation = *memory_operation(number);
    refuse_lds_target(in);
    const u32* const descriptor = &wave.scalar[in.base];
    const bool scratch = (descriptor[1] >> 31) != 0;
    const u32 wave_offset = scalar32(wave, in, in.source[0]);
    const Lanes32& first = wave.vector[in.address_register];
    const Lanes32& second = wave.vector[in.address_register + 1U];
    const Lanes32& offsets = in.index_enabled ? second : first;
    Pointers pointers;
    if (scratch) {
        const char* const kind = access_name(operation.access);
        for_each_lane(wave.exec(), [&](unsigned lane) {
            const u32 offset = (in.offset_enabled ? offsets[lane] : 0) + static_cast<u32>(in.offset);
            pointers.at[lane] =
                scratch_pointer(wave, lane, u64{offset} + wave_offset / lane_count, operation.bytes, kind);
        });
    } else {
        const u64 base =
            join(descriptor[0], descriptor[1] & 0xffff) + wave_offset + static_cast<u32>(in.offset);
        const u64 stride = descriptor[1] >> 16 & 0x3fff;
        Lanes64 lane_addresses;
        for (unsigned lane = 0; lane < lane_count; ++lane) {
            lane_addresses[lane] = base + (in.index_enabled ? stride * first[lane] : 0) +
                                   (in.offset_enabled ? offsets[lane] : 0);
        }
        resolve(wave, lane_addresses, operation, Segment::global, pointers);
    }
    operation.run(wave, in, pointers);
}

void nothing(Wave&, const Instruction&) {}

const Opcode flat_rows[] = {
    {16, "flat_load_ubyte", flat<16>},       {17, "flat_load_sbyte", flat<17>},
    {18, "flat_load_ushort", flat<18>},      {19, "flat_load_sshort", flat<19>},
    {20, "flat_load_dword", flat<20>},       {21, "flat_load_dwordx2", flat<21>},
    {22, "flat_load_dwordx3", flat<22>},     {23, "flat_load_dwordx4", flat<23>},
    {24, "flat_store_byte", flat<24>},       {25, "flat_store_byte_d16_hi", flat<25>},
    {26, "flat_store_short", flat<26>},      {27, "flat_store_short_d16_hi", flat<27>},
    {28, "flat_store_dword", flat<28>},      {29, "flat_store_dwordx2", flat<29>},
    {30, "flat_store_dwordx3", flat<30>},    {31, "flat_store_dwordx4", flat<31>},
    {32, "flat_load_ubyte_d16", flat<32>},   {33, "flat_load_ubyte_d16_hi", flat<33>},
    {34, "flat_load_sbyte_d16", flat<34>},   {35, "flat_load_sbyte_d16_hi", flat<35>},
    {36, "flat_load_short_d16", flat<36>},   {37, "flat_load_short_d16_hi", flat<37>},
    {64, "flat_atomic_swap", flat<64>},      {65, "flat_atomic_cmpswap", flat<65>},
    {66, "flat_atomic_add", flat<66>},       {67, "flat_atomic_sub", flat<67>},
    {68, "flat_atomic_smin", flat<68>},      {69, "flat_atomic_umin", flat<69>},
    {70, "flat_atomic_smax", flat<70>},      {71, "flat_atomic_umax", flat<71>},
    {72, "flat_atomic_and", flat<72>},       {73, "flat_atomic_or", flat<73>},
    {74, "flat_atomic_xor", flat<74>},       {75, "flat_atomic_inc", flat<75>},
    {76, "flat_atomic_dec", flat<76>},       {77, "global_atomic_add_f32", flat<77>},
    {78, "global_atomic_pk_add_f16"},        {79, "flat_atomic_add_f64", flat<79>},
    {80, "flat_atomic_min_f64", flat<80>},   {81, "flat_atomic_max_f64", flat<81>},
    {96, "flat_atomic_swap_x2", flat<96>},   {97, "flat_atomic_cmpswap_x2", flat<97>},
    {98, "flat_atomic_add_x2", flat<98>},    {99, "flat_atomic_sub_x2", flat<99>},
    {100, "flat_atomic_smin_x2", flat<100>}, {101, "flat_atomic_umin_x2", flat<101>},
    {102, "flat_atomic_smax_x2", flat<102>}, {103, "flat_atomic_umax_x2", flat<103>},
    {104, "flat_atomic_and_x2", flat<104>},  {105, "flat_atomic_or_x2", flat<105>},
    {106, "flat_atomic_xor_x2", flat<106>},  {107, "flat_atomic_inc_x2", flat<107>},
    {108, "flat_atomic_dec_x2", flat<108>},
};

const Opcode mubuf_rows[] = {
    {0, "buffer_load_format_x"},
    {1, "buffer_load_format_xy"},
    {2, "buffer_load_format_xyz"},
    {3, "buffer_load_format_xyzw"},
    {4, "buffer_store_format_x"},
    {5, "buffer_store_format_xy"},
    {6, "buffer_store_format_xyz"},
    {7, "buffer_store_format_xyzw"},
    {16, "buffer_load_ubyte", buffer<16>},
    {17, "buffer_load_sbyte", buffer<17>},
    {18, "buffer_load_ushort", buffer<18>},
    {19, "buffer_load_sshort", buffer<19>},
    {20, "buffer_load_dword", buffer<20>},
    {21, "buffer_load_dwordx2", buffer<21>},
    {22, "buffer_load_dwordx3", buffer<22>},
    {23, "buffer_load_dwordx4", buffer<23>},
    {24, "buffer_store_byte", buffer<24>},
    {25, "buffer_store_byte_d16_hi", buffer<25>},
    {26, "buffer_store_short", buffer<26>},
    {27, "buffer_store_short_d16_hi", buffer<27>},
    {28, "buffer_store_dword", buffer<28>},
    {29, "buffer_store_dwordx2", buffer<29>},
    {30, "buffer_store_dwordx3", buffer<30>},
    {31, "buffer_store_dwordx4", buffer<31>},
    {32, "buffer_load_ubyte_d16", buffer<32>},
    {33, "buffer_load_ubyte_d16_hi", buffer<33>},
    {34, "buffer_load_sbyte_d16", buffer<34>},
    {35, "buffer_load_sbyte_d16_hi", buffer<35>},
    {36, "buffer_load_short_d16", buffer<36>},
    {37, "buffer_load_short_d16_hi", buffer<37>},
    {40, "buffer_wbl2", nothing},
    {41, "buffer_invl2", nothing},
    {62, "buffer_wbinvl1", nothing},
    {63, "buffer_wbinvl1_vol", nothing},
    {64, "buffer_atomic_swap", buffer<64>},
    {65, "buffer_atomic_cmpswap", buffer<65>},
    {66, "buffer_atomic_add", buffer<66>},
};

} // namespace

std::span<const Opcode> flat_opcodes() {
    return flat_rows;
}
std::span<const Opcode> mubuf_opcodes() {
    return mubuf_rows;
}

} // namespace amd_gpu
