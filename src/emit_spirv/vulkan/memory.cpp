// SPDX-License-Identifier: Apache-2.0
#include "vulkan_emitter.hpp"

#include <algorithm>

// Loads and stores. A struct in a buffer is accessed one number at a time, at its offset in OpenCL C.
namespace ferry::emit_spirv::vulkan {
namespace {

std::uint32_t aligned_at(std::uint32_t align, std::uint64_t offset) {
    while (align > 1 && offset % align != 0) {
        align /= 2;
    }
    return align;
}

} // namespace

/// The numbers and vectors that a copy of this type consists of.
std::uint64_t VulkanEmitter::parts_of(Type t) {
    if (types_.size(t) == 0) {
        return 0;
    }
    if (types_.is_array(t)) {
        return leaves(t) * parts_of(innermost(t));
    }
    if (!types_.is_record(t)) {
        return 1;
    }
    if (const auto known = copy_parts_.find(t.index()); known != copy_parts_.end()) {
        return known->second;
    }
    const Record& record = types_.record(t);
    if (record.is_union) {
        const Shape unit = union_unit(record);
        return record.size / (std::uint64_t{opencl_c::size_of(unit.kind)} * unit.lanes);
    }
    std::uint64_t sum = 0;
    for (const opencl_c::Member& m : record.members) {
        sum += parts_of(m.type);
    }
    copy_parts_[t.index()] = sum;
    return sum;
}

void VulkanEmitter::check_parts(Type t) {
    if (const std::uint64_t parts = parts_of(t); parts > most_parts) {
        refuse(0, "a copy of a value of type '" + types_.name(t) + "' has " + std::to_string(parts) +
                      " parts, which have no form in Vulkan's SPIR-V; the limit is " +
                      std::to_string(most_parts) + " parts");
    }
}

/// Builds a value of any type from its numbers, which `read` takes from their offsets.
Id VulkanEmitter::gather(Type t, std::uint64_t at, const std::function<Id(Shape, std::uint64_t)>& read) {
    check_parts(t);
    return gather_parts(t, at, read);
}

Id VulkanEmitter::gather_parts(Type t, std::uint64_t at,
                               const std::function<Id(Shape, std::uint64_t)>& read) {
    Words parts;
    if (types_.is_array(t)) {
        const Type inner = innermost(t);
        const std::uint64_t count = leaves(t);
        for (std::uint64_t i = 0; i < count; ++i) {
            parts.push_back(gather_parts(inner, at + i * types_.size(inner), read));
        }
        return make(Opcode::composite_construct, type(t), parts);
    }
    if (!types_.is_record(t)) {
        return read(types_.is_pointer(t) ? Shape{TypeKind::ulong, 1} : shape(t), at);
    }
    const Record& record = types_.record(t);
    if (record.is_union && record.size != 0) {
        const Shape unit = union_unit(record);
        const std::uint64_t size = std::uint64_t{opencl_c::size_of(unit.kind)} * unit.lanes;
        for (std::uint64_t i = 0; i < record.size / size; ++i) {
            parts.push_back(read(unit, at + i * size));
        }
        const Id array = array_type(number_type(unit.kind, unit.lanes), record.size / size);
        return make(Opcode::composite_construct, type(t),
                    {Emitter::make(Opcode::composite_construct, array, parts)});
    }
    for (const opencl_c::Member& m : record.members) {
        if (types_.size(m.type) != 0 && !record.is_union) {
            parts.push_back(gather_parts(m.type, at + m.offset, read));
        }
    }
    return make(Opcode::composite_construct, type(t), parts);
}

/// Splits a value of any type into its numbers, which `write` puts at their offsets.
void VulkanEmitter::scatter(Type t, Id value, std::uint64_t at,
                            const std::function<void(Shape, std::uint64_t, Id)>& write) {
    check_parts(t);
    scatter_parts(t, value, at, write);
}

void VulkanEmitter::scatter_parts(Type t, Id value, std::uint64_t at,
                                  const std::function<void(Shape, std::uint64_t, Id)>& write) {
    if (types_.is_array(t)) {
        const Type inner = innermost(t);
        const std::uint64_t count = leaves(t);
        for (std::uint32_t i = 0; i < count; ++i) {
            scatter_parts(inner, make(Opcode::composite_extract, type(inner), {value, i}),
                          at + i * types_.size(inner), write);
        }
        return;
    }
    if (!types_.is_record(t)) {
        return write(types_.is_pointer(t) ? Shape{TypeKind::ulong, 1} : shape(t), at, value);
    }
    const Record& record = types_.record(t);
    if (record.is_union && record.size != 0) {
        const Shape unit = union_unit(record);
        const std::uint64_t size = std::uint64_t{opencl_c::size_of(unit.kind)} * unit.lanes;
        for (std::uint32_t i = 0; i < record.size / size; ++i) {
            const Id one = make(Opcode::composite_extract, number_type(unit.kind, unit.lanes), {value, 0, i});
            write(unit, at + i * size, one);
        }
        return;
    }
    const std::vector<std::uint32_t> fields = layout(t, 0).fields;
    for (std::size_t i = 0; i < record.members.size(); ++i) {
        const opencl_c::Member& m = record.members[i];
        if (types_.size(m.type) != 0 && !record.is_union) {
            scatter_parts(m.type, make(Opcode::composite_extract, type(m.type), {value, fields[i]}),
                          at + m.offset, write);
        }
    }
}

Id VulkanEmitter::load(const Place& p) {
    const auto holder = pointers_.find(p.pointer);
    if (holder != pointers_.end()) {
        return load_pointer(holder->second);
    }
    const Shape s = types_.is_vector(p.type) ? shape(p.type) : Shape{};
    if (p.pointer == 0 && p.index != 0 && s.lanes > 4) {
        Place memory = temporary(p.type, 0);
        write(memory.pointer, p.type, p.value, memory.align, false);
        memory.index = p.index;
        return load(memory);
    }
    if (p.pointer == 0) {
        return Emitter::load(p);
    }
    const bool one = p.index != 0 || (p.components.count == 1 && p.components.components[0] < s.lanes);
    const Id result = one ? number_type(s.kind) : type(p.type);
    const Id whole = at_object(p.pointer, p.storage, result, [&](Id pointer) {
        if (!one) {
            return read(pointer, p.type, p.align, p.is_volatile);
        }
        const Id at = p.index != 0 ? p.index : integer(TypeKind::ulong, p.components.components[0]);
        const std::uint32_t align = std::min(p.align, opencl_c::size_of(s.kind));
        return read_number(component_at(pointer, p.type, at), {s.kind, 1}, align, p.is_volatile);
    });
    return p.components.count != 0 && !one ? components(whole, s, p.components) : whole;
}

void VulkanEmitter::store(const Place& p, Id value) {
    const auto holder = pointers_.find(p.pointer);
    if (holder != pointers_.end()) {
        return store_pointer(holder->second, value);
    }
    value = numbered(value, token_);
    static_cast<void>(at_object(p.pointer, p.storage, 0, [&](Id pointer) {
        store_at(pointer, p, value);
        return Id{0};
    }));
}

void VulkanEmitter::store_at(Id pointer, const Place& p, Id value) {
    if (p.index == 0 && p.components.count == 0) {
        return write(pointer, p.type, value, p.align, p.is_volatile);
    }
    const Shape s = shape(p.type);
    const std::uint32_t align = std::min(p.align, opencl_c::size_of(s.kind));
    if (p.index != 0) {
        return write_number(component_at(pointer, p.type, p.index), {s.kind, 1}, value, align, p.is_volatile);
    }
    for (unsigned i = 0; i < p.components.count; ++i) {
        const unsigned at = p.components.components[i];
        if (at < s.lanes) {
            const Id one = p.components.count == 1 ? value : lane(value, {s.kind, p.components.count}, i);
            write_number(component_at(pointer, p.type, integer(TypeKind::ulong, at)), {s.kind, 1}, one, align,
                         p.is_volatile);
        }
    }
}

/// A pointer to a component. The index is a 64-bit number.
Id VulkanEmitter::component_at(Id pointer, Type vector, Id index) {
    const Shape s = shape(vector);
    const std::uint64_t size = opencl_c::size_of(s.kind);
    const Reference* const known = reference(pointer);
    if (known == nullptr) {
        return advanced(pointer, index, size);
    }
    Reference r = *known;
    const Id at = narrow(index);
    if (!fits(r, vector)) {
        r = raw(r, s.kind, 0);
        r.bytes = plus(r.bytes, times(at, size));
        return keep(std::move(r));
    }
    if (r.array) {
        r.chain.push_back({r.index, true, types_.size(r.leaf)});
    }
    const Words steps = lane_steps(s.lanes, at);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        r.chain.push_back({steps[i], true, i + 1 < steps.size() ? 4 * size : size});
    }
    enter(r, Types::basic(s.kind));
    return keep(std::move(r));
}

