// SPDX-License-Identifier: Apache-2.0
#include "vulkan_emitter.hpp"

#include <algorithm>

// Types and constants. An array of arrays is one array, because an index into an inner array may go beyond
// it. Structs have no explicit layout: their members in buffers are accessed one by one.
namespace ferry::emit_spirv::vulkan {

Type VulkanEmitter::innermost(Type t) const {
    while (types_.is_array(t)) {
        t = types_.element(t);
    }
    return t;
}

std::uint64_t VulkanEmitter::leaves(Type t) const {
    std::uint64_t count = 1;
    for (; types_.is_array(t); t = types_.element(t)) {
        count *= types_.size(t) == 0 ? 1 : types_.count(t);
    }
    return count;
}

Id VulkanEmitter::array_type(Id element, std::uint64_t count) {
    return module_->type(Opcode::type_array, {element, u32(static_cast<std::uint32_t>(count))});
}

Id VulkanEmitter::type(Type t, std::uint32_t token) {
    switch (types_.kind(t)) {
    case TypeKind::pointer:
        return number_type(TypeKind::ulong);
    case TypeKind::array:
        return array_type(type(innermost(t), token), leaves(t));
    default:
        return Emitter::type(t, token);
    }
}

const Emitter::Layout& VulkanEmitter::layout(Type t, std::uint32_t token) {
    const auto known = layouts_.find(t.index());
    if (known != layouts_.end() || types_.record(t).is_union) {
        return Emitter::layout(t, token);
    }
    const Record& record = types_.record(t);
    Layout made;
    made.align = record.align;
    Words members;
    for (const opencl_c::Member& m : record.members) {
        made.fields.push_back(static_cast<std::uint32_t>(members.size()));
        if (types_.size(m.type) != 0) {
            members.push_back(type(m.type, token));
        }
    }
    made.type = module_->new_struct(members);
    return layouts_.emplace(t.index(), std::move(made)).first->second;
}

bool VulkanEmitter::has_union(Type t) const {
    return types_.contains_union(t);
}

TypeKind VulkanEmitter::smallest(Type t) const {
    return types_.is_void(innermost(t)) ? TypeKind::uchar : unsigned_of(types_.least_number(t));
}

void VulkanEmitter::constant_leaves(ExprId e, Type t, Words& all) {
    if (!types_.is_array(t)) {
        all.push_back(constant(e, t));
        return;
    }
    const Type inner = types_.element(t);
    const auto nulls = [&](std::uint64_t count) { all.insert(all.end(), count, null(type(innermost(t)))); };
    if (e == 0) {
        return nulls(leaves(t));
    }
    const Expr& x = expr(e);
    if (x.kind == ExprKind::string) {
        const std::string& text = tree_.strings[x.index];
        for (std::uint64_t i = 0; i < types_.count(t); ++i) {
            all.push_back(
                integer(TypeKind::char_, i < text.size() ? static_cast<unsigned char>(text[i]) : 0));
        }
        return;
    }
    if (x.kind != ExprKind::initialiser) {
        refuse(x.token, "this initializer of an array is not a constant that can be computed for SPIR-V");
    }
    const auto items = tree_.items(x.list);
    for (const ExprId item : items) {
        constant_leaves(item, inner, all);
    }
    nulls((types_.count(t) - items.size()) * leaves(inner));
}

Id VulkanEmitter::constant_initialiser(const Expr& x, Type t) {
    constexpr std::uint64_t most = 65'000; // A SPIR-V instruction has at most 65,535 words.
    if (!types_.is_array(t)) {
        return Emitter::constant_initialiser(x, t);
    }
    if (leaves(t) > most) {
        refuse(x.token, "an array of " + std::to_string(leaves(t)) +
                            " elements cannot be initialized in SPIR-V; at most " + std::to_string(most) +
                            " can");
    }
    Words all;
    const auto items = tree_.items(x.list);
    for (const ExprId item : items) {
        constant_leaves(item, types_.element(t), all);
    }
    all.resize(leaves(t), null(type(innermost(t))));
    return module_->constant(Opcode::constant_composite, type(t, x.token), all);
}

Id VulkanEmitter::constant_pointer(ExprId id, Type t) {
    const Expr& e = expr(id);
    if (e.kind == ExprKind::convert && e.conversion == Conversion::from_null) {
        return null(type(t, e.token));
    }
    std::uint64_t offset = 0;
    const Reference object = *reference(constant_object(id, offset));
    return integer(TypeKind::ulong, *module_->integer(numbered(keep(object), e.token)) + offset);
}

/// The type of a kernel's parameter in a block. A struct is an array of integers of its size.
Id VulkanEmitter::block_type(Type t, std::uint32_t token) {
    const Shape s = types_.is_record(t) ? Shape{block_unit(t), 1} : shape(t);
    const auto stored = [&](TypeKind kind) {
        if (opencl_c::size_of(kind) < 4) {
            module_->require(opencl_c::size_of(kind) == 1 ? Capability::storage_push_constant8
                                                          : Capability::storage_push_constant16);
        }
        return number_type(kind);
    };
    if (types_.is_pointer(t)) {
        return number_type(TypeKind::ulong);
    }
    if (!types_.is_record(t) && s.lanes <= 4) {
        static_cast<void>(stored(s.kind));
        return type(t, token);
    }
    const std::uint32_t step = opencl_c::size_of(s.kind);
    const Id made =
        module_->new_array(stored(s.kind), u32(static_cast<std::uint32_t>(types_.size(t) / step)));
    module_->decorate(made, Decoration::array_stride, {step});
    return made;
}

TypeKind VulkanEmitter::block_unit(Type record) const {
    return unsigned_of(std::min<std::uint64_t>(types_.align(record), 4));
}

} // namespace ferry::emit_spirv::vulkan
