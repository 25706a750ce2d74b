// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emit_spirv/print_texts.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace ferry::vulkan {

/// The instructions of a SPIR-V module that describe its interface.
class Module {
public:
    enum class Kind : std::uint8_t {
        other,
        integer,
        floating,
        vector,
        array,
        structure,
        pointer,
        constant,
        spec_constant,
        spec_operation,
        composite,
        variable,
    };
    /// An object with a result id. The meaning of the words depends on its kind.
    struct Item {
        Kind kind = Kind::other;
        std::uint32_t storage = 0; ///< pointer, variable: its storage class.
        std::uint32_t type = 0;    ///< vector, array, pointer: of the elements; others: their own.
        std::uint64_t value = 0;   ///< constant: its value; integer, floating: bits; vector: its components.
        std::uint32_t length = 0;  ///< array: the id of its length.
        std::vector<std::uint32_t>
            parts;        ///< structure: types of the members; spec_operation, composite: operands.
        std::string name; ///< OpName
        std::vector<std::string> names;     ///< OpMemberName
        std::vector<std::uint32_t> offsets; ///< Offset of each member.
        std::uint32_t stride = 0;           ///< ArrayStride
        std::optional<std::uint32_t> spec_id;
        bool is_group_size = false; ///< BuiltIn WorkgroupSize
    };
    struct Entry {
        std::uint32_t function = 0;
        std::string name;
        std::vector<std::uint32_t> interface;
        std::array<std::uint32_t, 3> local_size{1, 1, 1};
    };

    /// Throws Error (build_failed).
    explicit Module(std::span<const std::uint32_t> words);

    const std::vector<Entry>& entries() const noexcept { return entries_; }
    const std::vector<std::uint32_t>& capabilities() const noexcept { return capabilities_; }
    const emit_spirv::PrintTexts& print_texts() const noexcept { return print_texts_; }
    const std::unordered_map<std::uint32_t, Item>& items() const noexcept { return items_; }
    /// Throws Error if there is none with this id.
    const Item& item(std::uint32_t id) const;
    /// Bytes of a type. Throws Error if it has no layout.
    std::uint64_t bytes_of(std::uint32_t type, unsigned depth = 0) const;
    /// The value of a constant without specialisation.
    std::optional<std::uint64_t> fixed_value(std::uint32_t id) const;
    /// Before version 1.4, an interface lists no push constants and no local memory.
    bool lists_all() const noexcept { return version_ >= 14; }

private:
    void read(std::span<const std::uint32_t> instruction, std::size_t at);
    void read_names(std::uint32_t code, std::span<const std::uint32_t> operands, std::size_t at);
    void read_decoration(std::uint32_t code, std::span<const std::uint32_t> operands, std::size_t at);
    void read_object(std::uint32_t code, std::span<const std::uint32_t> operands);
    Item& place_member(std::uint32_t type, std::uint32_t member, std::size_t at);

    std::size_t members_ = 0;          ///< With a place in a structure.
    mutable std::uint64_t visits_ = 0; ///< Of types, by bytes_of().
    int version_ = 0;
    bool in_function_ = false;
    std::set<std::uint32_t> functions_;
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> capabilities_;
    emit_spirv::PrintTexts print_texts_;
    std::unordered_map<std::uint32_t, Item> items_;
};

[[noreturn]] void refuse_module(const std::string& why);

} // namespace ferry::vulkan
