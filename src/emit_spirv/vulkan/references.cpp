// SPDX-License-Identifier: Apache-2.0
#include "vulkan_emitter.hpp"

#include <utility>

// Pointers: addresses as numbers, and references to places in variables.
namespace ferry::emit_spirv::vulkan {

Id VulkanEmitter::keep(Reference r) {
    const Id id = module_->fresh();
    references_.emplace(id, std::move(r));
    return id;
}

const Reference* VulkanEmitter::reference(Id pointer) const {
    const auto known = references_.find(pointer);
    return known != references_.end() ? &known->second : nullptr;
}

/// The sum of two 32-bit numbers.
Id VulkanEmitter::plus(Id a, Id b) {
    const auto x = module_->integer(a);
    const auto y = module_->integer(b);
    if (x && y) {
        return u32(static_cast<std::uint32_t>(*x + *y));
    }
    if ((x && *x == 0) || (y && *y == 0)) {
        return x && *x == 0 ? b : a;
    }
    return make(Opcode::i_add, number_type(TypeKind::uint), {a, b});
}

Id VulkanEmitter::times(Id a, std::uint64_t b) {
    const auto x = module_->integer(a);
    if (x) {
        return u32(static_cast<std::uint32_t>(*x * b));
    }
    return b == 1 ? a
                  : make(Opcode::i_mul, number_type(TypeKind::uint), {a, u32(static_cast<std::uint32_t>(b))});
}

/// A 64-bit index as a 32-bit one.
Id VulkanEmitter::narrow(Id index) {
    const auto known = module_->integer(index);
    return known ? u32(static_cast<std::uint32_t>(*known))
                 : make(Opcode::u_convert, number_type(TypeKind::uint), {index});
}

/// An address some bytes further. The index is a 64-bit number.
Id VulkanEmitter::advanced(Id address, Id index, std::uint64_t size) {
    const Id t = number_type(TypeKind::ulong);
    const auto known = module_->integer(index);
    if (known) {
        return *known * size == 0
                   ? address
                   : make(Opcode::i_add, t, {address, integer(TypeKind::ulong, *known * size)});
    }
    const Id bytes = size == 1 ? index : make(Opcode::i_mul, t, {index, integer(TypeKind::ulong, size)});
    return make(Opcode::i_add, t, {address, bytes});
}

/// The whole variable.
Reference VulkanEmitter::whole(Id root, StorageClass storage, VarId variable, Type t) {
    Reference r;
    r.root = root;
    r.storage = storage;
    r.variable = variable;
    const auto flat = findings_.flat.find(variable);
    if (flat != findings_.flat.end() && variable != 0) {
        r.leaf = Types::basic(flat->second);
        r.array = true;
        r.bytes = u32(0);
        return r;
    }
    enter(r, t);
    return r;
}

/// Sets the type of the object at the end of the chain.
void VulkanEmitter::enter(Reference& r, Type t) {
    r.array = types_.is_array(t);
    r.leaf = innermost(t).plain();
    r.count = leaves(t);
    r.index = r.array ? u32(0) : 0;
}

/// Makes the variable an array of integers in the next attempt.
void VulkanEmitter::flatten(const Reference& r, TypeKind unit, std::uint32_t token) {
    const auto known = findings_.flat.find(r.variable);
    const bool smaller =
        known == findings_.flat.end() || opencl_c::size_of(unit) < opencl_c::size_of(known->second);
    if (r.variable == 0 || !smaller) {
        refuse(token,
               "this access of a variable by a pointer to another type has no form in Vulkan's SPIR-V");
    }
    findings_.flat[r.variable] = unit;
    throw Restart{};
}

/// The same place counted in bytes, for accesses of numbers of this type.
Reference VulkanEmitter::raw(const Reference& r, TypeKind access, std::uint32_t token) {
    const Type unit = types_.scalar(r.leaf);
    const bool counts = (types_.is_arithmetic(unit) || types_.is_pointer(unit)) &&
                        types_.lanes(r.leaf) != 3 && (r.array || types_.is_vector(r.leaf));
    if (!counts || types_.size(unit) > opencl_c::size_of(access)) {
        flatten(r, unsigned_of(opencl_c::size_of(access)), token);
    }
    Reference made = r;
    if (r.bytes == 0) {
        made.bytes = r.array ? times(r.index, types_.size(r.leaf)) : u32(0);
        made.index = 0;
    }
    return made;
}

/// Whether the chain leads to an object of this type, or to elements of this array.
bool VulkanEmitter::fits(const Reference& r, Type t) {
    return r.bytes == 0 && type(r.leaf) == type(innermost(t));
}

Id VulkanEmitter::own_pointer(Id pointer, Type, std::uint32_t) {
    return pointer;
}

Id VulkanEmitter::address(const Place& p, Type, std::uint32_t) {
    const auto holder = pointers_.find(p.pointer);
    if (holder != pointers_.end()) {
        keep_number(holder->second.id);
    }
    return p.pointer;
}

Id VulkanEmitter::pointer_cast(Id pointer, Type, Type) {
    return pointer;
}

Id VulkanEmitter::pointer_from(Id address, Type, std::uint32_t) {
    return address;
}

Id VulkanEmitter::moved(Id pointer, Type pointee, Id index, std::uint32_t token) {
    const std::uint64_t size = types_.is_void(pointee) ? 1 : types_.size(pointee);
    const Reference* const known = reference(pointer);
    if (known == nullptr) {
        return advanced(pointer, index, size);
    }
    Reference r = *known;
    const Id steps = narrow(index);
    const std::uint64_t own = types_.size(r.leaf);
    if (module_->integer(steps) == std::uint64_t{0}) {
        return pointer;
    }
    if (r.bytes == 0 && r.array && own != 0 && size % own == 0) {
        r.index = plus(r.index, times(steps, size / own));
    } else {
        r = raw(r, smallest(pointee), token);
        r.bytes = plus(r.bytes, times(steps, size));
    }
    return keep(std::move(r));
}

Id VulkanEmitter::offset_pointer(Id pointer, Type pointee, Id index, std::uint32_t token) {
    return moved(pointer, pointee, index, token);
}

Id VulkanEmitter::part_pointer(const Place& of, Id index, Type part_type, std::uint64_t offset) {
    const bool record = types_.is_record(of.type);
    const std::uint64_t size = types_.size(part_type);
    const Reference* const known = reference(of.pointer);
    if (known == nullptr) {
        return record ? advanced(of.pointer, integer(TypeKind::ulong, 1), offset)
                      : advanced(of.pointer, index, size);
    }
    Reference r = *known;
    const std::uint64_t own = types_.size(r.leaf);
    if (record && fits(r, of.type)) {
        if (r.array) {
            r.chain.push_back({r.index, true, own});
        }
        r.chain.push_back({index, false, offset});
        enter(r, part_type);
    } else if (!record && r.bytes == 0 && r.array && own != 0 && size % own == 0) {
        r.index = plus(r.index, times(narrow(index), size / own));
    } else {
        r = raw(r, smallest(part_type), 0);
        r.bytes =
            plus(r.bytes, record ? u32(static_cast<std::uint32_t>(offset)) : times(narrow(index), size));
    }
    return keep(std::move(r));
}

Id VulkanEmitter::overlay(const Place& whole, Type, std::uint64_t offset, std::uint32_t token) {
    const Reference* const known = reference(whole.pointer);
    if (known == nullptr) {
        return advanced(whole.pointer, integer(TypeKind::ulong, 1), offset);
    }
    Reference r = *known;
    if (r.bytes == 0) {
        flatten(r, smallest(whole.type), token);
    }
    r.bytes = plus(r.bytes, u32(static_cast<std::uint32_t>(offset)));
    return keep(std::move(r));
}

Id VulkanEmitter::address_of(Id pointer) {
    const Reference* const r = reference(pointer);
    if (r == nullptr) {
        return pointer;
    }
    if (r->nullable != 0) {
        keep_number(r->nullable);
    }
    return number_of_place(*r);
}

/// Whether two places differ only in indices.
bool VulkanEmitter::alike(const Reference& a, const Reference& b) {
    const bool same = a.root == b.root && a.chain.size() == b.chain.size() && a.leaf == b.leaf &&
                      a.array == b.array && (a.bytes != 0) == (b.bytes != 0);
    for (std::size_t i = 0; same && i < a.chain.size(); ++i) {
        const bool index = a.chain[i].is_index && b.chain[i].is_index;
        if (!index && a.chain[i].id != b.chain[i].id) {
            return false;
        }
    }
    return same;
}

/// The indices of a place.
std::vector<Id*> VulkanEmitter::indices(Reference& r) {
    std::vector<Id*> all;
    for (Link& link : r.chain) {
        if (link.is_index) {
            all.push_back(&link.id);
        }
    }
    if (r.bytes != 0) {
        all.push_back(&r.bytes);
    } else if (r.array) {
        all.push_back(&r.index);
    }
    return all;
}

bool VulkanEmitter::is_null(Id pointer) const {
    return module_->is_null(pointer) || module_->integer(pointer) == std::uint64_t{0};
}

Id VulkanEmitter::conditional(const Expr& e) {
    if (!types_.is_pointer(e.type)) {
        return Emitter::conditional(e);
    }
    const ExprId own = id_of(e);
    const bool mixed = findings_.mixed.contains(own);
    const Id yes = module_->fresh();
    const Id no = module_->fresh();
    const Id join = selection(condition(e.a), yes, no);
    begin(yes);
    const Id a = mixed ? numbered(value(e.b), e.token) : value(e.b);
    const Id a_block = open_block();
    jump(join);
    begin(no);
    const Id b = mixed ? numbered(value(e.c), e.token) : value(e.c);
    const Id b_block = open_block();
    begin(join);
    const Reference* const x = reference(a);
    const Reference* const y = reference(b);
    if (x == nullptr && y == nullptr) {
        return make(Opcode::phi, number_type(TypeKind::ulong), {a, a_block, b, b_block});
    }
    if (x == nullptr || y == nullptr || !alike(*x, *y)) {
        findings_.mixed.insert(own);
        throw Restart{};
    }
    Reference made = *x;
    Reference other = *y;
    made.nullable = made.nullable != 0 ? made.nullable : other.nullable;
    const std::vector<Id*> first = indices(made);
    const std::vector<Id*> second = indices(other);
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (*first[i] != *second[i]) {
            *first[i] =
                make(Opcode::phi, number_type(TypeKind::uint), {*first[i], a_block, *second[i], b_block});
        }
    }
    return keep(std::move(made));
}

} // namespace ferry::emit_spirv::vulkan