/// The indices of a component in the form of a vector of this width.
Words VulkanEmitter::lane_steps(unsigned lanes, Id at) {
    if (lanes <= 4) {
        return {at};
    }
    const auto known = module_->integer(at);
    if (known) {
        return {u32(static_cast<std::uint32_t>(*known / 4)), u32(static_cast<std::uint32_t>(*known % 4))};
    }
    const Id t = number_type(TypeKind::uint);
    return {make(Opcode::shift_right_logical, t, {at, u32(2)}), make(Opcode::bitwise_and, t, {at, u32(3)})};
}

void VulkanEmitter::copy(const Place& to, ExprId from) {
    store(to, value(from));
}

void VulkanEmitter::copy_constant(const Place& to, Id constant) {
    store(to, constant);
}

Id VulkanEmitter::read(Id pointer, Type t, std::uint32_t align, bool is_volatile) {
    if (const Reference* const r = reference(pointer)) {
        return read_variable(*r, t, is_volatile);
    }
    return gather(t, 0, [&](Shape s, std::uint64_t at) {
        return read_number(advanced(pointer, integer(TypeKind::ulong, 1), at), s, aligned_at(align, at),
                           is_volatile);
    });
}

void VulkanEmitter::write(Id pointer, Type t, Id value, std::uint32_t align, bool is_volatile) {
    if (const Reference* const r = reference(pointer)) {
        return write_variable(*r, t, value, is_volatile);
    }
    scatter(t, value, 0, [&](Shape s, std::uint64_t at, Id one) {
        write_number(advanced(pointer, integer(TypeKind::ulong, 1), at), s, one, aligned_at(align, at),
                     is_volatile);
    });
}

