// SPDX-License-Identifier: Apache-2.0
#include "operands.hpp"

#include "fault.hpp"
#include "half.hpp"

namespace amd_gpu {
namespace {

constexpr float float_constants[] = {0.5F, -0.5F, 1, -1, 2, -2, 4, -4};
enum : unsigned {
    code_integers = 128, // 0 to 64, then -1 to -16
    code_negatives = 193,
    code_integers_end = 209,
    code_shared_base = 235,
    code_shared_limit,
    code_private_base,
    code_private_limit,
    code_floats = 240,
    code_inverse_two_pi = 248,
    code_vccz = 251,
    code_execz,
    code_scc,
};

[[noreturn]] void unknown_operand(unsigned code) {
    throw Fault("operand code " + std::to_string(code) + " is not implemented");
}

bool integer_constant(unsigned code, i64& value) {
    if (code < code_integers || code >= code_integers_end) {
        return false;
    }
    value = code < code_negatives ? static_cast<i64>(code) - code_integers : 192 - static_cast<i64>(code);
    return true;
}

// The lane that LANE reads under a DPP control, or -1.
int dpp_source(unsigned control, int lane) {
    const int row = lane & ~15;
    const int column = lane & 15;
    const int distance = static_cast<int>(control & 15);
    if (control < 0x100) {
        return (lane & ~3) | static_cast<int>(control >> (lane % 4 * 2) & 3);
    }
    if (control > 0x100 && control <= 0x10f) {
        return column + distance < 16 ? lane + distance : -1;
    }
    if (control > 0x110 && control <= 0x11f) {
        return column >= distance ? lane - distance : -1;
    }
    if (control > 0x120 && control <= 0x12f) {
        return row | ((column - distance) & 15);
    }
    switch (control) {
    case 0x130: // wave_shl
        return lane < 63 ? lane + 1 : -1;
    case 0x134: // wave_rol
        return (lane + 1) & 63;
    case 0x138: // wave_shr
        return lane > 0 ? lane - 1 : -1;
    case 0x13c: // wave_ror
        return (lane - 1) & 63;
    case 0x140: // row_mirror
        return row | (15 - column);
    case 0x141: // row_half_mirror
        return (lane & ~7) | (7 - (lane & 7));
    case 0x142: // row_bcast:15
        return row > 0 ? row - 1 : -1;
    case 0x143: // row_bcast:31
        return lane >= 32 ? 31 : -1;
    default:
        throw Fault("DPP control " + hexadecimal(control) + " is not implemented");
    }
}

u64 dpp_lanes(const Wave& wave, const Instruction& in) {
    u64 mask = 0;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        const int from = dpp_source(in.dpp_control, static_cast<int>(lane));
        const bool valid = in.bound_control || (from >= 0 && (wave.exec() >> from & 1) != 0);
        const bool selected =
            (in.row_mask >> (lane / 16) & 1) != 0 && (in.bank_mask >> (lane / 4 % 4) & 1) != 0;
        mask |= static_cast<u64>(valid && selected) << lane;
    }
    return mask;
}

u32 part_of(u32 value, u8 part, bool sign) {
    if (part == part_all) {
        return value;
    }
    const unsigned shift = part < part_word0 ? 8U * part : 16U * (part - part_word0);
    if (part < part_word0) {
        const u32 byte = value >> shift & 0xff;
        return sign ? static_cast<u32>(static_cast<i8>(byte)) : byte;
    }
    const u32 word = value >> shift & 0xffff;
    return sign ? static_cast<u32>(static_cast<i16>(word)) : word;
}

} // namespace

std::string hexadecimal(u64 value) {
    std::string text;
    do {
        text.insert(text.begin(), "0123456789abcdef"[value & 15]);
        value >>= 4;
    } while (value != 0);
    return "0x" + text;
}

u32 constant32(const Wave& wave, const Instruction& in, unsigned code) {
    if (i64 value = 0; integer_constant(code, value)) {
        return static_cast<u32>(value);
    }
    if (code >= code_floats && code < code_inverse_two_pi) {
        return bits_of(float_constants[code - code_floats]);
    }
    switch (code) {
    case code_literal:
        return in.literal;
    case code_inverse_two_pi:
        return 0x3e22f983;
    case code_vccz:
        return wave.vcc() == 0 ? 1 : 0;
    case code_execz:
        return wave.exec() == 0 ? 1 : 0;
    case code_scc:
        return wave.scc ? 1 : 0;
    case code_shared_base:
    case code_private_base:
        return 0;
    case code_shared_limit:
    case code_private_limit:
        return 0xffffffff;
    default:
        unknown_operand(code);
    }
}

u32 constant16(const Wave& wave, const Instruction& in, unsigned code) {
    if (code >= code_floats && code < code_inverse_two_pi) {
        return to_half(float_constants[code - code_floats]);
    }
    return code == code_inverse_two_pi ? 0x3118 : scalar32(wave, in, code);
}

u64 constant64(const Wave& wave, const Instruction& in, unsigned code, bool floating) {
    if (i64 value = 0; integer_constant(code, value)) {
        return static_cast<u64>(value);
    }
    if (code >= code_floats && code < code_inverse_two_pi) {
        return bits_of(static_cast<double>(float_constants[code - code_floats]));
    }
    switch (code) {
    case code_literal:
        return floating ? static_cast<u64>(in.literal) << 32 : in.literal;
    case code_inverse_two_pi:
        return 0x3fc45f306dc9c882;
    case code_shared_base:
        return wave.group->shared_base;
    case code_shared_limit:
        return wave.group->shared_base | 0xffffffff;
    case code_private_base:
        return wave.group->private_base;
    case code_private_limit:
        return wave.group->private_base | 0xffffffff;
    default:
        return constant32(wave, in, code);
    }
}

