// SPDX-License-Identifier: Apache-2.0
// LDS, and exchanges between lanes: DS.
#include "accesses.hpp"
#include "atomics.hpp"
#include "fault.hpp"
#include "operands.hpp"

namespace amd_gpu {
namespace {

template <class T, Into into>
void read_part(Wave& wave, const Instruction& in) {
    Lanes32& to = wave.vector[in.destination];
    const Lanes32 from = wave.vector[in.address_register];
    for_each_lane(wave.exec(), [&](unsigned lane) {
        T value;
        const u64 offset = u64{from[lane] + static_cast<u32>(in.offset)};
        std::memcpy(&value, lds_pointer(wave, lane, offset, sizeof value, "load"), sizeof value);
        to[lane] = merged(to[lane], static_cast<u32>(value), into);
    });
}

template <class T, unsigned shift>
void write_part(Wave& wave, const Instruction& in) {
    for_each_lane(wave.exec(), [&](unsigned lane) {
        const T value = static_cast<T>(wave.vector[in.data][lane] >> shift);
        const u64 offset = u64{wave.vector[in.address_register][lane] + static_cast<u32>(in.offset)};
        std::memcpy(lds_pointer(wave, lane, offset, sizeof value, "store"), &value, sizeof value);
    });
}

// The bytes of LDS from OFFSET on, if each lane of EXEC may access BYTES there at its own offset; else null.
u8* lds_base(Wave& wave, const Lanes32& offsets, u32 offset, unsigned bytes) {
    const Lanes32& active = wave.active();
    u32 highest = 0;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        const u32 own = offsets.at[lane] & active.at[lane];
        highest = own > highest ? own : highest;
    }
    std::vector<u8>& lds = wave.group->lds;
    return u64{highest} + offset + bytes <= lds.size() ? lds.data() + offset : nullptr;
}

bool are_words_in_order(const Wave& wave, const Lanes32& offsets) {
    u32 differences = 0;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        differences |= offsets.at[lane] ^ (offsets.at[0] + 4 * lane);
    }
    return differences == 0 && wave.exec() == ~0ULL;
}

template <unsigned words>
void read(Wave& wave, const Instruction& in) {
    const Lanes32 from = wave.vector[in.address_register];
    if (const u8* const base = lds_base(wave, from, static_cast<u32>(in.offset), words * 4)) {
        if (words == 1 && are_words_in_order(wave, from)) {
            std::memcpy(wave.vector[in.destination].at, base + from.at[0], sizeof from);
            return;
        }
        for_each_lane(wave.exec(), [&](unsigned lane) {
            for (unsigned word = 0; word < words; ++word) {
                std::memcpy(&wave.vector[in.destination + word].at[lane], base + from.at[lane] + 4 * word, 4);
            }
        });
        return;
    }
    for_each_lane(wave.exec(), [&](unsigned lane) {
        const u64 offset = u64{from.at[lane] + static_cast<u32>(in.offset)};
        const u8* const at = lds_pointer(wave, lane, offset, words * 4, "load");
        for (unsigned word = 0; word < words; ++word) {
            std::memcpy(&wave.vector[in.destination + word].at[lane], at + 4 * word, 4);
        }
    });
}

template <unsigned words>
void write(Wave& wave, const Instruction& in) {
    const Lanes32& to = wave.vector[in.address_register];
    if (u8* const base = lds_base(wave, to, static_cast<u32>(in.offset), words * 4)) {
        if (words == 1 && are_words_in_order(wave, to)) {
            std::memcpy(base + to.at[0], wave.vector[in.data].at, sizeof to);
            return;
        }
        for_each_lane(wave.exec(), [&](unsigned lane) {
            for (unsigned word = 0; word < words; ++word) {
                std::memcpy(base + to.at[lane] + 4 * word, &wave.vector[in.data + word].at[lane], 4);
            }
        });
        return;
    }
    for_each_lane(wave.exec(), [&](unsigned lane) {
        const u64 offset = u64{to.at[lane] + static_cast<u32>(in.offset)};
        u8* const at = lds_pointer(wave, lane, offset, words * 4, "store");
        for (unsigned word = 0; word < words; ++word) {
            std::memcpy(at + 4 * word, &wave.vector[in.data + word].at[lane], 4);
        }
    });
}

