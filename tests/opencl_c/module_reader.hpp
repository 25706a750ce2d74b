// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/spirv.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace opencl_c_tests {

/// What the tests ask about a SPIR-V module.
class Module {
public:
    using Id = std::uint32_t;

    explicit Module(const ferry::SpirvResult& result) : Module(words_of(result)) {}
    explicit Module(const std::vector<std::uint32_t>& words) {
        for (std::size_t at = 5; at < words.size(); at += words[at] >> 16) {
            REQUIRE((words[at] >> 16) != 0);
            const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at);
            instructions_.push_back({words[at] & 0xffff, {begin + 1, begin + (words[at] >> 16)}});
        }
    }

    std::size_t count(std::uint32_t opcode) const {
        std::size_t found = 0;
        for (const Instruction& i : instructions_) {
            found += i.opcode == opcode ? 1 : 0;
        }
        return found;
    }
    std::size_t decorated(std::uint32_t decoration) const {
        std::size_t found = 0;
        for (const Instruction& i : instructions_) {
            found += i.opcode == decorate && i.operands[1] == decoration ? 1 : 0;
        }
        return found;
    }
    std::set<std::uint32_t> capabilities() const {
        std::set<std::uint32_t> all;
        for (const Instruction& i : instructions_) {
            if (i.opcode == capability) {
                all.insert(i.operands[0]);
            }
        }
        return all;
    }
    std::string name(Id id) const {
        for (const Instruction& i : instructions_) {
            if (i.opcode == op_name && i.operands[0] == id) {
                return text(i.operands, 1);
            }
        }
        return {};
    }
    std::vector<std::string> entry_points() const {
        std::vector<std::string> all;
        for (const Instruction& i : instructions_) {
            if (i.opcode == entry_point) {
                all.push_back(text(i.operands, 2));
            }
        }
        return all;
    }
    /// The modes of a kernel's entry point, each with its first operand.
    std::set<std::pair<std::uint32_t, std::uint32_t>> modes(const std::string& kernel) const {
        std::set<std::pair<std::uint32_t, std::uint32_t>> all;
        for (const Instruction& i : instructions_) {
            for (const Instruction& m : instructions_) {
                const bool own = i.opcode == entry_point && text(i.operands, 2) == kernel &&
                                 m.opcode == execution_mode && m.operands[0] == i.operands[1];
                if (own) {
                    all.emplace(m.operands[1], m.operands.at(2));
                }
            }
        }
        return all;
    }
    /// The type of the block in the interface of a kernel.
    Id push_constants(const std::string& kernel) const {
        for (const Instruction& i : instructions_) {
            if (i.opcode != entry_point || text(i.operands, 2) != kernel) {
                continue;
            }
            for (std::size_t k = 3 + kernel.size() / 4; k < i.operands.size(); ++k) {
                const Instruction& v = definition(variable, i.operands[k], 1);
                if (v.operands[2] == push_constant) {
                    return pointee(v.operands[0]);
                }
            }
        }
        FAIL("no push constants");
        return 0;
    }
    Id pointee(Id pointer) const { return definition(type_pointer, pointer, 0).operands[2]; }
    std::vector<Id> members(Id record) const {
        const std::vector<Id>& all = definition(type_struct, record, 0).operands;
        return {all.begin() + 1, all.end()};
    }
    std::vector<std::uint32_t> offsets(Id record) const {
        std::vector<std::uint32_t> all(members(record).size(), ~0U);
        for (const Instruction& i : instructions_) {
            if (i.opcode == member_decorate && i.operands[0] == record && i.operands[2] == offset) {
                all[i.operands[1]] = i.operands[3];
            }
        }
        return all;
    }
    /// SpecId and default value.
    std::map<std::uint32_t, std::uint32_t> spec_constants() const {
        std::map<std::uint32_t, std::uint32_t> all;
        for (const Instruction& i : instructions_) {
            if (i.opcode == decorate && i.operands[1] == spec_id) {
                all[i.operands[2]] = definition(spec_constant, i.operands[0], 1).operands[2];
            }
        }
        return all;
    }

private:
    struct Instruction {
        std::uint32_t opcode = 0;
        std::vector<std::uint32_t> operands;
    };
    static constexpr std::uint32_t op_name = 5, entry_point = 15, execution_mode = 16, capability = 17,
                                   type_struct = 30, type_pointer = 32, spec_constant = 50, variable = 59,
                                   decorate = 71, member_decorate = 72;
    static constexpr std::uint32_t spec_id = 1, offset = 35, push_constant = 9;

    static std::vector<std::uint32_t> words_of(const ferry::SpirvResult& result) {
        std::vector<std::uint32_t> words(result.module.size() / 4);
        std::memcpy(words.data(), result.module.data(), result.module.size());
        return words;
    }
    /// The instruction whose result, which is operand `position`, is `id`. An Input variable has the same
    /// form.
    const Instruction& definition(std::uint32_t opcode, Id id, std::size_t position) const {
        for (const Instruction& i : instructions_) {
            if (i.opcode == opcode && i.operands[position] == id) {
                return i;
            }
        }
        FAIL("no instruction ", opcode, " defines ", id);
        return instructions_.front();
    }
    static std::string text(const std::vector<std::uint32_t>& words, std::size_t at) {
        std::string all;
        for (; at < words.size(); ++at) {
            for (unsigned k = 0; k < 4; ++k) {
                const char c = static_cast<char>(words[at] >> (8 * k));
                if (c == 0) {
                    return all;
                }
                all += c;
            }
        }
        return all;
    }

    std::vector<Instruction> instructions_;
};

} // namespace opencl_c_tests
