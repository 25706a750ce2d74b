// SPDX-License-Identifier: Apache-2.0
#include "vulkan_reflection.hpp"

#include "emit_spirv/vulkan_interface.hpp"
#include "vulkan_module.hpp"

#include <algorithm>
#include <limits>

namespace ferry::vulkan {
namespace {

namespace convention = emit_spirv::vulkan;
using Item = Module::Item;
using ItemKind = Module::Kind;

constexpr std::uint32_t storage_workgroup = 4;
constexpr std::uint32_t storage_push_constant = 9;
constexpr std::uint32_t largest_push = 65536;
constexpr std::uint32_t most_block_bytes = 65536;
constexpr std::uint32_t most_parameters = 1024;

class Reflection {
public:
    Reflection(const Module& module, const Module::Entry& entry) : module_(module), entry_(entry) {}

    EntryLayout layout() {
        layout_.name = entry_.name;
        const std::vector<std::uint32_t> used = variables();
        const Item* push = nullptr;
        for (const std::uint32_t id : used) {
            const Item& variable = module_.item(id);
            if (variable.storage == storage_push_constant) {
                if (push != nullptr) {
                    refuse("may use several blocks of push constants; compile the module for SPIR-V 1.4 or "
                           "later, "
                           "or one kernel for each module");
                }
                push = &variable;
            } else if (variable.storage == storage_workgroup) {
                read_local(variable);
            }
        }
        if (push != nullptr) {
            read_push_constants(pointee(*push));
        }
        std::sort(layout_.locals.begin(), layout_.locals.end());
        layout_.locals.erase(std::unique(layout_.locals.begin(), layout_.locals.end()), layout_.locals.end());
        check_parameters();
        read_group_size();
        return std::move(layout_);
    }

private:
    [[noreturn]] void refuse(const std::string& why) const {
        refuse_module("its kernel '" + entry_.name + "' " + why);
    }

    /// The variables of the entry point.
    std::vector<std::uint32_t> variables() const {
        std::vector<std::uint32_t> ids;
        if (module_.lists_all()) {
            std::copy_if(entry_.interface.begin(), entry_.interface.end(), std::back_inserter(ids),
                         [&](std::uint32_t id) { return module_.item(id).kind == ItemKind::variable; });
            return ids;
        }
        for (const auto& [id, item] : module_.items()) {
            if (item.kind == ItemKind::variable) {
                ids.push_back(id);
            }
        }
        return ids;
    }

    /// The id of the type of a variable's contents.
    std::uint32_t pointee(const Item& variable) const {
        const Item& pointer = module_.item(variable.type);
        if (pointer.kind != ItemKind::pointer) {
            refuse("has a variable whose type is no pointer");
        }
        return pointer.type;
    }

    std::uint32_t narrow(std::uint64_t value, std::uint32_t most, const char* what) const {
        if (value > most) {
            refuse("has " + std::to_string(value) + " bytes of " + what + ", and at most " +
                   std::to_string(most) + " are possible");
        }
        return static_cast<std::uint32_t>(value);
    }

    void read_push_constants(std::uint32_t id) {
        const Item& block = structure(id, "push constants");
        // Vulkan takes whole words.
        layout_.push_bytes = narrow((module_.bytes_of(id) + 3) / 4 * 4, largest_push, "push constants");
        std::size_t count = block.parts.size();
        const std::string last = count != 0 ? module_.item(block.parts[count - 1]).name : std::string();
        layout_.prints = last == convention::printing_launch_name;
        if (layout_.prints || last == convention::launch_name) {
            --count;
            layout_.launch_offset = offset_of(block, count);
            const std::uint32_t needs =
                layout_.prints ? convention::printing_launch_bytes : convention::launch_bytes;
            if (layout_.push_bytes - std::min(layout_.push_bytes, *layout_.launch_offset) < needs) {
                refuse("has a struct " + last + " that is shorter than " + std::to_string(needs) + " bytes");
            }
        }
        if (count != 0) {
            const Item& first = module_.item(block.parts[0]);
            if (first.kind == ItemKind::pointer &&
                module_.item(first.type).name == convention::arguments_name) {
                layout_.has_block = true;
                layout_.block_bytes = narrow(module_.bytes_of(first.type), most_block_bytes, "arguments");
                const Item& arguments = structure(first.type, "ferry_arguments");
                read_members(arguments, arguments.parts.size(), layout_.block_bytes);
                return;
            }
        }
        read_members(block, count, layout_.push_bytes);
    }

