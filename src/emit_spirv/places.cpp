// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

#include <algorithm>

// Access to objects: addresses, loads and stores.
namespace ferry::emit_spirv {
namespace {

constexpr std::uint32_t undefined_component = 0xffffffff;

/// The alignment of a part at this offset, in bytes.
std::uint32_t aligned_at(std::uint32_t align, std::uint64_t offset) {
    while (align > 1 && offset % align != 0) {
        align /= 2;
    }
    return align;
}

} // namespace

Id Emitter::load_memory(Id pointer, Id type, std::uint32_t align, bool is_volatile) {
    return make(Opcode::load, type, {pointer, memory_aligned | (is_volatile ? memory_volatile : 0), align});
}

void Emitter::store_memory(Id pointer, Id value, std::uint32_t align, bool is_volatile) {
    act(Opcode::store, {pointer, value, memory_aligned | (is_volatile ? memory_volatile : 0), align});
}

Place Emitter::place(ExprId id) {
    const Expr& e = expr(id);
    switch (e.kind) {
    case ExprKind::variable:
        return place_of(e.index, e.token);
    case ExprKind::string:
        return string_place(e);
    case ExprKind::element:
        return element(e);
    case ExprKind::member:
        return member(e);
    case ExprKind::dereference:
        return pointed_to(value(e.a), e.type, e.token);
    case ExprKind::swizzle: {
        Place p = place(e.a);
        if (p.components.count != 0 || p.index != 0) {
            const Id vector = load(p);
            p = {};
            p.value = vector;
            p.type = type_of(e.a);
        }
        p.components = tree_.swizzles[e.index];
        return p;
    }
    case ExprKind::compound_literal: {
        if (e.type.space() == Space::constant) {
            return global_place(e.index);
        }
        const Place p = declare(e.index);
        if (tree_.variables[e.index].initial != 0) {
            initialise(p, tree_.variables[e.index].initial);
        }
        return p;
    }
    default: {
        Place p;
        p.value = value_of(e, id);
        p.type = e.type;
        return p;
    }
    }
}

/// Returns the place as an object in memory, and creates a variable if it is only a value.
Place Emitter::in_memory(const Place& p) {
    if (p.pointer != 0) {
        return p;
    }
    const Place made = temporary(p.type, 0);
    store(made, p.value);
    return made;
}

/// A new variable without a name.
Place Emitter::temporary(Type t, std::uint32_t token) {
    Place made;
    made.type = t;
    made.align = static_cast<std::uint32_t>(types_.align(t));
    made.pointer = new_variable(type(t, token), made.align);
    return made;
}

Place Emitter::pointed_to(Id pointer, Type pointee, std::uint32_t token) {
    Place p;
    p.type = pointee;
    p.storage = storage_of(pointee.space());
    p.align = static_cast<std::uint32_t>(types_.align(pointee));
    p.is_volatile = pointee.is_volatile();
    p.pointer = own_pointer(pointer, pointee, token);
    return p;
}

/// A pointer value as a pointer to an object of the pointee's own type.
Id Emitter::own_pointer(Id pointer, Type pointee, std::uint32_t token) {
    const Id own = pointer_type(storage_of(pointee.space()), type(pointee, token));
    return own == pointer_to(pointee, token) ? pointer : make(Opcode::bitcast, own, {pointer});
}

/// The address of an object as a value of this pointer type.
Id Emitter::address(const Place& p, Type pointer, std::uint32_t token) {
    const Id own = pointer_type(p.storage, type(p.type, token));
    const Id wanted = type(pointer, token);
    return own == wanted ? p.pointer : make(Opcode::bitcast, wanted, {p.pointer});
}

/// Moves a pointer to an object of the pointee's own type.
Id Emitter::moved(Id pointer, Type pointee, Id index, std::uint32_t token) {
    return make(Opcode::in_bounds_ptr_access_chain,
                pointer_type(storage_of(pointee.space()), type(pointee, token)), {pointer, index});
}

Id Emitter::part_pointer(const Place& of, Id index, Type part_type, std::uint64_t) {
    return make(Opcode::in_bounds_access_chain, pointer_type(of.storage, type(part_type)),
                {of.pointer, index});
}

/// A pointer to an object of another type, `offset` bytes into `whole`.
Id Emitter::overlay(const Place& whole, Type t, std::uint64_t offset, std::uint32_t token) {
    const Id target = pointer_type(whole.storage, type(t, token));
    if (offset == 0 && types_.size(t) != 0) {
        return make(Opcode::bitcast, target, {whole.pointer});
    }
    const Id bytes = byte_pointer(whole.storage);
    const Id begin = make(Opcode::bitcast, bytes, {whole.pointer});
    const Id at = make(Opcode::in_bounds_ptr_access_chain, bytes, {begin, integer(TypeKind::ulong, offset)});
    return make(Opcode::bitcast, target, {at});
}

Place Emitter::part(const Place& of, Id index, Type part_type, std::uint64_t offset) {
    Place p;
    p.type = part_type;
    p.storage = of.storage;
    p.align = aligned_at(of.align, offset);
    p.is_volatile = of.is_volatile || part_type.is_volatile();
    p.pointer = part_pointer(of, index, part_type, offset);
    return p;
}

Place Emitter::element(const Expr& e) {
    const Type base = type_of(e.a);
    if (types_.is_vector(base)) {
        Place p = place(e.a);
        if (p.components.count != 0 || p.index != 0) {
            const Id whole = load(p);
            p = {};
            p.value = whole;
            p.type = base;
        }
        if (const auto index = folded(e.b)) {
            p.components.count = 1;
            p.components.components[0] = static_cast<std::uint8_t>((*index)[0]);
        } else {
            p.index = index_of(value(e.b), type_of(e.b));
        }
        return p;
    }
    const Expr& a = expr(e.a);
    if (a.kind == ExprKind::convert && a.conversion == Conversion::decay) {
        const Place whole = in_memory(place(a.a));
        const Type inner = types_.element(whole.type);
        const Id index = index_of(value(e.b), type_of(e.b));
        return part(whole, index, inner, types_.size(inner));
    }
    const Id pointer = value(e.a);
    const Id index = index_of(value(e.b), type_of(e.b));
    const Type pointee = types_.element(base);
    Place p = pointed_to(pointer, pointee, e.token);
    p.pointer = moved(p.pointer, pointee, index, e.token);
    return p;
}

Place Emitter::member(const Expr& e) {
    Place whole = place(e.a);
    const Type of = type_of(e.a);
    const Record& record = types_.record(of);
    const opencl_c::Member& m = record.members[e.index];
    const std::uint32_t field = layout(of, e.token).fields[e.index];
    if (whole.pointer == 0 && !record.is_union && types_.size(m.type) != 0) {
        Place p;
        p.type = m.type;
        p.value = make(Opcode::composite_extract, type(m.type, e.token), {whole.value, field});
        return p;
    }
    whole = in_memory(whole);
    Place p;
    if (record.is_union || types_.size(m.type) == 0) {
        p = whole;
        p.type = m.type;
        p.align = aligned_at(whole.align, m.offset);
        p.pointer = overlay(whole, m.type, m.offset, e.token);
    } else {
        p = part(whole, u32(field), m.type, m.offset);
    }
    p.is_volatile = whole.is_volatile || e.type.is_volatile();
    return p;
}

Id Emitter::component_pointer(const Place& p, Id index) {
    return make(Opcode::in_bounds_access_chain, pointer_type(p.storage, number_type(shape(p.type).kind)),
                {p.pointer, index});
}

Id Emitter::lane(Id vector, Shape s, std::uint32_t index) {
    return make(Opcode::composite_extract, number_type(s.kind), {vector, index});
}

/// Selects components of a vector. Those past the end of a vector of three are undefined.
Id Emitter::components(Id vector, Shape s, const Swizzle& swizzle) {
    const unsigned lanes = s.lanes;
    if (swizzle.count == 1) {
        return swizzle.components[0] < lanes ? lane(vector, s, swizzle.components[0])
                                             : make(Opcode::undef, number_type(s.kind), {});
    }
    Words operands{vector, vector};
    for (unsigned i = 0; i < swizzle.count; ++i) {
        operands.push_back(swizzle.components[i] < lanes ? swizzle.components[i] : undefined_component);
    }
    return make(Opcode::vector_shuffle, number_type(s.kind, swizzle.count), operands);
}

Id Emitter::load(const Place& p) {
    const Id whole = p.pointer != 0 ? load_memory(p.pointer, type(p.type), p.align, p.is_volatile) : p.value;
    if (p.index != 0) {
        return make(Opcode::vector_extract_dynamic, number_type(shape(p.type).kind), {whole, p.index});
    }
    return p.components.count != 0 ? components(whole, shape(p.type), p.components) : whole;
}

/// Stores components one by one, because other work-items may write the remaining ones.
void Emitter::store(const Place& p, Id value) {
    if (p.index == 0 && p.components.count == 0) {
        return store_memory(p.pointer, value, p.align, p.is_volatile);
    }
    const Shape s = shape(p.type);
    const std::uint32_t size = opencl_c::size_of(s.kind);
    const std::uint32_t align = std::min(p.align, size);
    if (p.index != 0) {
        return store_memory(component_pointer(p, p.index), value, align, p.is_volatile);
    }
    for (unsigned i = 0; i < p.components.count; ++i) {
        const unsigned at = p.components.components[i];
        if (at < s.lanes) {
            const Id one = p.components.count == 1 ? value : lane(value, {s.kind, p.components.count}, i);
            store_memory(component_pointer(p, u32(at)), one, align, p.is_volatile);
        }
    }
}

/// A constant in memory, used as the source of copies to objects.
Id Emitter::constant_memory(Id constant, Id type, std::uint32_t align) {
    const auto [at, is_new] = constant_memory_.emplace(constant, 0);
    if (is_new) {
        constexpr StorageClass storage = StorageClass::uniform_constant;
        at->second = module_->variable(pointer_type(storage, type), storage, constant);
        module_->decorate(at->second, Decoration::constant);
        module_->decorate(at->second, Decoration::alignment, {align});
    }
    return at->second;
}

void Emitter::copy_constant(const Place& to, Id constant) {
    const auto align = static_cast<std::uint32_t>(types_.align(to.type));
    act(Opcode::copy_memory, {to.pointer, constant_memory(constant, type(to.type), align), memory_aligned,
                              std::min(to.align, align)});
}

void Emitter::copy(const Place& to, ExprId from) {
    const Expr& e = expr(from);
    const bool copies = types_.is_record(e.type) && e.kind == ExprKind::convert &&
                        e.conversion == Conversion::load && !to.is_volatile;
    if (!copies) {
        return store(to, value(from));
    }
    const Place source = place(e.a);
    if (source.pointer == 0 || source.is_volatile) {
        return store(to, load(source));
    }
    if (types_.size(e.type) != 0) {
        act(Opcode::copy_memory,
            {to.pointer, source.pointer, memory_aligned, std::min(to.align, source.align)});
    }
}

void Emitter::initialise(const Place& p, ExprId id) {
    const Expr& e = expr(id);
    if (e.kind == ExprKind::string && types_.is_array(p.type)) {
        return copy_constant(p, constant_string(tree_.strings[e.index], types_.count(p.type), e.token));
    }
    if (e.kind != ExprKind::initialiser) {
        return copy(p, id);
    }
    if (types_.size(p.type) == 0) {
        return;
    }
    const auto items = tree_.items(e.list);
    const bool array = types_.is_array(p.type);
    if (array && items.size() >= 8) {
        try {
            return copy_constant(p, constant(id, p.type));
        } catch (const Refusal&) { // It is computed at run time.
        }
    }
    const std::uint64_t parts = array ? types_.count(p.type) : types_.record(p.type).members.size();
    const bool is_union = !array && types_.record(p.type).is_union;
    if (is_union || items.size() < parts || std::find(items.begin(), items.end(), 0U) != items.end()) {
        copy_constant(p, null(type(p.type)));
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i] == 0) {
            continue;
        }
        if (array) {
            const Type inner = types_.element(p.type);
            initialise(part(p, integer(TypeKind::ulong, i), inner, i * types_.size(inner)), items[i]);
            continue;
        }
        const opencl_c::Member& m = types_.record(p.type).members[is_union ? e.index : i];
        if (types_.size(m.type) == 0) {
            continue;
        }
        if (is_union) {
            Place inner = p;
            inner.type = m.type;
            inner.pointer = overlay(p, m.type, 0, e.token);
            initialise(inner, items[i]);
        } else {
            initialise(part(p, u32(layout(p.type, e.token).fields[i]), m.type, m.offset), items[i]);
        }
    }
}

} // namespace ferry::emit_spirv
