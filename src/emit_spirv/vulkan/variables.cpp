// SPDX-License-Identifier: Apache-2.0
#include "vulkan_emitter.hpp"

#include <algorithm>
#include <utility>

// Variables. One that other functions access is at module scope, which means one for each work-item: there is
// no recursion.
namespace ferry::emit_spirv::vulkan {

Id VulkanEmitter::new_variable(Id type, std::uint64_t) {
    const Id id = module_->fresh();
    append(
        body_.variables, Opcode::variable,
        {pointer_type(StorageClass::function, type), id, static_cast<std::uint32_t>(StorageClass::function)});
    return id;
}

/// The type of a variable as an array of integers.
Id VulkanEmitter::flat_type(Type t, TypeKind unit) {
    const std::uint64_t step = opencl_c::size_of(unit);
    const std::uint64_t count = std::max<std::uint64_t>((types_.size(t) + step - 1) / step, 1);
    return array_type(number_type(unit), count);
}

Place VulkanEmitter::declare(VarId id) {
    const Variable& v = tree_.variables[id];
    const auto known = body_.places.find(id);
    if (known != body_.places.end() && known->second.pointer != 0) {
        return known->second; // A declaration in a loop is one object.
    }
    Place made;
    made.type = v.type;
    made.align = static_cast<std::uint32_t>(std::max<std::uint64_t>(types_.align(v.type), 1));
    made.is_volatile = v.type.is_volatile();
    const bool kept = v.address_taken || findings_.kept.contains(id);
    if (types_.is_pointer(v.type) && types_.element(v.type).space() != Space::global && !kept) {
        made.pointer = module_->fresh();
        pointers_[made.pointer].id = id;
        return body_.places[id] = made;
    }
    const bool numbered = findings_.numbered.contains(id);
    if ((has_union(v.type) || numbered) && !findings_.flat.contains(id)) {
        findings_.flat[id] = smallest(v.type);
    }
    const auto flat = findings_.flat.find(id);
    const Id t = flat != findings_.flat.end() ? flat_type(v.type, flat->second) : type(v.type, v.token);
    const bool shared = v.address_taken || numbered || findings_.shared.contains(id);
    const StorageClass storage = shared ? StorageClass::private_ : StorageClass::function;
    const Id root = numbered ? numbered_root(id, t)
                    : shared ? module_->variable(pointer_type(storage, t), storage)
                             : new_variable(t, made.align);
    if (!v.name.empty()) {
        module_->name(root, v.name);
    }
    made.pointer = keep(whole(root, storage, id, v.type));
    return body_.places[id] = made;
}

Place VulkanEmitter::temporary(Type t, std::uint32_t token) {
    Place made;
    made.type = t;
    made.align = static_cast<std::uint32_t>(std::max<std::uint64_t>(types_.align(t), 1));
    if (!has_union(t)) {
        const Id root = new_variable(type(t, token), made.align);
        made.pointer = keep(whole(root, StorageClass::function, 0, t));
        return made;
    }
    Reference r;
    r.root = new_variable(flat_type(t, smallest(t)), made.align);
    r.leaf = Types::basic(smallest(t));
    r.array = true;
    r.bytes = u32(0);
    made.pointer = keep(std::move(r));
    return made;
}

Place VulkanEmitter::new_global(VarId id) {
    const Variable& v = tree_.variables[id];
    Place made;
    made.type = v.type;
    made.align = static_cast<std::uint32_t>(std::max<std::uint64_t>(types_.align(v.type), 1));
    made.is_volatile = v.type.is_volatile();
    if (types_.is_pointer(v.type) && v.type.space() == Space::constant && v.initial != 0) {
        made.value = value(v.initial); // It emits no instruction.
        return made;
    }
    const bool local = v.type.space() == Space::local;
    made.storage = local ? StorageClass::workgroup : StorageClass::private_;
    const bool numbered = findings_.numbered.contains(id);
    if ((has_union(v.type) || numbered) && !findings_.flat.contains(id)) {
        findings_.flat[id] = smallest(v.type);
    }
    const auto flat = findings_.flat.find(id);
    const bool is_flat = flat != findings_.flat.end();
    const Id t = is_flat ? flat_type(v.type, flat->second) : type(v.type, v.token);
    const Id initial = local ? 0 : is_flat ? flat_constant(v, flat->second) : constant(v.initial, v.type);
    const Id root = module_->variable(pointer_type(made.storage, t), made.storage, initial);
    if (!v.name.empty()) {
        module_->name(root, v.name);
    }
    made.pointer = keep(whole(root, made.storage, id, v.type));
    return made;
}

Id VulkanEmitter::flat_constant(const Variable& v, TypeKind unit) {
    constexpr std::uint64_t most = 65'000; // A SPIR-V instruction has at most 65,535 words.
    const std::uint64_t step = opencl_c::size_of(unit);
    const std::uint64_t count = (types_.size(v.type) + step - 1) / step;
    if (count > most) {
        refuse(v.token, "an array of " + std::to_string(count) +
                            " elements cannot be initialized in SPIR-V; at most " + std::to_string(most) +
                            " can");
    }
    std::vector<std::uint8_t> bytes(count * step);
    constant_bytes(v.initial, v.type, 0, bytes);
    Words parts;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t value = 0;
        for (std::uint64_t k = 0; k < step; ++k) {
            value |= static_cast<std::uint64_t>(bytes[i * step + k]) << (8 * k);
        }
        parts.push_back(integer(unit, value));
    }
    return module_->constant(Opcode::constant_composite, flat_type(v.type, unit), parts);
}