const Lanes32& broadcast_source(Wave& wave, const Instruction& in, unsigned i, As as, Lanes32& space) {
    const bool half = as == As::b16 || as == As::f16;
    const u32 value = half ? constant16(wave, in, in.source[i]) : scalar32(wave, in, in.source[i]);
    for (u32& element : space.at) {
        element = value;
    }
    return space;
}

const Lanes32& modified_source(Wave& wave, const Instruction& in, unsigned i, As as, Lanes32& space) {
    if (in.source[i] >= code_vector) {
        space = wave.vector[in.source[i] - code_vector];
    } else {
        broadcast_source(wave, in, i, as, space);
    }
    if (in.dpp && i == 0) {
        const Lanes32 from = space;
        for (unsigned lane = 0; lane < lane_count; ++lane) {
            const int other = dpp_source(in.dpp_control, static_cast<int>(lane));
            space[lane] =
                other >= 0 && (wave.exec() >> other & 1) != 0 ? from[static_cast<unsigned>(other)] : 0;
        }
    }
    if (in.sdwa && i < 2) {
        for (u32& element : space.at) {
            element = part_of(element, in.source_part[i], in.sign_extend[i]);
        }
    }
    const bool half = as == As::b16 || as == As::f16;
    if (half && !in.sdwa && (in.select >> i & 1) != 0) {
        for (u32& element : space.at) {
            element >>= 16;
        }
    }
    if (as == As::f32 || as == As::f16) {
        const u32 sign = as == As::f16 ? 0x8000 : 0x80000000;
        const u32 keep = (in.absolute >> i & 1) != 0 ? ~sign : ~0U;
        const u32 flip = (in.negate >> i & 1) != 0 ? sign : 0;
        for (u32& element : space.at) {
            element = (element & keep) ^ flip;
        }
    }
    return space;
}

void source64(Wave& wave, const Instruction& in, unsigned i, bool floating, Lanes64& out) {
    const unsigned code = in.source[i];
    if (code >= code_vector) {
        const Lanes32& low = wave.vector[code - code_vector];
        const Lanes32& high = wave.vector[code - code_vector + 1];
        for (unsigned lane = 0; lane < lane_count; ++lane) {
            out[lane] = join(low[lane], high[lane]);
        }
    } else {
        const u64 value = scalar64(wave, in, code, floating);
        for (u64& element : out.at) {
            element = value;
        }
    }
    if (in.plain) {
        return;
    }
    if (in.dpp || in.sdwa) {
        throw Fault("DPP or SDWA of a 64-bit operand is not implemented");
    }
    if (floating) {
        const u64 sign = 1ULL << 63;
        const u64 keep = (in.absolute >> i & 1) != 0 ? ~sign : ~0ULL;
        const u64 flip = (in.negate >> i & 1) != 0 ? sign : 0;
        for (u64& element : out.at) {
            element = (element & keep) ^ flip;
        }
    }
}

void store_modified(Wave& wave, const Instruction& in, const Lanes32& result) {
    Lanes32& to = wave.vector[in.destination];
    const u64 mask = in.dpp ? wave.exec() & dpp_lanes(wave, in) : wave.exec();
    if (!in.sdwa || in.destination_part == part_all) {
        for_each_lane(mask, [&](unsigned lane) { to[lane] = result[lane]; });
        return;
    }
    const bool byte = in.destination_part < part_word0;
    const unsigned shift = byte ? 8U * in.destination_part : 16U * (in.destination_part - part_word0);
    const u32 field = byte ? 0xff : 0xffff;
    for_each_lane(mask, [&](unsigned lane) {
        const u32 value = result[lane] & field;
        switch (in.destination_unused) {
        case 0: // the rest becomes 0
            to[lane] = value << shift;
            break;
        case 1: // the rest above is the sign's, below 0
            to[lane] = part_of(value, byte ? 0 : part_word0, true) << shift;
            break;
        default:
            to[lane] = (to[lane] & ~(field << shift)) | value << shift;
        }
    });
}

void store64(Wave& wave, const Instruction& in, const Lanes64& result) {
    Lanes32 half;
    for (unsigned part = 0; part < 2; ++part) {
        for (unsigned lane = 0; lane < lane_count; ++lane) {
            half[lane] = static_cast<u32>(result[lane] >> (32 * part));
        }
        store_lanes(wave, in.destination + part, half);
    }
}

void store16(Wave& wave, const Instruction& in, const Lanes32& result, bool keeps) {
    const bool upper = in.vop3 && (in.select & 8) != 0;
    if (!upper && !keeps) {
        store32(wave, in, result);
        return;
    }
    const Lanes32& old = wave.vector[in.destination];
    Lanes32 merged;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        merged[lane] = upper ? (old[lane] & 0xffff) | result[lane] << 16
                             : (old[lane] & 0xffff0000) | (result[lane] & 0xffff);
    }
    store_lanes(wave, in.destination, merged);
}

} // namespace amd_gpu
