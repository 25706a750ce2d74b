// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave.hpp"

namespace amd_gpu {

// How an operand is read: it decides the value of inline constants and where its sign is.
enum class As : u8 { integer, f32, b16, f16 };

u32 constant32(const Wave& wave, const Instruction& in, unsigned code);
u32 constant16(const Wave& wave, const Instruction& in, unsigned code);
u64 constant64(const Wave& wave, const Instruction& in, unsigned code, bool floating);

inline u32 scalar32(const Wave& wave, const Instruction& in, unsigned code) {
    return code < 128 ? wave.scalar[code] : constant32(wave, in, code);
}

inline u64 scalar64(const Wave& wave, const Instruction& in, unsigned code, bool floating = false) {
    return code < 128 ? wave.pair(code) : constant64(wave, in, code, floating);
}

// Source I with its modifiers: DPP, SDWA, op_sel, absolute value and sign.
const Lanes32& modified_source(Wave& wave, const Instruction& in, unsigned i, As as, Lanes32& space);
const Lanes32& broadcast_source(Wave& wave, const Instruction& in, unsigned i, As as, Lanes32& space);

// Source I of all lanes: a register, or SPACE, which it fills.
inline const Lanes32& source32(Wave& wave, const Instruction& in, unsigned i, As as, Lanes32& space) {
    if (in.plain) {
        return in.source[i] >= code_vector ? wave.vector[in.source[i] - code_vector]
                                           : broadcast_source(wave, in, i, as, space);
    }
    return modified_source(wave, in, i, as, space);
}

void source64(Wave& wave, const Instruction& in, unsigned i, bool floating, Lanes64& out);

// Writes the lanes of EXEC, with the result's modifiers but clamp and output scale, which know the type.
void store_modified(Wave& wave, const Instruction& in, const Lanes32& result);

inline void store_lanes(Wave& wave, unsigned reg, const Lanes32& result) {
    Lanes32& to = wave.vector[reg];
    if (wave.exec() == ~0ULL) {
        to = result;
        return;
    }
    const Lanes32& active = wave.active();
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        to.at[lane] = (result.at[lane] & active.at[lane]) | (to.at[lane] & ~active.at[lane]);
    }
}

inline void store32(Wave& wave, const Instruction& in, const Lanes32& result) {
    if (in.plain_result) {
        store_lanes(wave, in.destination, result);
    } else {
        store_modified(wave, in, result);
    }
}

void store64(Wave& wave, const Instruction& in, const Lanes64& result);

// 16 bits: to the upper half with op_sel; otherwise the upper half becomes 0, or stays if KEEPS.
void store16(Wave& wave, const Instruction& in, const Lanes32& result, bool keeps);

// A mask of lanes to a scalar pair.
inline void store_mask(Wave& wave, unsigned reg, u64 mask) {
    wave.set_pair(reg, mask & wave.exec());
}

inline float output(const Instruction& in, float value) {
    if (in.output_scale != 0) {
        value *= in.output_scale == 1 ? 2.0F : in.output_scale == 2 ? 4.0F : 0.5F;
    }
    if (in.clamp) {
        value = value > 0 ? (value < 1 ? value : 1.0F) : 0.0F;
    }
    return value;
}

inline double output(const Instruction& in, double value) {
    if (in.output_scale != 0) {
        value *= in.output_scale == 1 ? 2.0 : in.output_scale == 2 ? 4.0 : 0.5;
    }
    if (in.clamp) {
        value = value > 0 ? (value < 1 ? value : 1.0) : 0.0;
    }
    return value;
}

// The same for all lanes, outside of the loops that compute them, which then become vector code.
inline void modify_floats(const Instruction& in, Lanes32& result) {
    if (in.output_scale != 0 || in.clamp) {
        for (u32& element : result.at) {
            element = bits_of(output(in, as_float(element)));
        }
    }
}
inline void modify_doubles(const Instruction& in, Lanes64& result) {
    if (in.output_scale != 0 || in.clamp) {
        for (u64& element : result.at) {
            element = bits_of(output(in, as_double(element)));
        }
    }
}

} // namespace amd_gpu
