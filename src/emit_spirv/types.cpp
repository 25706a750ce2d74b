// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

#include <algorithm>

// Types of the module. Integers in SPIR-V kernels have no sign. A pointer to a record, to void or to an array
// of records is emitted as a pointer to bytes, so that records may refer to themselves.
namespace ferry::emit_spirv {

bool Emitter::is_floating(TypeKind kind) {
    return kind >= TypeKind::half && kind <= TypeKind::double_;
}

bool Emitter::is_signed(TypeKind kind) {
    return kind == TypeKind::char_ || kind == TypeKind::short_ || kind == TypeKind::int_ ||
           kind == TypeKind::long_;
}

StorageClass Emitter::storage_of(Space space) {
    switch (space) {
    case Space::global:
        return StorageClass::cross_workgroup;
    case Space::local:
        return StorageClass::workgroup;
    case Space::constant:
        return StorageClass::uniform_constant;
    default:
        return StorageClass::function;
    }
}

Shape Emitter::shape(Type t) const {
    const TypeKind kind = types_.integer_kind(types_.scalar(t));
    return {kind == TypeKind::bool_                       ? TypeKind::uchar
            : kind == TypeKind::event                     ? TypeKind::ulong
            : kind == TypeKind::half && halves_as_floats_ ? TypeKind::float_
                                                          : kind,
            types_.lanes(t)};
}

Id Emitter::number_type(TypeKind kind, unsigned lanes) {
    if (lanes > 1) {
        if (lanes > 4) {
            module_->require(Capability::vector16);
        }
        return module_->type(Opcode::type_vector, {number_type(kind), lanes});
    }
    const unsigned bits = 8 * opencl_c::size_of(kind);
    if (is_floating(kind)) {
        if (kind != TypeKind::float_) {
            module_->require(kind == TypeKind::double_ ? Capability::float64
                             : half_arithmetic_        ? Capability::float16
                                                       : Capability::float16_buffer);
        }
        return module_->type(Opcode::type_float, {bits});
    }
    if (bits != 32) {
        module_->require(bits == 8 ? Capability::int8 : bits == 16 ? Capability::int16 : Capability::int64);
    }
    return module_->type(Opcode::type_int, {bits, 0});
}

Id Emitter::bool_type(unsigned lanes) {
    const Id one = module_->type(Opcode::type_bool, {});
    if (lanes > 4) {
        module_->require(Capability::vector16);
    }
    return lanes == 1 ? one : module_->type(Opcode::type_vector, {one, lanes});
}

Id Emitter::pointer_type(StorageClass storage, Id pointee) {
    return module_->type(Opcode::type_pointer, {static_cast<std::uint32_t>(storage), pointee});
}

Id Emitter::byte_pointer(StorageClass storage) {
    return pointer_type(storage, number_type(TypeKind::uchar));
}

Id Emitter::pointer_to(Type pointee, std::uint32_t token) {
    const StorageClass storage = storage_of(pointee.space());
    Type inner = pointee;
    while (types_.is_array(inner)) {
        inner = types_.element(inner);
    }
    const bool bytes = types_.is_record(inner) || types_.is_void(inner) || !types_.is_complete(pointee);
    return bytes ? byte_pointer(storage) : pointer_type(storage, type(pointee, token));
}

Id Emitter::array_type(Id element, std::uint64_t count) {
    return module_->type(Opcode::type_array, {element, integer(TypeKind::ulong, count)});
}

Id Emitter::type(Type t, std::uint32_t token) {
    switch (types_.kind(t)) {
    case TypeKind::void_:
        return module_->type(Opcode::type_void, {});
    case TypeKind::pointer:
        return pointer_to(types_.element(t), token);
    case TypeKind::array: { // An array without elements ends a struct. It is accessed by its offset.
        const std::uint64_t count = types_.size(t) == 0 ? 1 : types_.count(t);
        return array_type(type(types_.element(t), token), count);
    }
    case TypeKind::record:
        return layout(t, token).type;
    case TypeKind::image:
    case TypeKind::sampler:
        refuse_image(token);
    default: {
        const Shape s = shape(t);
        return number_type(s.kind, s.lanes);
    }
    }
}

std::uint64_t Emitter::natural_align(Type t, std::uint32_t token) {
    switch (types_.kind(t)) {
    case TypeKind::array:
        return natural_align(types_.element(t), token);
    case TypeKind::record:
        return layout(t, token).align;
    default:
        return types_.size(t);
    }
}

Shape Emitter::union_unit(const Record& record) {
    const std::uint64_t bytes = std::min<std::uint64_t>(record.align, 8);
    const TypeKind kind = bytes == 1   ? TypeKind::uchar
                          : bytes == 2 ? TypeKind::ushort
                          : bytes == 4 ? TypeKind::uint
                                       : TypeKind::ulong;
    return {kind, static_cast<unsigned>(std::min<std::uint64_t>(record.align / bytes, 16))};
}

/// The struct type of a record. If its C layout differs from the natural one, the struct is packed with
/// explicit padding members.
const Emitter::Layout& Emitter::layout(Type t, std::uint32_t token) {
    const auto known = layouts_.find(t.index());
    if (known != layouts_.end()) {
        return known->second;
    }
    const Record& record = types_.record(t);
    Layout made;
    Words members;
    if (record.is_union) {
        if (record.size != 0) {
            const Shape unit = union_unit(record);
            made.align = std::uint64_t{opencl_c::size_of(unit.kind)} * unit.lanes;
            members.push_back(array_type(number_type(unit.kind, unit.lanes), record.size / made.align));
        }
        made.fields.assign(record.members.size(), 0);
        made.type = module_->new_struct(members);
        return layouts_.emplace(t.index(), std::move(made)).first->second;
    }
    std::uint64_t end = 0;
    bool natural = true;
    for (const opencl_c::Member& m : record.members) {
        const std::uint64_t align = natural_align(m.type, token);
        made.align = std::max(made.align, align);
        natural = natural && (end + align - 1) / align * align == m.offset && types_.size(m.type) != 0;
        end = m.offset + types_.size(m.type);
    }
    natural = natural && (end + made.align - 1) / made.align * made.align == record.size;
    const auto gap = [&](std::uint64_t bytes) {
        if (!natural && bytes != 0) {
            members.push_back(array_type(number_type(TypeKind::uchar), bytes));
        }
    };
    end = 0;
    for (const opencl_c::Member& m : record.members) {
        gap(m.offset - end);
        made.fields.push_back(static_cast<std::uint32_t>(members.size()));
        if (types_.size(m.type) != 0) {
            members.push_back(type(m.type, token));
        }
        end = m.offset + types_.size(m.type);
    }
    gap(record.size - end);
    made.type = module_->new_struct(members);
    if (!natural) {
        made.align = 1;
        module_->decorate(made.type, Decoration::c_packed);
    }
    return layouts_.emplace(t.index(), std::move(made)).first->second;
}

} // namespace ferry::emit_spirv
