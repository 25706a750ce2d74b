// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numbers.hpp"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ferry::emit_spirv {

/// The result of an instruction. 0: none.
using Id = std::uint32_t;
using Words = std::vector<std::uint32_t>;

/// Appends one instruction.
void append(Words& to, Opcode opcode, std::span<const std::uint32_t> operands);
inline void append(Words& to, Opcode opcode, std::initializer_list<std::uint32_t> operands) {
    append(to, opcode, std::span(operands.begin(), operands.size()));
}
/// Appends a literal string: little-endian bytes, terminated by a zero byte.
void append_string(Words& to, std::string_view text);

/// The sections of a module, in the order required by the specification. Equal types and equal constants
/// share one id.
class Module {
public:
    /// The numbers of the addressing model, of the memory model and of the execution model of all entry
    /// points.
    Module(std::uint32_t addressing, std::uint32_t memory, std::uint32_t execution) noexcept
        : addressing_(addressing), memory_(memory), execution_(execution) {}

    Id fresh() noexcept { return ++last_; }

    void require(Capability capability) { capabilities_.insert(capability); }
    void require_version(unsigned minor) noexcept { version_ = minor > version_ ? minor : version_; }
    void require_extension(std::string_view name) { extensions_.emplace(name); }
    Id import(std::string_view name);

    /// Declares a type. Its operands follow the id.
    Id type(Opcode opcode, std::initializer_list<std::uint32_t> operands);
    Id type(Opcode opcode, const Words& operands);
    /// Declares a constant. Its operands follow its type and id.
    Id constant(Opcode opcode, Id type, const Words& operands = {});
    /// The bits of an integer constant. No value for other results.
    std::optional<std::uint64_t> integer(Id id) const;
    bool is_null(Id id) const { return nulls_.contains(id); }
    /// Declares a specialisation constant, which is never shared.
    Id spec_constant(Opcode opcode, Id type, const Words& operands);
    /// Declares a distinct struct, even if its members equal those of another one.
    Id new_struct(const Words& members);
    /// The same for an array. `length` is a constant.
    Id new_array(Id element, Id length);
    /// Declares an array that is distinct from those of type(), once for these operands.
    Id long_vector(Id element, Id length);
    Id variable(Id pointer_type, StorageClass storage, Id initial = 0);

    void decorate(Id target, Decoration decoration, std::initializer_list<std::uint32_t> operands = {});
    void decorate_member(Id target, std::uint32_t member, Decoration decoration,
                         std::initializer_list<std::uint32_t> operands = {});
    void name(Id target, std::string_view text);
    /// OpString.
    void string(std::string_view text);
    void member_name(Id target, std::uint32_t member, std::string_view text);
    void entry_point(Id function, std::string_view name, const std::set<Id>& interface);
    void execution_mode(Id function, std::uint32_t mode, std::initializer_list<std::uint32_t> operands = {});
    void add_function(const Words& words);
    bool has_entry_point() const noexcept { return !entry_points_.empty(); }

    /// The complete module.
    Words finish() const;

private:
    std::uint32_t addressing_, memory_, execution_;
    std::uint32_t last_ = 0;
    unsigned version_ = 0; ///< Minor version. 0: SPIR-V 1.0.
    std::set<Capability> capabilities_;
    std::set<std::string, std::less<>> extensions_;
    std::map<std::string, Id, std::less<>> imports_;
    std::map<Words, Id> known_;
    std::map<std::pair<Id, Id>, Id> long_vectors_;
    std::unordered_map<Id, std::uint64_t> integers_;
    std::set<Id> nulls_;
    Words entry_points_, modes_, strings_, names_, decorations_, globals_, functions_;
};

} // namespace ferry::emit_spirv
