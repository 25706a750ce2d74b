// SPDX-License-Identifier: Apache-2.0
// How loads, stores and atomics of global memory, LDS and scratch reach the bytes.
#pragma once

#include "addresses.hpp"
#include "wave.hpp"

namespace amd_gpu {

struct Operation;

// The bytes of each lane of EXEC; the other elements are not set.
struct Pointers {
    u8* at[lane_count];
    // If the operation takes rows, all lanes are active and their bytes are adjacent: the first lane's bytes.
    // AT is not set then.
    u8* row = nullptr;
};

// ADDRESSES are of global memory, or with Segment::flat also of LDS and scratch. Throws Fault for an address
// that the device does not reach.
void resolve(Wave& wave, const Lanes64& lane_addresses, const Operation& operation, Segment segment,
             Pointers& out);

// OFFSET in a lane's scratch.
u8* scratch_pointer(Wave& wave, unsigned lane, u64 offset, unsigned bytes, const char* kind);

// OFFSET in the group's LDS.
u8* lds_pointer(Wave& wave, unsigned lane, u64 offset, unsigned bytes, const char* kind);

// Common to FLAT and MUBUF: the operation of an opcode number, on each lane's bytes.
enum class Access : u8 { load, store, atomic };

struct Operation {
    void (*run)(Wave&, const Instruction&, const Pointers&);
    u8 bytes; // of one lane
    Access access;
    bool takes_rows = false;
};

// Of opcode NUMBER, which FLAT and MUBUF share; null if there is none.
const Operation* memory_operation(unsigned number);

const char* access_name(Access access);

/// The part of a register that a load of less than a word changes.
enum class Into : u8 { word, low_half, high_half };

/// The register after the load.
constexpr u32 merged(u32 before, u32 loaded, Into into) {
    return into == Into::word       ? loaded
           : into == Into::low_half ? (before & 0xffff0000) | (loaded & 0xffff)
                                    : (before & 0xffff) | loaded << 16;
}

} // namespace amd_gpu