Place VulkanEmitter::string_place(const Expr& x) {
    const std::string& text = tree_.strings[x.index];
    Place made;
    made.type = x.type;
    made.storage = StorageClass::private_;
    const auto [at, is_new] = strings_.emplace(text, 0);
    if (is_new) {
        const Id root = module_->variable(pointer_type(made.storage, type(x.type, x.token)), made.storage,
                                          constant_string(text, types_.count(x.type), x.token));
        at->second = keep(whole(root, made.storage, 0, x.type));
    }
    made.pointer = at->second;
    return made;
}

Id VulkanEmitter::load_pointer(PointerVariable& p) {
    if (!p.bound) {
        if (!p.maybe_null) { // The first assignment is later in the text.
            keep_number(p.id);
        }
        p.read_as_null = true;
        return integer(TypeKind::ulong, 0);
    }
    if (p.address != 0) {
        return load_chain(p.address, number_type(TypeKind::ulong), false);
    }
    Reference r = p.base;
    r.nullable = p.maybe_null ? p.id : r.nullable;
    const std::vector<Id*> all = indices(r);
    for (std::size_t i = 0; i < all.size(); ++i) {
        *all[i] = load_chain(p.slots[i], number_type(TypeKind::uint), false);
    }
    return keep(std::move(r));
}

void VulkanEmitter::store_pointer(PointerVariable& p, Id value) {
    const Reference* const known = reference(value);
    if (known == nullptr && is_null(value) && p.address == 0) {
        p.maybe_null = true;
        return;
    }
    if (p.read_as_null) { // A loop may lead back to that.
        keep_number(p.id);
    }
    if (known == nullptr) {
        if (p.bound ? p.address == 0 : p.maybe_null) {
            keep_number(p.id);
        }
        if (!p.bound) {
            p.bound = true;
            p.address = new_variable(number_type(TypeKind::ulong), 8);
        }
        return store_chain(p.address, value, false);
    }
    Reference r = *known;
    const std::vector<Id*> all = indices(r);
    if (!p.bound) {
        p.bound = true;
        p.base = r;
        for (std::size_t i = 0; i < all.size(); ++i) {
            p.slots.push_back(new_variable(number_type(TypeKind::uint), 4));
        }
    } else if (p.address != 0 || !alike(p.base, r)) {
        keep_number(p.id);
    }
    p.base.nullable = p.base.nullable != 0 ? p.base.nullable : r.nullable;
    for (std::size_t i = 0; i < all.size(); ++i) {
        store_chain(p.slots[i], *all[i], false);
    }
}

} // namespace ferry::emit_spirv::vulkan
