// SPDX-License-Identifier: Apache-2.0
#include "accesses.hpp"

#include "atomics.hpp"
#include "fault.hpp"

namespace amd_gpu {
namespace {

// Loads of less than a word: of T, extended to a word, or into one half of the register.
template <class T, Into into>
void load_part(Wave& wave, const Instruction& in, const Pointers& pointers) {
    Lanes32& to = wave.vector[in.destination];
    for_each_lane(wave.exec(), [&](unsigned lane) {
        T value;
        std::memcpy(&value, pointers.at[lane], sizeof value);
        to[lane] = merged(to[lane], static_cast<u32>(value), into);
    });
}

template <unsigned words>
void load_words(Wave& wave, const Instruction& in, const Pointers& pointers) {
    if (pointers.row != nullptr) {
        for (unsigned word = 0; word < words; ++word) {
            Lanes32& to = wave.vector[in.destination + word];
            for (unsigned lane = 0; lane < lane_count; ++lane) {
                std::memcpy(&to.at[lane], pointers.row + 4 * (lane * words + word), 4);
            }
        }
        return;
    }
    for_each_lane(wave.exec(), [&](unsigned lane) {
        for (unsigned word = 0; word < words; ++word) {
            std::memcpy(&wave.vector[in.destination + word].at[lane], pointers.at[lane] + 4 * word, 4);
        }
    });
}

template <class T, unsigned shift>
void store_part(Wave& wave, const Instruction& in, const Pointers& pointers) {
    const Lanes32& from = wave.vector[in.data];
    for_each_lane(wave.exec(), [&](unsigned lane) {
        const T value = static_cast<T>(from[lane] >> shift);
        std::memcpy(pointers.at[lane], &value, sizeof value);
    });
}

template <unsigned words>
void store_words(Wave& wave, const Instruction& in, const Pointers& pointers) {
    if (pointers.row != nullptr) {
        for (unsigned word = 0; word < words; ++word) {
            const Lanes32& from = wave.vector[in.data + word];
            for (unsigned lane = 0; lane < lane_count; ++lane) {
                std::memcpy(pointers.row + 4 * (lane * words + word), &from.at[lane], 4);
            }
        }
        return;
    }
    for_each_lane(wave.exec(), [&](unsigned lane) {
        for (unsigned word = 0; word < words; ++word) {
            std::memcpy(pointers.at[lane] + 4 * word, &wave.vector[in.data + word].at[lane], 4);
        }
    });
}

template <Atomic operation, class T>
void update(Wave& wave, const Instruction& in, const Pointers& pointers) {
    constexpr unsigned words = sizeof(T) / 4;
    const auto read = [&](unsigned reg, unsigned lane) {
        if constexpr (words == 2) {
            return join(wave.vector[reg][lane], wave.vector[reg + 1][lane]);
        } else {
            return wave.vector[reg][lane];
        }
    };
    for_each_lane(wave.exec(), [&](unsigned lane) {
        if (reinterpret_cast<std::uintptr_t>(pointers.at[lane]) % sizeof(T) != 0) {
            throw Fault("atomic of " + std::to_string(sizeof(T)) +
                            " bytes at an address that is no multiple of it",
                        lane, 0);
        }
        const T value = read(in.data, lane);
        const T expected = operation == Atomic::compare_swap ? read(in.data + words, lane) : T{0};
        const T old = apply_atomic<operation>(pointers.at[lane], value, expected);
        if (in.returns) {
            wave.vector[in.destination][lane] = static_cast<u32>(old);
            if constexpr (words == 2) {
                wave.vector[in.destination + 1U][lane] = high_half(old);
            }
        }
    });
}

struct Row {
    unsigned number;
    Operation operation;
};

template <Atomic operation>
constexpr Operation atomic32 = {update<operation, u32>, 4, Access::atomic};
template <Atomic operation>
constexpr Operation atomic64 = {update<operation, u64>, 8, Access::atomic};

constexpr Row rows[] = {
    {16, {load_part<u8, Into::word>, 1, Access::load}},
    {17, {load_part<i8, Into::word>, 1, Access::load}},
    {18, {load_part<u16, Into::word>, 2, Access::load}},
    {19, {load_part<i16, Into::word>, 2, Access::load}},
    {20, {load_words<1>, 4, Access::load, true}},
    {21, {load_words<2>, 8, Access::load, true}},
    {22, {load_words<3>, 12, Access::load, true}},
    {23, {load_words<4>, 16, Access::load, true}},
    {24, {store_part<u8, 0>, 1, Access::store}},
    {25, {store_part<u8, 16>, 1, Access::store}},
    {26, {store_part<u16, 0>, 2, Access::store}},
    {27, {store_part<u16, 16>, 2, Access::store}},
    {28, {store_words<1>, 4, Access::store, true}},
    {29, {store_words<2>, 8, Access::store, true}},
    {30, {store_words<3>, 12, Access::store, true}},
    {31, {store_words<4>, 16, Access::store, true}},
    {32, {load_part<u8, Into::low_half>, 1, Access::load}},
    {33, {load_part<u8, Into::high_half>, 1, Access::load}},
    {34, {load_part<i8, Into::low_half>, 1, Access::load}},
    {35, {load_part<i8, Into::high_half>, 1, Access::load}},
    {36, {load_part<u16, Into::low_half>, 2, Access::load}},
    {37, {load_part<u16, Into::high_half>, 2, Access::load}},
    {64, atomic32<Atomic::swap>},
    {65, atomic32<Atomic::compare_swap>},
    {66, atomic32<Atomic::add>},
    {67, atomic32<Atomic::subtract>},
    {68, atomic32<Atomic::signed_minimum>},
    {69, atomic32<Atomic::unsigned_minimum>},
    {70, atomic32<Atomic::signed_maximum>},
    {71, atomic32<Atomic::unsigned_maximum>},
    {72, atomic32<Atomic::bit_and>},
    {73, atomic32<Atomic::bit_or>},
    {74, atomic32<Atomic::bit_xor>},
    {75, atomic32<Atomic::increment>},
    {76, atomic32<Atomic::decrement>},
    {77, atomic32<Atomic::float_add>},
    {79, atomic64<Atomic::float_add>},
    {80, atomic64<Atomic::float_minimum>},
    {81, atomic64<Atomic::float_maximum>},
    {96, atomic64<Atomic::swap>},
    {97, atomic64<Atomic::compare_swap>},
    {98, atomic64<Atomic::add>},
    {99, atomic64<Atomic::subtract>},
    {100, atomic64<Atomic::signed_minimum>},
    {101, atomic64<Atomic::unsigned_minimum>},
    {102, atomic64<Atomic::signed_maximum>},
    {103, atomic64<Atomic::unsigned_maximum>},
    {104, atomic64<Atomic::bit_and>},
    {105, atomic64<Atomic::bit_or>},
    {106, atomic64<Atomic::bit_xor>},
    {107, atomic64<Atomic::increment>},
    {108, atomic64<Atomic::decrement>},
};

std::string text_of(const char* kind, unsigned bytes) {
    return std::string(kind) + " of " + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes") + " at ";
}

bool are_adjacent(const Lanes64& lane_addresses, unsigned bytes) {
    const u64 first = lane_addresses.at[0];
    u64 differences = 0;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        differences |= lane_addresses.at[lane] ^ (first + u64{lane} * bytes);
    }
    return differences == 0;
}

[[noreturn]] void no_memory(Wave& wave, unsigned lane, u64 address, unsigned bytes, const char* kind) {
    std::string where = wave.group->memory->describe(address);
    if (address >> 32 == wave.group->shared_base >> 32) {
        where = "a global access to an address of LDS";
    } else if (address >> 32 == wave.group->private_base >> 32) {
        where = "a global access to an address of scratch";
    }
    throw Fault(text_of(kind, bytes) + hexadecimal(address) + ", " + where, lane, address);
}

} // namespace

