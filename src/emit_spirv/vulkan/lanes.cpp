// SPDX-License-Identifier: Apache-2.0
#include "vulkan_emitter.hpp"

#include <algorithm>

// Vulkan has vectors of two to four components. One of 8 or 16 is an array of vectors of four, and an
// instruction is applied to each of these.
namespace ferry::emit_spirv::vulkan {

Id VulkanEmitter::number_type(TypeKind kind, unsigned lanes) {
    if (lanes > 4) {
        return long_type(number_type(kind, 4), lanes / 4);
    }
    if (kind == TypeKind::half && !half_arithmetic_) {
        module_->require(Capability::storage_buffer_16bit_access);
        const Id one = module_->type(Opcode::type_float, {16});
        return lanes == 1 ? one : module_->type(Opcode::type_vector, {one, lanes});
    }
    return Emitter::number_type(kind, lanes);
}

Id VulkanEmitter::bool_type(unsigned lanes) {
    if (lanes <= 4) {
        return Emitter::bool_type(lanes);
    }
    return long_type(bool_type(4), lanes / 4);
}

/// The type of a long vector, which differs from that of an array of vectors.
Id VulkanEmitter::long_type(Id part, unsigned parts) {
    const Id made = module_->long_vector(part, u32(parts));
    long_[made] = {part, parts};
    return made;
}

Id VulkanEmitter::make(Opcode opcode, Id type, const Words& operands) {
    const auto known = long_.find(type);
    if (known == long_.end()) {
        const Id made = Emitter::make(opcode, type, operands);
        decorate_exact(opcode, made);
        return made;
    }
    Id made = 0;
    switch (opcode) {
    case Opcode::load:
    case Opcode::phi:
    case Opcode::function_call:
    case Opcode::undef:
    case Opcode::composite_extract:
        made = Emitter::make(opcode, type, operands);
        break;
    case Opcode::composite_construct: {
        Words parts;
        for (std::size_t i = 0; i < operands.size(); i += 4) {
            parts.push_back(Emitter::make(opcode, known->second.part,
                                          {operands[i], operands[i + 1], operands[i + 2], operands[i + 3]}));
        }
        made = of_parts(type, parts);
        break;
    }
    default: {
        const LongVector vector = known->second;
        const std::size_t first = opcode == Opcode::ext_inst ? 2 : 0; // The set and the number come first.
        Words parts;
        for (std::uint32_t i = 0; i < vector.parts; ++i) {
            Words own(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(first));
            for (std::size_t k = first; k < operands.size(); ++k) {
                own.push_back(part_of(operands[k], i));
            }
            parts.push_back(make(opcode, vector.part, own));
        }
        made = of_parts(type, parts);
    }
    }
    long_values_[made] = type;
    return made;
}

/// Forbids the contraction of a product and a sum if the text does.
void VulkanEmitter::decorate_exact(Opcode opcode, Id made) {
    const bool computes = opcode == Opcode::f_negate || opcode == Opcode::f_add || opcode == Opcode::f_sub ||
                          opcode == Opcode::f_mul || opcode == Opcode::f_div;
    if (computes && !tree_.contracts) {
        module_->decorate(made, Decoration::no_contraction);
    }
}

Id VulkanEmitter::of_parts(Id type, const Words& parts) {
    const Id made = Emitter::make(Opcode::composite_construct, type, parts);
    long_values_[made] = type;
    parts_[made] = parts;
    return made;
}

/// Part `i` of a long vector.
Id VulkanEmitter::part_of(Id vector, std::uint32_t i) {
    const auto known = parts_.find(vector);
    return known != parts_.end() ? known->second[i]
                                 : Emitter::make(Opcode::composite_extract,
                                                 long_.at(long_values_.at(vector)).part, {vector, i});
}

Id VulkanEmitter::composite(Shape s, const Lanes& lanes) {
    if (s.lanes <= 4) {
        return Emitter::composite(s, lanes);
    }
    Words parts;
    for (std::size_t i = 0; i < lanes.size(); i += 4) {
        const auto from = lanes.begin() + static_cast<std::ptrdiff_t>(i);
        parts.push_back(Emitter::composite({s.kind, 4}, Lanes(from, from + 4)));
    }
    const Id t = number_type(s.kind, s.lanes);
    const Id made = module_->constant(Opcode::constant_composite, t, parts);
    long_values_[made] = t;
    parts_[made] = parts;
    return made;
}

Id VulkanEmitter::lane(Id vector, Shape s, std::uint32_t index) {
    if (s.lanes == 1) {
        return vector;
    }
    if (s.lanes > 4) {
        return Emitter::make(Opcode::composite_extract, number_type(s.kind),
                             {part_of(vector, index / 4), index % 4});
    }
    return Emitter::lane(vector, s, index);
}

Id VulkanEmitter::components(Id vector, Shape s, const Swizzle& swizzle) {
    if (swizzle.count == 1 || (s.lanes <= 4 && swizzle.count <= 4)) {
        return Emitter::components(vector, s, swizzle);
    }
    Words lanes;
    for (unsigned i = 0; i < swizzle.count; ++i) {
        const std::uint32_t at = swizzle.components[i];
        lanes.push_back(at < s.lanes ? lane(vector, s, at) : make(Opcode::undef, number_type(s.kind), {}));
    }
    return assembled({s.kind, swizzle.count}, lanes);
}

Id VulkanEmitter::assembled(Shape s, const Words& lanes) {
    return s.lanes == 1 ? lanes[0] : make(Opcode::composite_construct, number_type(s.kind, s.lanes), lanes);
}

/// Applies a function to each component. A scalar argument next to vectors applies to all of them.
Id VulkanEmitter::each_lane(Shape result, const std::vector<std::pair<Id, Shape>>& arguments,
                            const std::function<Id(const Words&)>& one) {
    Words lanes;
    for (std::uint32_t i = 0; i < result.lanes; ++i) {
        Words own;
        for (const auto& [value, s] : arguments) {
            own.push_back(lane(value, s, i));
        }
        lanes.push_back(one(own));
    }
    return assembled(result, lanes);
}

TypeKind VulkanEmitter::unsigned_of(std::uint64_t bytes) {
    return bytes == 1   ? TypeKind::uchar
           : bytes == 2 ? TypeKind::ushort
           : bytes == 4 ? TypeKind::uint
                        : TypeKind::ulong;
}

/// The bits of a number as an unsigned integer, and back.
Id VulkanEmitter::bits_of(Id number, TypeKind kind) {
    return is_floating(kind)
               ? make(Opcode::bitcast, number_type(unsigned_of(opencl_c::size_of(kind))), {number})
               : number;
}

Id VulkanEmitter::number_of(Id bits, TypeKind kind) {
    return is_floating(kind) ? make(Opcode::bitcast, number_type(kind), {bits}) : bits;
}

/// The bits of a number in unsigned integers, the lowest first.
Words VulkanEmitter::split(Id number, TypeKind kind, TypeKind piece) {
    const unsigned size = opencl_c::size_of(kind);
    const unsigned step = opencl_c::size_of(piece);
    const Id bits = bits_of(number, kind);
    Words pieces;
    for (unsigned at = 0; at < size; at += step) {
        const TypeKind own = unsigned_of(size);
        const Id low = at == 0 ? bits
                               : make(Opcode::shift_right_logical, number_type(own),
                                      {bits, integer(own, std::uint64_t{8} * at)});
        pieces.push_back(size == step ? low : make(Opcode::u_convert, number_type(piece), {low}));
    }
    return pieces;
}

Id VulkanEmitter::joined(const Words& pieces, TypeKind piece, TypeKind kind) {
    const unsigned step = opencl_c::size_of(piece);
    const TypeKind own = unsigned_of(opencl_c::size_of(kind));
    const Id t = number_type(own);
    Id bits = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        Id one = step == opencl_c::size_of(kind) ? pieces[i] : make(Opcode::u_convert, t, {pieces[i]});
        one = i == 0 ? one
                     : make(Opcode::shift_left_logical, t, {one, integer(own, std::uint64_t{8} * step * i)});
        bits = i == 0 ? one : make(Opcode::bitwise_or, t, {bits, one});
    }
    return number_of(bits, kind);
}