/// A pointer of SPIR-V to a number at an address.
Id VulkanEmitter::physical(Id address, TypeKind kind, unsigned lanes) {
    if (opencl_c::size_of(kind) < 4) {
        module_->require(opencl_c::size_of(kind) == 1 ? Capability::storage_buffer_8bit_access
                                                      : Capability::storage_buffer_16bit_access);
    }
    const Id t = pointer_type(StorageClass::physical_storage_buffer, number_type(kind, lanes));
    return make(Opcode::convert_u_to_ptr, t, {address});
}

Id VulkanEmitter::read_number(Id pointer, Shape s, std::uint32_t align, bool is_volatile) {
    if (const Reference* const r = reference(pointer)) {
        return read_shape(*r, s, is_volatile);
    }
    const std::uint32_t size = opencl_c::size_of(s.kind);
    const auto at = [&](std::uint64_t bytes) {
        return advanced(pointer, integer(TypeKind::ulong, 1), bytes);
    };
    if (align < size) {
        Words lanes;
        const TypeKind piece = unsigned_of(align);
        for (std::uint32_t i = 0; i < s.lanes; ++i) {
            Words pieces;
            for (std::uint32_t k = 0; k < size; k += align) {
                pieces.push_back(read_number(at(i * size + k), {piece, 1}, align, is_volatile));
            }
            lanes.push_back(joined(pieces, piece, s.kind));
        }
        return assembled(s, lanes);
    }
    if (s.lanes > 4) {
        Words parts;
        for (std::uint32_t i = 0; i < s.lanes / 4; ++i) {
            const std::uint32_t bytes = 4 * size * i;
            parts.push_back(read_number(at(bytes), {s.kind, 4}, aligned_at(align, bytes), is_volatile));
        }
        return of_parts(number_type(s.kind, s.lanes), parts);
    }
    const std::uint32_t most = size * (s.lanes == 3 ? 4 : s.lanes);
    return load_memory(physical(pointer, s.kind, s.lanes), number_type(s.kind, s.lanes),
                       std::min(align, most), is_volatile);
}

