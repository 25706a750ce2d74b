// SPDX-License-Identifier: Apache-2.0
#include "fault.hpp"
#include "instruction.hpp"

#include <array>

namespace amd_gpu {
namespace {

u32 field(u32 word, unsigned low, unsigned width) {
    return word >> low & ((1U << width) - 1);
}

bool flag(u32 word, unsigned bit) {
    return (word >> bit & 1) != 0;
}

u16 short_field(u32 word, unsigned low, unsigned width) {
    return static_cast<u16>(field(word, low, width));
}

u8 byte_field(u32 word, unsigned low, unsigned width) {
    return static_cast<u8>(field(word, low, width));
}

i32 signed_field(u32 word, unsigned low, unsigned width) {
    return static_cast<i32>(word << (32 - low - width)) >> (32 - width);
}

// Codes in the first source of VOP1, VOP2 and VOPC that announce a second word.
enum : u16 { code_sdwa = 249, code_dpp = 250 };

struct Reader {
    const u32* code;
    Instruction in;
    unsigned number = 0;

    void literal(unsigned words) {
        in.literal = code[words];
        in.size = static_cast<u8>(words * 4 + 4);
    }
    void scalar_format(Format format, unsigned opcode, bool two_sources) {
        in.format = format;
        number = opcode;
        in.source[0] = short_field(code[0], 0, 8);
        in.source[1] = two_sources ? short_field(code[0], 8, 8) : u16{0};
        if (in.source[0] == code_literal || in.source[1] == code_literal) {
            literal(1);
        }
    }
    void sdwa() {
        const u32 word = code[1];
        in.sdwa = true;
        in.size = 8;
        const u32 scalar[2] = {field(word, 23, 1), field(word, 31, 1)};
        in.source[0] = static_cast<u16>(field(word, 0, 8) | (scalar[0] != 0 ? 0U : 256U));
        if (in.format != Format::vop1) {
            in.source[1] = static_cast<u16>((in.source[1] & 255U) | (scalar[1] != 0 ? 0U : 256U));
        }
        for (unsigned i = 0; i < 2; ++i) {
            in.source_part[i] = byte_field(word, 16 + 8 * i, 3);
            in.sign_extend[i] = flag(word, 19 + 8 * i);
            in.negate = static_cast<u8>(in.negate | field(word, 20 + 8 * i, 1) << i);
            in.absolute = static_cast<u8>(in.absolute | field(word, 21 + 8 * i, 1) << i);
        }
        if (in.format == Format::vopc) {
            in.scalar_destination = flag(word, 15) ? short_field(word, 8, 7) : u16{reg_vcc};
            return;
        }
        in.destination_part = byte_field(word, 8, 3);
        in.destination_unused = byte_field(word, 11, 2);
        in.clamp = flag(word, 13);
        in.output_scale = byte_field(word, 14, 2);
    }
    void dpp() {
        const u32 word = code[1];
        in.dpp = true;
        in.size = 8;
        in.source[0] = static_cast<u16>(256U | field(word, 0, 8));
        in.dpp_control = short_field(word, 8, 9);
        in.bound_control = flag(word, 19);
        in.negate = static_cast<u8>(field(word, 20, 1) | field(word, 22, 1) << 1);
        in.absolute = static_cast<u8>(field(word, 21, 1) | field(word, 23, 1) << 1);
        in.bank_mask = byte_field(word, 24, 4);
        in.row_mask = byte_field(word, 28, 4);
    }
    void vector_short() {
        const u32 word = code[0];
        in.source[0] = short_field(word, 0, 9);
        const u32 top = word >> 25;
        if (top == 0x3f) {
            in.format = Format::vop1;
            number = field(word, 9, 8);
            in.destination = short_field(word, 17, 8);
        } else {
            in.format = top == 0x3e ? Format::vopc : Format::vop2;
            number = top == 0x3e ? field(word, 17, 8) : top;
            in.destination = short_field(word, 17, 8);
            in.source[1] = static_cast<u16>(256U | field(word, 9, 8));
        }
        if (in.source[0] == code_sdwa) {
            sdwa();
        } else if (in.source[0] == code_dpp) {
            dpp();
        } else if (in.source[0] == code_literal) {
            literal(1);
        }
        const bool constant_operand = number == 23 || number == 24 || number == 36 || number == 37;
        if (in.format == Format::vop2 && constant_operand) { // v_madmk, v_madak
            literal(1);
        }
    }
    void scalar_short() {
        const u32 word = code[0];
        const u32 top = word >> 23;
        in.scalar_destination = short_field(word, 16, 7);
        in.immediate = signed_field(word, 0, 16);
        if (top == 0x17d) {
            scalar_format(Format::sop1, field(word, 8, 8), false);
        } else if (top == 0x17e) {
            scalar_format(Format::sopc, field(word, 16, 7), true);
        } else if (top == 0x17f) {
            in.format = Format::sopp;
            number = field(word, 16, 7);
        } else if (word >> 28 == 11) {
            in.format = Format::sopk;
            number = field(word, 23, 5);
            if (number == 20) { // s_setreg_imm32_b32
                literal(1);
            }
        } else {
            scalar_format(Format::sop2, field(word, 23, 7), true);
        }
        in.target = in.address + 4 + static_cast<u64>(static_cast<i64>(in.immediate) * 4);
    }
    void vector_long() {
        const u32 low = code[0];
        const u32 high = code[1];
        in.vop3 = true;
        in.destination = short_field(low, 0, 8);
        in.clamp = flag(low, 15);
        in.negate = byte_field(high, 29, 3);
        for (unsigned i = 0; i < 3; ++i) {
            in.source[i] = short_field(high, 9 * i, 9);
        }
        if (low >> 23 == 0x1a7) {
            in.format = Format::vop3p;
            number = field(low, 16, 7);
            in.select = byte_field(low, 11, 3);
            in.select_high = static_cast<u8>(field(high, 27, 2) | field(low, 14, 1) << 2);
            in.negate_high = byte_field(low, 8, 3);
            return;
        }
        number = field(low, 16, 10);
        in.output_scale = byte_field(high, 27, 2);
        const bool carries = (number >= 0x119 && number <= 0x11e) || number == 480 || number == 481 ||
                             number == 488 || number == 489;
        if (carries) {
            in.scalar_destination = short_field(low, 8, 7);
        } else {
            in.absolute = byte_field(low, 8, 3);
            in.select = byte_field(low, 11, 4);
        }
        if (number < 0x100) {
            in.format = Format::vopc;
            in.scalar_destination = in.destination;
        } else if (number < 0x140) {
            in.format = Format::vop2;
            number -= 0x100;
        } else if (number < 0x1c0) {
            in.format = Format::vop1;
            number -= 0x140;
        } else {
            in.format = Format::vop3;
        }
    }
    void scalar_memory() {
        const u32 low = code[0];
        in.format = Format::smem;
        number = field(low, 18, 8);
        in.scalar_destination = short_field(low, 6, 7);
        in.base = static_cast<u16>(field(low, 0, 6) * 2);
        in.returns = flag(low, 16);
        in.offset_enabled = flag(low, 17);
        in.offset_in_register = flag(low, 14);
        in.offset = signed_field(code[1], 0, 21);
        in.data = short_field(code[1], 25, 7);
    }
    void local_memory() {
        const u32 low = code[0];
        const u32 high = code[1];
        in.format = Format::ds;
        number = field(low, 17, 8);
        in.offset0 = byte_field(low, 0, 8);
        in.offset1 = byte_field(low, 8, 8);
        in.offset = static_cast<i32>(field(low, 0, 16));
        const auto accumulation = static_cast<u16>(flag(low, 25) ? 256 : 0);
        in.address_register = short_field(high, 0, 8);
        in.data = static_cast<u16>(short_field(high, 8, 8) + accumulation);
        in.data1 = static_cast<u16>(short_field(high, 16, 8) + accumulation);
        in.destination = static_cast<u16>(short_field(high, 24, 8) + accumulation);
    }
    void flat_memory() {
        const u32 low = code[0];
        const u32 high = code[1];
        in.format = Format::flat;
        number = field(low, 18, 7);
        in.returns = flag(low, 16);
        in.to_lds = flag(low, 13);
        in.segment = static_cast<Segment>(field(low, 14, 2));
        in.offset =
            in.segment == Segment::flat ? static_cast<i32>(field(low, 0, 12)) : signed_field(low, 0, 13);
        const auto accumulation = static_cast<u16>(flag(high, 23) ? 256 : 0);
        in.address_register = short_field(high, 0, 8);
        in.data = static_cast<u16>(short_field(high, 8, 8) + accumulation);
        in.base = short_field(high, 16, 7);
        in.destination = static_cast<u16>(short_field(high, 24, 8) + accumulation);
    }
    void buffer_memory() {
        const u32 low = code[0];
        const u32 high = code[1];
        in.format = Format::mubuf;
        number = field(low, 18, 7);
        in.offset = static_cast<i32>(field(low, 0, 12));
        in.offset_enabled = flag(low, 12);
        in.index_enabled = flag(low, 13);
        in.returns = flag(low, 14);
        in.to_lds = flag(low, 16);
        const auto accumulation = static_cast<u16>(flag(high, 23) ? 256 : 0);
        in.address_register = short_field(high, 0, 8);
        in.data = in.destination = static_cast<u16>(short_field(high, 8, 8) + accumulation);
        in.base = static_cast<u16>(field(high, 16, 5) * 4);
        in.source[0] = short_field(high, 24, 8);
    }
    void format() {
        const u32 word = code[0];
        if (word >> 31 == 0) {
            vector_short();
            return;
        }
        if (word >> 30 == 2) {
            scalar_short();
            return;
        }
        in.size = 8;
        switch (word >> 26) {
        case 0x30:
            scalar_memory();
            return;
        case 0x34:
            vector_long();
            return;
        case 0x36:
            local_memory();
            return;
        case 0x37:
            flat_memory();
            return;
        case 0x38:
            buffer_memory();
            return;
        default:
            throw Fault("the encoding " + hexadecimal(word) + " is not one of GFX9");
        }
    }
};

constexpr const char* format_names[format_count] = {"SOP1", "SOP2", "SOPC", "SOPK",  "SOPP", "SMEM", "VOP1",
                                                    "VOP2", "VOPC", "VOP3", "VOP3P", "DS",   "FLAT", "MUBUF"};

using Index = std::array<std::array<const Opcode*, 1024>, format_count>;

Index make_index() {
    Index index{};
    const auto add = [&](Format format, std::span<const Opcode> rows) {
        for (const Opcode& row : rows) {
            index.at(static_cast<unsigned>(format)).at(row.number) = &row;
        }
    };
    add(Format::sop1, sop1_opcodes());
    add(Format::sop2, sop2_opcodes());
    add(Format::sopc, sopc_opcodes());
    add(Format::sopk, sopk_opcodes());
    add(Format::sopp, sopp_opcodes());
    add(Format::smem, smem_opcodes());
    add(Format::vop1, vop1_opcodes());
    add(Format::vop2, vop2_opcodes());
    add(Format::vopc, vopc_opcodes());
    add(Format::vop3, vop3_opcodes());
    add(Format::vop3, division_opcodes());
    add(Format::vop3p, vop3p_opcodes());
    add(Format::ds, ds_opcodes());
    add(Format::flat, flat_opcodes());
    add(Format::mubuf, mubuf_opcodes());
    return index;
}

} // namespace

const Opcode* find_opcode(Format format, unsigned number) {
    static const Index index = make_index();
    return number < 1024 ? index[static_cast<unsigned>(format)][number] : nullptr;
}

Instruction decode(const u32* code, u64 address) {
    Reader reader{code, {}};
    Instruction& in = reader.in;
    in.address = address;
    reader.format();
    in.words[0] = code[0];
    in.words[1] = in.size > 4 ? code[1] : 0;
    in.plain = !in.sdwa && !in.dpp && in.absolute == 0 && in.negate == 0 && (in.select & 7) == 0;
    in.plain_result = !in.dpp && in.destination_part == part_all;
    in.opcode = find_opcode(in.format, reader.number);
    if (in.opcode == nullptr || in.opcode->run == nullptr) {
        const std::string name =
            in.opcode != nullptr ? std::string(in.opcode->name) + " (" : std::string("(");
        throw Fault("the instruction " + name + format_names[static_cast<unsigned>(in.format)] + " opcode " +
                    std::to_string(reader.number) + ", " + hexadecimal(code[0]) + ") is not implemented");
    }
    in.run = in.opcode->run;
    return in;
}

} // namespace amd_gpu
