// SPDX-License-Identifier: Apache-2.0
#include "vulkan_emitter.hpp"

#include <utility>

// Pointers as numbers. The address of a place in a variable has a mark in its highest byte, which no device
// address has, the variable's id below it, and the offset in bytes in its low half.
namespace ferry::emit_spirv::vulkan {
namespace {

constexpr std::uint64_t mark = 0xfe000000; ///< Of the high half.

} // namespace

/// Makes a pointer variable hold numbers in the next attempt.
void VulkanEmitter::keep_number(VarId pointer) {
    findings_.kept.insert(pointer);
    throw Restart{};
}

Id VulkanEmitter::number_of_place(const Reference& r) {
    Id at = r.bytes != 0 ? r.bytes : r.array ? times(r.index, types_.size(r.leaf)) : u32(0);
    for (const Link& link : r.chain) {
        at = plus(at,
                  link.is_index ? times(link.id, link.bytes) : u32(static_cast<std::uint32_t>(link.bytes)));
    }
    const std::uint64_t high = (mark | r.root) << 32;
    if (const auto known = module_->integer(at)) {
        return integer(TypeKind::ulong, high | *known);
    }
    const Id wide = make(Opcode::u_convert, number_type(TypeKind::ulong), {at});
    return make(Opcode::bitwise_or, number_type(TypeKind::ulong), {wide, integer(TypeKind::ulong, high)});
}

/// A pointer as a number that may be kept in memory.
Id VulkanEmitter::numbered(Id pointer, std::uint32_t token) {
    const Reference* const r = reference(pointer);
    if (r == nullptr) {
        return pointer;
    }
    if (r->variable == 0) {
        refuse(token,
               "a pointer to an unnamed object that is kept in a variable has no form in Vulkan's SPIR-V");
    }
    if (findings_.numbered.insert(r->variable).second) {
        throw Restart{};
    }
    return number_of_place(*r);
}

/// The variable at module scope whose address is a number.
Id VulkanEmitter::numbered_root(VarId id, Id type) {
    const auto [at, is_new] = numbered_.emplace(id, 0);
    if (is_new) {
        at->second = module_->variable(pointer_type(StorageClass::private_, type), StorageClass::private_);
    }
    return at->second;
}

bool VulkanEmitter::is_candidate(VarId id, StorageClass storage) const {
    const Variable& v = tree_.variables[id];
    const bool parameter = types_.is_pointer(v.type) && v.parameter && numbered_.contains(id) &&
                           reference(numbered_.at(id)) != nullptr;
    const Space space = parameter ? Space::local : v.type.space();
    return storage_of(space) == storage && (v.function == 0 || reached_.contains(v.function));
}

/// A reference to the begin of a variable whose address is a number.
Id VulkanEmitter::candidate(VarId id) {
    const Variable& v = tree_.variables[id];
    if (v.type.space() != Space::private_) {
        return global_place(id).pointer;
    }
    const auto known = numbered_.find(id);
    if (known != numbered_.end() && reference(known->second) != nullptr) {
        return known->second;
    }
    if (!findings_.flat.contains(id)) {
        findings_.flat[id] = smallest(v.type);
    }
    const Id root = numbered_root(id, flat_type(v.type, findings_.flat.at(id)));
    return keep(whole(root, StorageClass::private_, id, v.type));
}

/// Applies a function to a pointer, after a test which variable a number refers to. `result` is the type of
/// the function's value, or 0.
Id VulkanEmitter::at_object(Id pointer, StorageClass storage, Id result,
                            const std::function<Id(Id)>& action) {
    if (reference(pointer) != nullptr || storage == StorageClass::cross_workgroup) {
        return action(pointer);
    }
    launched_ = true; // The variables to test are those of this kernel.
    std::vector<VarId> all;
    for (const VarId id : findings_.numbered) {
        if (is_candidate(id, storage)) {
            all.push_back(id);
        }
    }
    constexpr std::size_t most = 256;
    if (all.size() > most) {
        refuse(0, "a pointer that may refer to " + std::to_string(all.size()) +
                      " variables has no form in Vulkan's SPIR-V; the limit is " + std::to_string(most) +
                      " variables");
    }
    const Id word = number_type(TypeKind::uint);
    Id high = 0;
    Id low = 0;
    if (!all.empty()) {
        const Id wide = number_type(TypeKind::ulong);
        const Id top = make(Opcode::shift_right_logical, wide, {pointer, integer(TypeKind::ulong, 32)});
        high = make(Opcode::u_convert, word, {top});
        low = make(Opcode::u_convert, word, {pointer});
    }
    const std::function<Id(std::size_t)> from = [&](std::size_t i) -> Id {
        if (i == all.size()) { // Only a pointer to constant memory may be the address of a buffer.
            if (storage == StorageClass::uniform_constant) {
                return action(pointer);
            }
            return result == 0 ? 0 : make(Opcode::undef, result, {});
        }
        Reference r = *reference(candidate(all[i]));
        const Id is_this =
            make(Opcode::i_equal, bool_type(), {high, u32(static_cast<std::uint32_t>(mark | r.root))});
        r.bytes = low;
        const Id place = keep(std::move(r));
        return choose(
            result, is_this, [&] { return action(place); }, [&] { return from(i + 1); });
    };
    return from(0);
}

} // namespace ferry::emit_spirv::vulkan
