// SPDX-License-Identifier: Apache-2.0
#include "vulkan_emitter.hpp"

#include <algorithm>
#include <utility>

// The launch of a kernel, as vulkan_interface.hpp describes it.
namespace ferry::emit_spirv::vulkan {

/// The block of a kernel's parameters.
struct VulkanEmitter::Block {
    struct Member {
        VarId variable = 0;
        std::uint32_t offset = 0;
    };
    std::vector<Member> members;
    std::uint32_t size = 0; ///< In bytes.
};

VulkanEmitter::Block VulkanEmitter::block_of(const Function& f) {
    Block made;
    for (const VarId id : f.parameters) {
        const Type t = tree_.variables[id].type;
        if (types_.is_pointer(t) && types_.element(t).space() == Space::local) {
            continue;
        }
        static_cast<void>(type(t, tree_.variables[id].token)); // Refuses images.
        const auto align = static_cast<std::uint32_t>(types_.align(t));
        made.size = (made.size + align - 1) / align * align;
        made.members.push_back({id, made.size});
        made.size += static_cast<std::uint32_t>(types_.size(t));
    }
    return made;
}

void VulkanEmitter::declare_group_size() {
    std::array<std::uint32_t, 3> size{1, 1, 1};
    bool differs = false;
    bool first = true;
    for (const Function& f : tree_.functions) {
        if (f.kernel && f.body != 0) {
            const auto own =
                f.required_local[0] != 0 ? f.required_local : std::array<std::uint32_t, 3>{1, 1, 1};
            differs = differs || (!first && own != size);
            size = own;
            first = false;
        }
    }
    const Id word = number_type(TypeKind::uint);
    for (std::uint32_t d = 0; d < 3; ++d) {
        group_size_[d] = module_->spec_constant(Opcode::spec_constant, word, {differs ? 1 : size[d]});
        module_->decorate(group_size_[d], Decoration::spec_id, {group_size_spec_id + d});
    }
    const Id all = module_->spec_constant(Opcode::spec_constant_composite, number_type(TypeKind::uint, 3),
                                          Words(group_size_.begin(), group_size_.end()));
    module_->decorate(all, Decoration::built_in, {static_cast<std::uint32_t>(BuiltIn::workgroup_size)});
}

void VulkanEmitter::kernel_parameters(const Function& f) {
    const Block block = block_of(f);
    const std::uint32_t launch_at = (block.size + 7) / 8 * 8;
    const bool prints = this->prints();
    const bool indirect = launch_at + (prints ? printing_launch_bytes : launch_bytes) > push_constant_bytes;
    Words types;
    for (const Block::Member& m : block.members) {
        types.push_back(block_type(tree_.variables[m.variable].type, tree_.variables[m.variable].token));
    }
    const auto place_members = [&](Id record) {
        for (std::uint32_t i = 0; i < block.members.size(); ++i) {
            module_->decorate_member(record, i, Decoration::offset, {block.members[i].offset});
            module_->member_name(record, i, tree_.variables[block.members[i].variable].name);
        }
    };
    const Id launch = launch_type(prints);
    Words members = types;
    if (indirect) {
        const Id arguments = module_->new_struct(types);
        module_->decorate(arguments, Decoration::block);
        module_->name(arguments, arguments_name);
        place_members(arguments);
        members = {pointer_type(StorageClass::physical_storage_buffer, arguments)};
    }
    members.push_back(launch);
    const Id whole_block = module_->new_struct(members);
    module_->decorate(whole_block, Decoration::block);
    launch_index_ = static_cast<std::uint32_t>(members.size()) - 1;
    module_->decorate_member(whole_block, launch_index_, Decoration::offset, {indirect ? 8 : launch_at});
    if (indirect) {
        module_->decorate_member(whole_block, 0, Decoration::offset, {0});
    } else {
        place_members(whole_block);
    }
    constexpr StorageClass storage = StorageClass::push_constant;
    launch_root_ = module_->variable(pointer_type(storage, whole_block), storage);
    Id address = 0;
    if (indirect && !block.members.empty()) {
        const Id pointer = make(Opcode::load, members[0], {block_pointer(members[0], {u32(0)})});
        address = make(Opcode::convert_ptr_to_u, number_type(TypeKind::ulong), {pointer});
    }
    for (std::uint32_t i = 0; i < block.members.size(); ++i) {
        const Variable& v = tree_.variables[block.members[i].variable];
        Place p;
        p.type = v.type;
        p.align = static_cast<std::uint32_t>(std::max<std::uint64_t>(types_.align(v.type), 1));
        p.value = indirect ? read(advanced(address, integer(TypeKind::ulong, 1), block.members[i].offset),
                                  v.type, p.align, false)
                           : read_member(i, v.type);
        body_.places[block.members[i].variable] = p;
    }
    for (std::uint32_t i = 0; i < f.parameters.size(); ++i) {
        const Variable& v = tree_.variables[f.parameters[i]];
        if (types_.is_pointer(v.type) && types_.element(v.type).space() == Space::local) {
            Place p;
            p.type = v.type;
            p.value = local_parameter(i, f.parameters[i]);
            body_.places[f.parameters[i]] = p;
        }
    }
}

/// Whether the current kernel calls printf, or a function that does.
bool VulkanEmitter::prints() const {
    return std::any_of(reached_.begin(), reached_.end(), [&](FunctionId id) {
        const auto& used = tree_.functions[id].builtins;
        return std::find(used.begin(), used.end(), "printf") != used.end();
    });
}

Id VulkanEmitter::launch_type(bool prints) {
    Id& made = launch_types_[prints ? 1 : 0];
    if (made == 0) {
        Words members(launch_offset, number_type(TypeKind::uint));
        members.resize(prints ? launch_print_buffer + 1 : launch_print_buffer, number_type(TypeKind::ulong));
        made = module_->new_struct(members);
        module_->name(made, prints ? printing_launch_name : launch_name);
        for (std::uint32_t i = 0; i < members.size(); ++i) {
            module_->decorate_member(made, i, Decoration::offset,
                                     {i < launch_offset ? 4 * i : 32 + 8 * (i - launch_offset)});
        }
    }
    return made;
}

/// The array in local memory of parameter `position`. Its length is a specialisation constant.
Id VulkanEmitter::local_parameter(std::uint32_t position, VarId id) {
    const Variable& v = tree_.variables[id];
    Type element = types_.element(v.type);
    if (types_.is_void(element)) {
        element = Types::basic(TypeKind::uint);
    }
    const bool numbered = findings_.numbered.contains(id);
    if ((has_union(element) || numbered) && !findings_.flat.contains(id)) {
        findings_.flat[id] = smallest(element);
    }
    const auto flat = findings_.flat.find(id);
    const bool is_flat = flat != findings_.flat.end();
    const Type leaf = is_flat ? Types::basic(flat->second) : innermost(element);
    const Id word = number_type(TypeKind::uint);
    const Id bytes = module_->spec_constant(Opcode::spec_constant, word,
                                            {static_cast<std::uint32_t>(types_.size(element))});
    module_->decorate(bytes, Decoration::spec_id, {local_bytes_spec_id + position});
    const auto size = static_cast<std::uint32_t>(types_.size(leaf));
    const auto operation = [&](Opcode opcode, Id a, std::uint32_t b) {
        return module_->spec_constant(Opcode::spec_constant_op, word,
                                      {static_cast<std::uint32_t>(opcode), a, u32(b)});
    };
    // Rounded up: the constant may be that of another kernel with a smaller element, and no array has 0
    // elements.
    const Id count =
        size == 1 ? bytes : operation(Opcode::u_div, operation(Opcode::i_add, bytes, size - 1), size);
    const Id array = module_->type(Opcode::type_array, {type(leaf, v.token), count});
    constexpr StorageClass storage = StorageClass::workgroup;
    Reference r;
    r.root = module_->variable(pointer_type(storage, array), storage);
    module_->name(r.root, v.name);
    r.storage = storage;
    r.variable = id;
    r.leaf = leaf.plain();
    r.array = true;
    r.count = 0;
    r.index = is_flat ? 0 : u32(0);
    r.bytes = is_flat ? u32(0) : 0;
    const Id made = keep(std::move(r));
    if (numbered) {
        numbered_[id] = made;
    }
    return made;
}

Id VulkanEmitter::block_pointer(Id type, const Words& chain) {
    body_.inputs.insert(launch_root_);
    Words operands{launch_root_};
    operands.insert(operands.end(), chain.begin(), chain.end());
    return Emitter::make(Opcode::access_chain, pointer_type(StorageClass::push_constant, type), operands);
}

/// The value of a parameter in the push constants.
Id VulkanEmitter::read_member(std::uint32_t member, Type t) {
    const bool record = types_.is_record(t);
    const Shape s = record                 ? Shape{block_unit(t), 1}
                    : types_.is_pointer(t) ? Shape{TypeKind::ulong, 1}
                                           : shape(t);
    if (!record && s.lanes <= 4) {
        const Id own = number_type(s.kind, s.lanes);
        return make(Opcode::load, own, {block_pointer(own, {u32(member)})});
    }
    const Id unit = number_type(s.kind);
    const std::uint32_t step = opencl_c::size_of(s.kind);
    const auto element = [&](std::uint64_t i) {
        return make(Opcode::load, unit,
                    {block_pointer(unit, {u32(member), u32(static_cast<std::uint32_t>(i))})});
    };
    if (!record) {
        Words lanes;
        for (std::uint32_t i = 0; i < s.lanes; ++i) {
            lanes.push_back(element(i));
        }
        return assembled(s, lanes);
    }
    return gather(t, 0, [&](Shape part, std::uint64_t at) {
        const std::uint32_t size = opencl_c::size_of(part.kind);
        Words lanes;
        for (std::uint32_t lane = 0; lane < part.lanes; ++lane, at += size) {
            if (size < step) { // Takes some bits of one element.
                const Id shifted = make(Opcode::shift_right_logical, unit,
                                        {element(at / step), integer(s.kind, 8 * (at % step))});
                const Id bits = make(Opcode::u_convert, number_type(unsigned_of(size)), {shifted});
                lanes.push_back(number_of(bits, part.kind));
                continue;
            }
            Words pieces;
            for (std::uint32_t k = 0; k < size; k += step) {
                pieces.push_back(element((at + k) / step));
            }
            lanes.push_back(joined(pieces, s.kind, part.kind));
        }
        return assembled(part, lanes);
    });
}

/// A number of the launch.
Id VulkanEmitter::launch_member(std::uint32_t member) {
    launched_ = true;
    const Id t = number_type(member < launch_offset ? TypeKind::uint : TypeKind::ulong);
    return make(Opcode::load, t, {block_pointer(t, {u32(launch_index_), u32(member)})});
}

/// A component of a built-in variable.
Id VulkanEmitter::input_word(BuiltIn number, std::uint32_t dimension) {
    const Id word = number_type(TypeKind::uint);
    const Id all = input(number, number_type(TypeKind::uint, 3));
    return make(Opcode::composite_extract, word, {all, dimension});
}

Id VulkanEmitter::never() {
    if (in_library_ || !target_.doubles_ends) {
        return 0;
    }
    const Id groups = input_word(BuiltIn::num_workgroups, 0);
    return comparison(opencl_c::Op::equal, TypeKind::uint, 1, groups, u32(0));
}

/// One of three numbers. `beyond` is the result for other dimensions.
Id VulkanEmitter::by_dimension(const Expr& e, const Words& arguments, std::uint64_t beyond,
                               const std::function<Id(std::uint32_t)>& one) {
    if (const auto known = folded(tree_.items(e.list)[0])) {
        return (*known)[0] < 3 ? one(static_cast<std::uint32_t>((*known)[0]))
                               : integer(TypeKind::ulong, beyond);
    }
    Id chosen = integer(TypeKind::ulong, beyond);
    for (std::uint32_t d = 0; d < 3; ++d) {
        const Id is_this = make(Opcode::i_equal, bool_type(), {arguments[0], u32(d)});
        chosen = make(Opcode::select, number_type(TypeKind::ulong), {is_this, one(d), chosen});
    }
    return chosen;
}

Id VulkanEmitter::work_item_of_launch(const Expr& e, const Words& arguments) {
    const std::string_view name = name_of(e);
    const Id wide = number_type(TypeKind::ulong);
    const auto widened = [&](Id word) { return make(Opcode::u_convert, wide, {word}); };
    const auto group = [&](std::uint32_t d) {
        const Id sum = make(Opcode::i_add, number_type(TypeKind::uint),
                            {input_word(BuiltIn::workgroup_id, d), launch_member(launch_group_base + d)});
        return widened(sum);
    };
    const auto size = [&](std::uint32_t d) { return widened(group_size_[d]); };
    if (name == "get_work_dim") {
        return launch_member(launch_dimensions);
    }
    if (name == "get_global_id") {
        return by_dimension(e, arguments, 0, [&](std::uint32_t d) {
            const Id first = make(Opcode::i_mul, wide, {group(d), size(d)});
            const Id within = widened(input_word(BuiltIn::local_invocation_id, d));
            const Id sum = make(Opcode::i_add, wide, {first, within});
            return make(Opcode::i_add, wide, {sum, launch_member(launch_offset + d)});
        });
    }
    if (name == "get_group_id") {
        return by_dimension(e, arguments, 0, group);
    }
    if (name == "get_local_id") {
        return by_dimension(e, arguments, 0, [&](std::uint32_t d) {
            return widened(input_word(BuiltIn::local_invocation_id, d));
        });
    }
    if (name == "get_local_size") {
        return by_dimension(e, arguments, 1, size);
    }
    if (name == "get_num_groups") {
        return by_dimension(e, arguments, 1,
                            [&](std::uint32_t d) { return widened(launch_member(launch_groups + d)); });
    }
    if (name == "get_global_size") {
        return by_dimension(e, arguments, 1, [&](std::uint32_t d) {
            return make(Opcode::i_mul, wide, {widened(launch_member(launch_groups + d)), size(d)});
        });
    }
    if (name == "get_global_offset") {
        return by_dimension(e, arguments, 0,
                            [&](std::uint32_t d) { return launch_member(launch_offset + d); });
    }
    return subgroup(e, arguments);
}

} // namespace ferry::emit_spirv::vulkan