/// Reinterprets vectors of any widths by way of pieces of the smaller component's size.
Id VulkanEmitter::reinterpreted(Id v, Shape from, Shape to) {
    if (from.lanes <= 4 && to.lanes <= 4) {
        return Emitter::reinterpreted(v, from, to);
    }
    const TypeKind piece = unsigned_of(std::min(opencl_c::size_of(from.kind), opencl_c::size_of(to.kind)));
    if (from.lanes == to.lanes) {
        const Id target = number_type(to.kind, to.lanes);
        return target == number_type(from.kind, from.lanes) ? v : make(Opcode::bitcast, target, {v});
    }
    Words pieces;
    for (std::uint32_t i = 0; i < (from.lanes == 3 ? 4 : from.lanes); ++i) {
        const Id one = i < from.lanes ? lane(v, from, i) : number(from.kind, 0);
        const Words own = split(one, from.kind, piece);
        pieces.insert(pieces.end(), own.begin(), own.end());
    }
    const std::size_t each = opencl_c::size_of(to.kind) / opencl_c::size_of(piece);
    Words lanes;
    for (std::uint32_t i = 0; i < to.lanes; ++i) {
        const auto at = pieces.begin() + static_cast<std::ptrdiff_t>(i * each);
        lanes.push_back(joined(Words(at, at + static_cast<std::ptrdiff_t>(each)), piece, to.kind));
    }
    return assembled(to, lanes);
}

} // namespace ferry::emit_spirv::vulkan