void VulkanEmitter::write_number(Id pointer, Shape s, Id value, std::uint32_t align, bool is_volatile) {
    if (const Reference* const r = reference(pointer)) {
        return write_shape(*r, s, value, is_volatile);
    }
    const std::uint32_t size = opencl_c::size_of(s.kind);
    const auto at = [&](std::uint64_t bytes) {
        return advanced(pointer, integer(TypeKind::ulong, 1), bytes);
    };
    if (align < size) {
        const TypeKind piece = unsigned_of(align);
        for (std::uint32_t i = 0; i < s.lanes; ++i) {
            const Words pieces = split(lane(value, s, i), s.kind, piece);
            for (std::uint32_t k = 0; k < pieces.size(); ++k) {
                write_number(at(i * size + k * align), {piece, 1}, pieces[k], align, is_volatile);
            }
        }
        return;
    }
    if (s.lanes > 4) {
        for (std::uint32_t i = 0; i < s.lanes / 4; ++i) {
            const std::uint32_t bytes = 4 * size * i;
            write_number(at(bytes), {s.kind, 4}, part_of(value, i), aligned_at(align, bytes), is_volatile);
        }
        return;
    }
    const std::uint32_t most = size * (s.lanes == 3 ? 4 : s.lanes);
    store_memory(physical(pointer, s.kind, s.lanes), value, std::min(align, most), is_volatile);
}

/// A pointer of SPIR-V to the place, or to a part of it.
Id VulkanEmitter::chained(const Reference& r, Id type, const Words& more, bool whole_array) {
    if (r.storage != StorageClass::function) {
        body_.inputs.insert(r.root);
    }
    Words operands{r.root};
    for (const Link& link : r.chain) {
        operands.push_back(link.id);
    }
    if (r.array && !whole_array && r.bytes == 0) {
        operands.push_back(r.index);
    }
    operands.insert(operands.end(), more.begin(), more.end());
    return operands.size() == 1
               ? r.root
               : Emitter::make(Opcode::access_chain, pointer_type(r.storage, type), operands);
}

/// A pointer to an element of an array of numbers or vectors of them, by its offset in bytes.
Id VulkanEmitter::unit_pointer(const Reference& r, std::uint64_t offset) {
    const Shape unit = types_.is_pointer(r.leaf) ? Shape{TypeKind::ulong, 1} : shape(r.leaf);
    const std::uint32_t size = opencl_c::size_of(unit.kind);
    const Id t = number_type(TypeKind::uint);
    const auto shifted = [&](Id number, std::uint32_t by) {
        const auto known = module_->integer(number);
        return by == 0 ? number
               : known ? u32(static_cast<std::uint32_t>(*known >> by))
                       : make(Opcode::shift_right_logical, t, {number, u32(by)});
    };
    const auto log = [](std::uint32_t number) {
        std::uint32_t bits = 0;
        while (number >> (bits + 1) != 0) {
            ++bits;
        }
        return bits;
    };
    const Id at = shifted(plus(r.bytes, u32(static_cast<std::uint32_t>(offset))), log(size));
    Words more;
    if (unit.lanes == 1) {
        more.push_back(at);
    } else {
        if (r.array) {
            more.push_back(shifted(at, log(unit.lanes)));
        }
        const auto known = module_->integer(at);
        const Id within = known ? u32(static_cast<std::uint32_t>(*known % unit.lanes))
                                : make(Opcode::bitwise_and, t, {at, u32(unit.lanes - 1)});
        const Words steps = lane_steps(unit.lanes, within);
        more.insert(more.end(), steps.begin(), steps.end());
    }
    return chained(r, number_type(unit.kind), more);
}

Id VulkanEmitter::read_variable(const Reference& r, Type t, bool is_volatile) {
    if (fits(r, t)) {
        const bool all = r.array && types_.is_array(t) && r.count == leaves(t) &&
                         module_->integer(r.index) == std::uint64_t{0};
        if (all || !types_.is_array(t)) {
            return load_chain(chained(r, type(t), {}, all), type(t), is_volatile);
        }
        Words parts;
        Reference one = r;
        for (std::uint32_t i = 0; i < leaves(t); ++i) {
            one.index = plus(r.index, u32(i));
            parts.push_back(load_chain(chained(one, type(r.leaf)), type(r.leaf), is_volatile));
        }
        return Emitter::make(Opcode::composite_construct, type(t), parts);
    }
    const Reference bytes = raw(r, smallest(t), 0);
    return gather(t, 0, [&](Shape s, std::uint64_t at) {
        Reference one = bytes;
        one.bytes = plus(bytes.bytes, u32(static_cast<std::uint32_t>(at)));
        return read_shape(one, s, is_volatile);
    });
}

