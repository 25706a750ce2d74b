// SPDX-License-Identifier: Apache-2.0
// Every row of the opcode tables has the name that LLVM's disassembler gives to its number.
#include "../fault.hpp"
#include "../instruction.hpp"
#include "assembler.hpp"

#include <doctest/doctest.h>

namespace amd_gpu {
namespace {

struct Table {
    const char* name;
    std::span<const Opcode> rows;
    u32 base;
    unsigned shift;
    // Alternative operands; LLVM must accept one. The first word is or-ed, and further words follow.
    std::vector<std::vector<u32>> operands;
};

std::vector<u32> encoded(const Table& table, const Opcode& row, const std::vector<u32>& operands) {
    std::vector<u32> words = {table.base | row.number << table.shift | operands[0]};
    words.insert(words.end(), operands.begin() + 1, operands.end());
    return words;
}

bool has_name(const std::string& text, const std::string& name) {
    if (text.rfind(name, 0) != 0) {
        return false;
    }
    const std::string rest = text.substr(name.size(), 4);
    return rest.empty() || rest[0] == ' ' || rest[0] == '\n' || rest == "_e32" || rest == "_e64" ||
           rest == "_dpp";
}

} // namespace

TEST_CASE("opcodes: each number has LLVM's name") {
    constexpr u32 v0 = 256;
    constexpr u32 three = v0 | v0 << 9 | v0 << 18;
    const std::vector<u32> three_pairs = {0, (v0 | 2) | (v0 | 2) << 9 | (v0 | 2) << 18};
    const std::vector<u32> two_pairs = {0, (v0 | 2) | (v0 | 2) << 9};
    const std::vector<std::vector<u32>> long_forms = {three_pairs, two_pairs, {0, v0 | 2}, {0, v0 | 2 << 9}};
    const Table tables[] = {
        {"sop1", sop1_opcodes(), 0xbe800000, 8, {{0}}},
        {"sop2", sop2_opcodes(), 0x80000000, 23, {{0}}},
        {"sopc", sopc_opcodes(), 0xbf000000, 16, {{0}}},
        {"sopk", sopk_opcodes(), 0xb0000000, 23, {{0xf801}, {0xf801, 0}}},
        {"sopp", sopp_opcodes(), 0xbf800000, 16, {{2}, {0}}},
        {"smem", smem_opcodes(), 0xc0000000, 18, {{0x20000, 0}, {0, 0}}},
        {"vop1", vop1_opcodes(), 0x7e000000, 9, {{v0}, {0}}},
        {"vop2", vop2_opcodes(), 0, 25, {{v0}, {v0, 0}}},
        {"vopc", vopc_opcodes(), 0x7c000000, 17, {{v0}}},
        {"vop3", vop3_opcodes(), 0xd0000000, 16, long_forms},
        {"division", division_opcodes(), 0xd0000000, 16, long_forms},
        {"vop3p", vop3p_opcodes(), 0xd3800000, 16, {{0, three}, {0, v0 | v0 << 9}, {0, v0}}},
        {"ds", ds_opcodes(), 0xd8000000, 17, {{0, 0}}},
        {"flat", flat_opcodes(), 0xdc000000, 18, {{0, 0}}},
        {"global", flat_opcodes(), 0xdc000000, 18, {{0x8000, 0x7f0000}}},
        {"mubuf", mubuf_opcodes(), 0xe0000000, 18, {{0, 0x80000000}, {0, 0}}},
    };
    std::size_t compared = 0;
    for (const Table& table : tables) {
        std::vector<std::string> seen(table.rows.size());
        std::vector<bool> found(table.rows.size(), false);
        for (const std::vector<u32>& operands : table.operands) {
            std::vector<std::vector<u32>> code;
            for (const Opcode& row : table.rows) {
                code.push_back(encoded(table, row, operands));
            }
            for (const char* processor : {"gfx90a", "gfx908", "gfx906", "gfx900"}) {
                const std::vector<std::string> texts = disassemble(code, processor);
                for (std::size_t i = 0; i < texts.size(); ++i) {
                    found[i] = found[i] || has_name(texts[i], table.rows[i].name);
                    seen[i] += texts[i];
                }
            }
        }
        for (std::size_t i = 0; i < table.rows.size(); ++i) {
            const Opcode& row = table.rows[i];
            const std::string name = row.name;
            // One table is for both forms, and the names are the flat form's, where it has one.
            const bool of_other_form = (table.name == std::string("global") && name[0] == 'f') ||
                                       (table.name == std::string("flat") && name[0] == 'g');
            if (row.run != nullptr && !of_other_form && name != "s_nop") {
                INFO(std::string(table.name), " ", row.number, " ", name, ", LLVM: ", seen[i]);
                CHECK(found[i]);
                ++compared;
            }
        }
    }
    CHECK(compared > 500);
}

TEST_CASE("opcodes: an instruction that is not implemented is named") {
    const auto code = assemble({"v_mfma_f32_32x32x1f32 a[0:31], v0, v1, a[0:31]"}, "gfx90a");
    CHECK_THROWS_WITH_AS(decode(code[0].data(), 0), doctest::Contains("v_mfma_f32_32x32x1f32"), Fault);
    const u32 unknown[2] = {0xf0000000, 0}; // an image instruction
    CHECK_THROWS_WITH_AS(decode(unknown, 0), doctest::Contains("not one of GFX9"), Fault);
}

} // namespace amd_gpu