// Two accesses, at offsets in units of UNIT elements.
template <unsigned words, unsigned unit>
void read_two(Wave& wave, const Instruction& in) {
    const Lanes32 from = wave.vector[in.address_register];
    for_each_lane(wave.exec(), [&](unsigned lane) {
        const u32 offsets[2] = {in.offset0 * words * 4 * unit, in.offset1 * words * 4 * unit};
        for (unsigned i = 0; i < 2; ++i) {
            const u8* const at = lds_pointer(wave, lane, u64{from.at[lane] + offsets[i]}, words * 4, "load");
            for (unsigned word = 0; word < words; ++word) {
                std::memcpy(&wave.vector[in.destination + i * words + word].at[lane], at + 4 * word, 4);
            }
        }
    });
}

template <unsigned words, unsigned unit>
void write_two(Wave& wave, const Instruction& in) {
    const Lanes32& to = wave.vector[in.address_register];
    for_each_lane(wave.exec(), [&](unsigned lane) {
        const u32 offsets[2] = {in.offset0 * words * 4 * unit, in.offset1 * words * 4 * unit};
        for (unsigned i = 0; i < 2; ++i) {
            u8* const at = lds_pointer(wave, lane, u64{to.at[lane] + offsets[i]}, words * 4, "store");
            const unsigned data = i == 0 ? in.data : in.data1;
            for (unsigned word = 0; word < words; ++word) {
                std::memcpy(at + 4 * word, &wave.vector[data + word].at[lane], 4);
            }
        }
    });
}

// Compare and swap has the expected value in the first data register, here only.
template <Atomic operation, class T, bool returns>
void update(Wave& wave, const Instruction& in) {
    const auto value_in = [&](unsigned reg, unsigned lane) {
        if constexpr (sizeof(T) == 8) {
            return join(wave.vector[reg][lane], wave.vector[reg + 1][lane]);
        } else {
            return wave.vector[reg][lane];
        }
    };
    const Lanes32 to = wave.vector[in.address_register];
    for_each_lane(wave.exec(), [&](unsigned lane) {
        const u64 offset = u64{to[lane] + static_cast<u32>(in.offset)};
        if (offset % sizeof(T) != 0) {
            throw Fault("LDS atomic of " + std::to_string(sizeof(T)) + " bytes at " + hexadecimal(offset) +
                            ", which is no multiple of it",
                        lane, offset);
        }
        u8* const at = lds_pointer(wave, lane, offset, sizeof(T), "atomic");
        constexpr bool swaps = operation == Atomic::compare_swap;
        const T old =
            apply_atomic<operation>(at, value_in(swaps ? in.data1 : in.data, lane), value_in(in.data, lane));
        if (returns) {
            wave.vector[in.destination][lane] = static_cast<u32>(old);
            if constexpr (sizeof(T) == 8) {
                wave.vector[in.destination + 1U][lane] = high_half(old);
            }
        }
    });
}

// Each lane reads another one's register; inactive lanes read as 0.
template <class Source>
void exchange(Wave& wave, const Instruction& in, unsigned reg, Source source_of) {
    Lanes32 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        const unsigned from = source_of(lane) & 63;
        result[lane] = (wave.exec() >> from & 1) != 0 ? wave.vector[reg][from] : 0;
    }
    store_lanes(wave, in.destination, result);
}