void VulkanEmitter::write_variable(const Reference& r, Type t, Id value, bool is_volatile) {
    if (fits(r, t)) {
        const bool all = r.array && types_.is_array(t) && r.count == leaves(t) &&
                         module_->integer(r.index) == std::uint64_t{0};
        if (all || !types_.is_array(t)) {
            return store_chain(chained(r, type(t), {}, all), value, is_volatile);
        }
        Reference one = r;
        for (std::uint32_t i = 0; i < leaves(t); ++i) {
            one.index = plus(r.index, u32(i));
            store_chain(chained(one, type(r.leaf)), make(Opcode::composite_extract, type(r.leaf), {value, i}),
                        is_volatile);
        }
        return;
    }
    const Reference bytes = raw(r, smallest(t), 0);
    scatter(t, value, 0, [&](Shape s, std::uint64_t at, Id part) {
        Reference one = bytes;
        one.bytes = plus(bytes.bytes, u32(static_cast<std::uint32_t>(at)));
        write_shape(one, s, part, is_volatile);
    });
}

/// Reads a number or a vector, which may consist of several elements of the array.
Id VulkanEmitter::read_shape(const Reference& r, Shape s, bool is_volatile) {
    const Id t = number_type(s.kind, s.lanes);
    if (r.bytes == 0 && type(r.leaf) == t) {
        return load_chain(chained(r, t), t, is_volatile);
    }
    const Reference bytes = raw(r, s.kind, 0);
    const TypeKind unit = types_.is_pointer(bytes.leaf) ? TypeKind::ulong : shape(bytes.leaf).kind;
    const std::uint32_t step = opencl_c::size_of(unit);
    Words lanes;
    for (std::uint32_t i = 0; i < s.lanes; ++i) {
        Words pieces;
        for (std::uint32_t k = 0; k < opencl_c::size_of(s.kind); k += step) {
            const Id one = load_chain(unit_pointer(bytes, i * opencl_c::size_of(s.kind) + k),
                                      number_type(unit), is_volatile);
            pieces.push_back(one);
        }
        if (number_type(unit) == number_type(s.kind)) {
            lanes.push_back(pieces[0]);
            continue;
        }
        for (Id& piece : pieces) {
            piece = bits_of(piece, unit);
        }
        lanes.push_back(joined(pieces, unsigned_of(step), s.kind));
    }
    return assembled(s, lanes);
}

void VulkanEmitter::write_shape(const Reference& r, Shape s, Id value, bool is_volatile) {
    if (r.bytes == 0 && type(r.leaf) == number_type(s.kind, s.lanes)) {
        return store_chain(chained(r, number_type(s.kind, s.lanes)), value, is_volatile);
    }
    const Reference bytes = raw(r, s.kind, 0);
    const TypeKind unit = types_.is_pointer(bytes.leaf) ? TypeKind::ulong : shape(bytes.leaf).kind;
    const std::uint32_t step = opencl_c::size_of(unit);
    const bool same = number_type(unit) == number_type(s.kind);
    for (std::uint32_t i = 0; i < s.lanes; ++i) {
        const Id one = lane(value, s, i);
        const Words pieces = same ? Words{one} : split(one, s.kind, unsigned_of(step));
        for (std::uint32_t k = 0; k < pieces.size(); ++k) {
            store_chain(unit_pointer(bytes, i * opencl_c::size_of(s.kind) + k * step),
                        same ? pieces[k] : number_of(pieces[k], unit), is_volatile);
        }
    }
}

Id VulkanEmitter::load_chain(Id pointer, Id type, bool is_volatile) {
    return is_volatile ? make(Opcode::load, type, {pointer, memory_volatile})
                       : make(Opcode::load, type, {pointer});
}

void VulkanEmitter::store_chain(Id pointer, Id value, bool is_volatile) {
    if (is_volatile) {
        act(Opcode::store, {pointer, value, memory_volatile});
    } else {
        act(Opcode::store, {pointer, value});
    }
}

} // namespace ferry::emit_spirv::vulkan
