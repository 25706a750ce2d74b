// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes.hpp"

#include <span>

namespace amd_gpu {

struct Wave;
struct Instruction;
using Handler = void (*)(Wave&, const Instruction&);

enum class Format : u8 { sop1, sop2, sopc, sopk, sopp, smem, vop1, vop2, vopc, vop3, vop3p, ds, flat, mubuf };
constexpr unsigned format_count = 14;

// A row of an opcode table. Without a handler the opcode is known by name only, and stops the queue.
struct Opcode {
    unsigned number;
    const char* name;
    Handler run = nullptr;
    bool ends_block = false;
};

// Scalar operand codes; vector registers begin at 256.
enum : u16 { reg_vcc = 106, reg_m0 = 124, reg_exec = 126, code_literal = 255, code_vector = 256 };

enum class Segment : u8 { flat, scratch, global };

// Which part of a register an SDWA operand is: bytes 0 to 3, words 4 and 5, all of it.
enum : u8 { part_word0 = 4, part_word1 = 5, part_all = 6 };

struct Instruction {
    Handler run = nullptr;
    const Opcode* opcode = nullptr;
    u64 address = 0; // of the code, as the device sees it
    u64 target = 0;  // of a branch
    u32 words[2] = {0, 0};
    u32 literal = 0;
    i32 immediate = 0;
    Format format = Format::sopp;
    u8 size = 4; // in bytes

    u16 destination = 0;
    u16 scalar_destination = reg_vcc;
    u16 source[3] = {0, 0, 0};

    // Of vector instructions. plain: no modifier of the sources; plain_result: nor of the result.
    bool plain = true, plain_result = true;
    bool vop3 = false, sdwa = false, dpp = false, clamp = false, bound_control = false;
    u8 absolute = 0, negate = 0, negate_high = 0, output_scale = 0, select = 0, select_high = 0;
    u8 destination_part = part_all, destination_unused = 0;
    u8 source_part[2] = {part_all, part_all};
    bool sign_extend[2] = {false, false};
    u16 dpp_control = 0;
    u8 bank_mask = 15, row_mask = 15;

    // Of memory instructions.
    Segment segment = Segment::flat;
    bool returns = false, index_enabled = false, offset_enabled = false, offset_in_register = false,
         to_lds = false;
    i32 offset = 0;
    u8 offset0 = 0, offset1 = 0;
    u16 address_register = 0, data = 0, data1 = 0, base = 0;
};

// Tables of the opcodes, one for each format.
std::span<const Opcode> sop1_opcodes();
std::span<const Opcode> sop2_opcodes();
std::span<const Opcode> sopc_opcodes();
std::span<const Opcode> sopk_opcodes();
std::span<const Opcode> sopp_opcodes();
std::span<const Opcode> smem_opcodes();
std::span<const Opcode> vop1_opcodes();
std::span<const Opcode> vop2_opcodes();
std::span<const Opcode> vopc_opcodes();
std::span<const Opcode> vop3_opcodes();
std::span<const Opcode> division_opcodes(); // of vop3 too
std::span<const Opcode> vop3p_opcodes();
std::span<const Opcode> ds_opcodes();
std::span<const Opcode> flat_opcodes();
std::span<const Opcode> mubuf_opcodes();

// The row of an opcode, or null. FORMAT's tables as a whole: all_opcodes().
const Opcode* find_opcode(Format format, unsigned number);

// Reads the instruction at CODE, which the device sees at ADDRESS. Throws Fault for an encoding that is not
// GFX9's and for an opcode that has no handler; that one is named.
Instruction decode(const u32* code, u64 address);

} // namespace amd_gpu