void swizzle(Wave& wave, const Instruction& in) {
    const u32 pattern = static_cast<u32>(in.offset);
    exchange(wave, in, in.address_register, [&](unsigned lane) {
        if ((pattern & 0x8000) != 0) { // within four lanes
            return (lane & ~3U) | (pattern >> (2 * (lane & 3)) & 3);
        }
        const unsigned within = (((lane & 31) & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
        return (lane & 32) | within;
    });
}

void backward_permute(Wave& wave, const Instruction& in) {
    const Lanes32 from = wave.vector[in.address_register];
    exchange(wave, in, in.data,
             [&](unsigned lane) { return (from[lane] + static_cast<u32>(in.offset)) >> 2; });
}

void forward_permute(Wave& wave, const Instruction& in) {
    Lanes32 result{};
    for_each_lane(wave.exec(), [&](unsigned lane) {
        const u32 to = (wave.vector[in.address_register][lane] + static_cast<u32>(in.offset)) >> 2 & 63;
        result[to] = wave.vector[in.data][lane];
    });
    store_lanes(wave, in.destination, result);
}

void nothing(Wave&, const Instruction&) {}

using enum Atomic;

const Opcode ds[] = {
    {0, "ds_add_u32", update<add, u32, false>},
    {1, "ds_sub_u32", update<subtract, u32, false>},
    {2, "ds_rsub_u32", update<subtract_from, u32, false>},
    {3, "ds_inc_u32", update<increment, u32, false>},
    {4, "ds_dec_u32", update<decrement, u32, false>},
    {5, "ds_min_i32", update<signed_minimum, u32, false>},
    {6, "ds_max_i32", update<signed_maximum, u32, false>},
    {7, "ds_min_u32", update<unsigned_minimum, u32, false>},
    {8, "ds_max_u32", update<unsigned_maximum, u32, false>},
    {9, "ds_and_b32", update<bit_and, u32, false>},
    {10, "ds_or_b32", update<bit_or, u32, false>},
    {11, "ds_xor_b32", update<bit_xor, u32, false>},
    {12, "ds_mskor_b32"},
    {13, "ds_write_b32", write<1>},
    {14, "ds_write2_b32", write_two<1, 1>},
    {15, "ds_write2st64_b32", write_two<1, 64>},
    {16, "ds_cmpst_b32", update<compare_swap, u32, false>},
    {17, "ds_cmpst_f32"},
    {18, "ds_min_f32", update<float_minimum, u32, false>},
    {19, "ds_max_f32", update<float_maximum, u32, false>},
    {20, "ds_nop", nothing},
    {21, "ds_add_f32", update<float_add, u32, false>},
    {29, "ds_write_addtid_b32"},
    {30, "ds_write_b8", write_part<u8, 0>},
    {31, "ds_write_b16", write_part<u16, 0>},
    {32, "ds_add_rtn_u32", update<add, u32, true>},
    {33, "ds_sub_rtn_u32", update<subtract, u32, true>},
    {34, "ds_rsub_rtn_u32", update<subtract_from, u32, true>},
    {35, "ds_inc_rtn_u32", update<increment, u32, true>},
    {36, "ds_dec_rtn_u32", update<decrement, u32, true>},
    {37, "ds_min_rtn_i32", update<signed_minimum, u32, true>},
    {38, "ds_max_rtn_i32", update<signed_maximum, u32, true>},
    {39, "ds_min_rtn_u32", update<unsigned_minimum, u32, true>},
    {40, "ds_max_rtn_u32", update<unsigned_maximum, u32, true>},
    {41, "ds_and_rtn_b32", update<bit_and, u32, true>},
    {42, "ds_or_rtn_b32", update<bit_or, u32, true>},
    {43, "ds_xor_rtn_b32", update<bit_xor, u32, true>},
    {44, "ds_mskor_rtn_b32"},
    {45, "ds_wrxchg_rtn_b32", update<swap, u32, true>},
    {46, "ds_wrxchg2_rtn_b32"},
    {47, "ds_wrxchg2st64_rtn_b32"},
    {48, "ds_cmpst_rtn_b32", update<compare_swap, u32, true>},
    {49, "ds_cmpst_rtn_f32"},
    {50, "ds_min_rtn_f32", update<float_minimum, u32, true>},
    {51, "ds_max_rtn_f32", update<float_maximum, u32, true>},
    {52, "ds_wrap_rtn_b32"},
    {53, "ds_add_rtn_f32", update<float_add, u32, true>},
    {54, "ds_read_b32", read<1>},
    {55, "ds_read2_b32", read_two<1, 1>},
    {56, "ds_read2st64_b32", read_two<1, 64>},
    {57, "ds_read_i8", read_part<i8, Into::word>},
    {58, "ds_read_u8", read_part<u8, Into::word>},
    {59, "ds_read_i16", read_part<i16, Into::word>},
    {60, "ds_read_u16", read_part<u16, Into::word>},
    {61, "ds_swizzle_b32", swizzle},
    {62, "ds_permute_b32", forward_permute},
    {63, "ds_bpermute_b32", backward_permute},
    {64, "ds_add_u64", update<add, u64, false>},
    {65, "ds_sub_u64", update<subtract, u64, false>},
    {66, "ds_rsub_u64", update<subtract_from, u64, false>},
    {67, "ds_inc_u64", update<increment, u64, false>},
    {68, "ds_dec_u64", update<decrement, u64, false>},
    {69, "ds_min_i64", update<signed_minimum, u64, false>},
    {70, "ds_max_i64", update<signed_maximum, u64, false>},
    {71, "ds_min_u64", update<unsigned_minimum, u64, false>},
    {72, "ds_max_u64", update<unsigned_maximum, u64, false>},
    {73, "ds_and_b64", update<bit_and, u64, false>},
    {74, "ds_or_b64", update<bit_or, u64, false>},
    {75, "ds_xor_b64", update<bit_xor, u64, false>},
    {76, "ds_mskor_b64"},
    {77, "ds_write_b64", write<2>},
    {78, "ds_write2_b64", write_two<2, 1>},
    {79, "ds_write2st64_b64", write_two<2, 64>},
    {80, "ds_cmpst_b64", update<compare_swap, u64, false>},
    {81, "ds_cmpst_f64"},
    {82, "ds_min_f64", update<float_minimum, u64, false>},
    {83, "ds_max_f64", update<float_maximum, u64, false>},
    {84, "ds_write_b8_d16_hi", write_part<u8, 16>},
    {85, "ds_write_b16_d16_hi", write_part<u16, 16>},
    {86, "ds_read_u8_d16", read_part<u8, Into::low_half>},
    {87, "ds_read_u8_d16_hi", read_part<u8, Into::high_half>},
    {88, "ds_read_i8_d16", read_part<i8, Into::low_half>},
    {89, "ds_read_i8_d16_hi", read_part<i8, Into::high_half>},
    {90, "ds_read_u16_d16", read_part<u16, Into::low_half>},
    {91, "ds_read_u16_d16_hi", read_part<u16, Into::high_half>},
    {92, "ds_add_f64", update<float_add, u64, false>},
    {96, "ds_add_rtn_u64", update<add, u64, true>},
    {97, "ds_sub_rtn_u64", update<subtract, u64, true>},
    {98, "ds_rsub_rtn_u64", update<subtract_from, u64, true>},
    {99, "ds_inc_rtn_u64", update<increment, u64, true>},
    {100, "ds_dec_rtn_u64", update<decrement, u64, true>},
    {101, "ds_min_rtn_i64", update<signed_minimum, u64, true>},
    {102, "ds_max_rtn_i64", update<signed_maximum, u64, true>},
    {103, "ds_min_rtn_u64", update<unsigned_minimum, u64, true>},
    {104, "ds_max_rtn_u64", update<unsigned_maximum, u64, true>},
    {105, "ds_and_rtn_b64", update<bit_and, u64, true>},
    {106, "ds_or_rtn_b64", update<bit_or, u64, true>},
    {107, "ds_xor_rtn_b64", update<bit_xor, u64, true>},
    {108, "ds_mskor_rtn_b64"},
    {109, "ds_wrxchg_rtn_b64", update<swap, u64, true>},
    {110, "ds_wrxchg2_rtn_b64"},
    {111, "ds_wrxchg2st64_rtn_b64"},
    {112, "ds_cmpst_rtn_b64", update<compare_swap, u64, true>},
    {113, "ds_cmpst_rtn_f64"},
    {114, "ds_min_rtn_f64", update<float_minimum, u64, true>},
    {115, "ds_max_rtn_f64", update<float_maximum, u64, true>},
    {118, "ds_read_b64", read<2>},
    {119, "ds_read2_b64", read_two<2, 1>},
    {120, "ds_read2st64_b64", read_two<2, 64>},
    {124, "ds_add_rtn_f64", update<float_add, u64, true>},
    {126, "ds_condxchg32_rtn_b64"},
    {182, "ds_read_addtid_b32"},
    {189, "ds_consume"},
    {190, "ds_append"},
    {222, "ds_write_b96", write<3>},
    {223, "ds_write_b128", write<4>},
    {254, "ds_read_b96", read<3>},
    {255, "ds_read_b128", read<4>},
};

} // namespace

std::span<const Opcode> ds_opcodes() {
    return ds;
}

} // namespace amd_gpu
