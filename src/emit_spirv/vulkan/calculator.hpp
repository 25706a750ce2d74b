// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan_emitter.hpp"

namespace ferry::emit_spirv::vulkan {

/// Instructions on numbers of one type.
struct VulkanEmitter::Calculator {
    VulkanEmitter& emitter;
    Shape s;

    Id type() const { return emitter.number_type(s.kind, s.lanes); }
    Id truth() const { return emitter.bool_type(s.lanes); }
    unsigned bits() const { return 8 * opencl_c::size_of(s.kind); }
    bool is_signed() const { return Emitter::is_signed(s.kind); }
    Id fixed(std::uint64_t value) const { return emitter.integer(s.kind, value, s.lanes); }
    Id real(double value) const { return emitter.real(s.kind, value, s.lanes); }
    Id most() const { return fixed(~std::uint64_t{0} >> (64 - bits() + (is_signed() ? 1 : 0))); }
    Id op(Opcode opcode, Id a, Id b) const { return emitter.make(opcode, type(), {a, b}); }
    Id op(Opcode opcode, Id a) const { return emitter.make(opcode, type(), {a}); }
    Id test(Opcode opcode, Id a, Id b) const { return emitter.make(opcode, truth(), {a, b}); }
    Id select(Id test, Id yes, Id no) const { return emitter.make(Opcode::select, type(), {test, yes, no}); }
    Id less(Id a, Id b) const { return test(is_signed() ? Opcode::s_less_than : Opcode::u_less_than, a, b); }
    /// Shifts by a constant. To the right, the sign is kept.
    Id left(Id a, unsigned by) const { return op(Opcode::shift_left_logical, a, fixed(by)); }
    Id right(Id a, unsigned by) const {
        return op(is_signed() ? Opcode::shift_right_arithmetic : Opcode::shift_right_logical, a, fixed(by));
    }
    Id as(Id value, TypeKind kind) const { return emitter.converted(value, s, kind); }
    Calculator of(TypeKind kind) const { return {emitter, {kind, s.lanes}}; }
};

} // namespace ferry::emit_spirv::vulkan