    const Item& structure(std::uint32_t id, const char* what) const {
        const Item& block = module_.item(id);
        if (block.kind != ItemKind::structure) {
            refuse(std::string("has ") + what + " that are no struct");
        }
        return block;
    }

    static std::uint32_t offset_of(const Item& block, std::size_t member) {
        return member < block.offsets.size() ? block.offsets[member] : 0;
    }

    void read_members(const Item& block, std::size_t count, std::uint32_t limit) {
        for (std::size_t i = 0; i < count; ++i) {
            const Item& type = module_.item(block.parts[i]);
            MemberLayout member;
            member.name = i < block.names.size() ? block.names[i] : "";
            member.offset = offset_of(block, i);
            member.bytes = narrow(module_.bytes_of(block.parts[i]), limit, "a parameter");
            member.pointer = type.kind == ItemKind::pointer;
            member.may_point = member.pointer || (type.kind == ItemKind::integer && type.value == 64);
            if (member.offset > limit || member.bytes > limit - member.offset) {
                refuse("has a parameter at byte " + std::to_string(member.offset) + " of " +
                       std::to_string(member.bytes) + " bytes, outside the " + std::to_string(limit) +
                       " bytes of its block");
            }
            layout_.members.push_back(std::move(member));
        }
    }

    /// The SpecId that the length of an array depends on.
    std::optional<std::uint32_t> spec_id_of(std::uint32_t id, unsigned depth = 0) const {
        const Item& constant = module_.item(id);
        if (constant.kind == ItemKind::spec_constant) {
            return constant.spec_id;
        }
        if (constant.kind == ItemKind::spec_operation && !constant.parts.empty() && depth < 8) {
            return spec_id_of(constant.parts[0], depth + 1);
        }
        return std::nullopt;
    }

    void read_local(const Item& variable) {
        const std::uint32_t id = pointee(variable);
        const Item& type = module_.item(id);
        if (type.kind == ItemKind::array) {
            const auto spec = spec_id_of(type.length);
            if (spec && *spec >= convention::local_bytes_spec_id) {
                layout_.locals.push_back(*spec - convention::local_bytes_spec_id);
                return;
            }
        }
        layout_.local_bytes += module_.bytes_of(id);
    }

    void check_parameters() const {
        const std::size_t count = layout_.members.size() + layout_.locals.size();
        if (count > most_parameters) {
            refuse("has " + std::to_string(count) + " parameters, and at most " +
                   std::to_string(most_parameters) + " are possible");
        }
        if (!layout_.locals.empty() && layout_.locals.back() >= count) {
            refuse("has local memory for parameter " + std::to_string(layout_.locals.back()) + " (SpecId " +
                   std::to_string(layout_.locals.back() + convention::local_bytes_spec_id) + "), but only " +
                   std::to_string(count) + " parameters");
        }
    }

    void read_group_size() {
        bool specialised = false;
        for (const auto& [id, item] : module_.items()) {
            if (item.is_group_size && item.kind == ItemKind::composite) {
                for (std::size_t i = 0; i < std::min<std::size_t>(item.parts.size(), 3); ++i) {
                    specialised = specialised || module_.item(item.parts[i]).kind == ItemKind::spec_constant;
                }
            }
        }
        if (!specialised) {
            layout_.fixed_group = entry_.local_size;
        }
    }

    const Module& module_;
    const Module::Entry& entry_;
    EntryLayout layout_;
};

} // namespace

std::vector<EntryLayout> reflect(std::span<const std::uint32_t> words) {
    return reflect(Module(words));
}

std::vector<EntryLayout> reflect(const Module& module) {
    if (module.entries().empty()) {
        refuse_module("it has no entry point for compute (GLCompute)");
    }
    std::vector<EntryLayout> result;
    for (const Module::Entry& entry : module.entries()) {
        result.push_back(Reflection(module, entry).layout());
    }
    return result;
}

} // namespace ferry::vulkan