const Operation* memory_operation(unsigned number) {
    for (const Row& row : rows) {
        if (row.number == number) {
            return &row.operation;
        }
    }
    return nullptr;
}

const char* access_name(Access access) {
    return access == Access::load ? "load" : access == Access::store ? "store" : "atomic";
}

u8* scratch_pointer(Wave& wave, unsigned lane, u64 offset, unsigned bytes, const char* kind) {
    const u32 size = wave.group->lane_scratch;
    if (offset + bytes > size) {
        throw Fault("scratch " + text_of(kind, bytes) + hexadecimal(offset) + ", past the " +
                        std::to_string(size) + " bytes of a lane",
                    lane, offset);
    }
    return wave.scratch.data() + static_cast<std::size_t>(lane) * size + offset;
}

u8* lds_pointer(Wave& wave, unsigned lane, u64 offset, unsigned bytes, const char* kind) {
    const std::size_t size = wave.group->lds.size();
    if (offset + bytes > size) {
        throw Fault("LDS " + text_of(kind, bytes) + hexadecimal(offset) + ", past the " +
                        std::to_string(size) + " bytes of the group",
                    lane, offset);
    }
    return wave.group->lds.data() + offset;
}

void resolve(Wave& wave, const Lanes64& lane_addresses, const Operation& operation, Segment segment,
             Pointers& out) {
    const u64 exec = wave.exec();
    if (exec == 0) {
        return;
    }
    AddressView& memory = *wave.group->memory;
    const unsigned bytes = operation.bytes;
    const char* const kind = access_name(operation.access);
    if (operation.takes_rows && exec == ~0ULL && are_adjacent(lane_addresses, bytes)) {
        out.row = memory.pointer(lane_addresses.at[0], u64{bytes} * lane_count);
        if (out.row != nullptr) {
            return;
        }
    }
    u64 lowest = ~0ULL;
    u64 highest = 0;
    if (exec == ~0ULL) {
        for (const u64 address : lane_addresses.at) {
            lowest = address < lowest ? address : lowest;
            highest = address > highest ? address : highest;
        }
    } else {
        for_each_lane(exec, [&](unsigned lane) {
            const u64 address = lane_addresses[lane];
            lowest = address < lowest ? address : lowest;
            highest = address > highest ? address : highest;
        });
    }
    if (const Range* range = memory.find(lowest, highest - lowest + bytes)) {
        u8* const host = range->host - range->begin;
        for (unsigned lane = 0; lane < lane_count; ++lane) {
            out.at[lane] = host + lane_addresses.at[lane];
        }
        return;
    }
    for_each_lane(exec, [&](unsigned lane) {
        const u64 address = lane_addresses[lane];
        if (segment == Segment::flat && address >> 32 == wave.group->shared_base >> 32) {
            out.at[lane] = lds_pointer(wave, lane, address & 0xffffffff, bytes, kind);
        } else if (segment == Segment::flat && address >> 32 == wave.group->private_base >> 32) {
            out.at[lane] = scratch_pointer(wave, lane, address & 0xffffffff, bytes, kind);
        } else if ((out.at[lane] = memory.pointer(address, bytes)) == nullptr) {
            no_memory(wave, lane, address, bytes, kind);
        }
    });
}

} // namespace amd_gpu
