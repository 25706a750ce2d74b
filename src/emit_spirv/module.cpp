// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"

namespace ferry::emit_spirv {

void append(Words& to, Opcode opcode, std::span<const std::uint32_t> operands) {
    const auto count = static_cast<std::uint32_t>(operands.size() + 1);
    to.push_back(count << 16 | static_cast<std::uint32_t>(opcode));
    to.insert(to.end(), operands.begin(), operands.end());
}

void append_string(Words& to, std::string_view text) {
    for (std::size_t i = 0; i <= text.size(); i += 4) {
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 4 && i + k < text.size(); ++k) {
            word |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[i + k])) << (8 * k);
        }
        to.push_back(word);
    }
}

Id Module::import(std::string_view name) {
    const auto at = imports_.find(name);
    return at != imports_.end() ? at->second : imports_.emplace(name, fresh()).first->second;
}

Id Module::type(Opcode opcode, const Words& operands) {
    Words key{static_cast<std::uint32_t>(opcode)};
    key.insert(key.end(), operands.begin(), operands.end());
    const auto [at, is_new] = known_.emplace(std::move(key), 0);
    if (is_new) {
        at->second = fresh();
        Words all{at->second};
        all.insert(all.end(), operands.begin(), operands.end());
        append(globals_, opcode, all);
    }
    return at->second;
}

Id Module::type(Opcode opcode, std::initializer_list<std::uint32_t> operands) {
    return type(opcode, Words(operands));
}

Id Module::constant(Opcode opcode, Id type, const Words& operands) {
    Words key{static_cast<std::uint32_t>(opcode), type};
    key.insert(key.end(), operands.begin(), operands.end());
    const auto [at, is_new] = known_.emplace(std::move(key), 0);
    if (is_new) {
        at->second = fresh();
        Words all{type, at->second};
        all.insert(all.end(), operands.begin(), operands.end());
        append(globals_, opcode, all);
        if (opcode == Opcode::constant_null) {
            nulls_.insert(at->second);
        }
        if (opcode == Opcode::constant) {
            const std::uint64_t high = operands.size() > 1 ? operands[1] : 0;
            integers_[at->second] = high << 32 | operands[0];
        }
    }
    return at->second;
}

std::optional<std::uint64_t> Module::integer(Id id) const {
    const auto at = integers_.find(id);
    return at != integers_.end() ? std::optional(at->second) : std::nullopt;
}

Id Module::spec_constant(Opcode opcode, Id type, const Words& operands) {
    const Id id = fresh();
    Words all{type, id};
    all.insert(all.end(), operands.begin(), operands.end());
    append(globals_, opcode, all);
    return id;
}

Id Module::new_struct(const Words& members) {
    const Id id = fresh();
    Words all{id};
    all.insert(all.end(), members.begin(), members.end());
    append(globals_, Opcode::type_struct, all);
    return id;
}

Id Module::new_array(Id element, Id length) {
    const Id id = fresh();
    append(globals_, Opcode::type_array, {id, element, length});
    return id;
}

Id Module::long_vector(Id element, Id length) {
    const auto [at, is_new] = long_vectors_.emplace(std::pair(element, length), 0);
    if (is_new) {
        at->second = new_array(element, length);
    }
    return at->second;
}

Id Module::variable(Id pointer_type, StorageClass storage, Id initial) {
    const Id id = fresh();
    Words all{pointer_type, id, static_cast<std::uint32_t>(storage)};
    if (initial != 0) {
        all.push_back(initial);
    }
    append(globals_, Opcode::variable, all);
    return id;
}

void Module::decorate(Id target, Decoration decoration, std::initializer_list<std::uint32_t> operands) {
    Words all{target, static_cast<std::uint32_t>(decoration)};
    all.insert(all.end(), operands.begin(), operands.end());
    append(decorations_, Opcode::decorate, all);
}

void Module::decorate_member(Id target, std::uint32_t member, Decoration decoration,
                             std::initializer_list<std::uint32_t> operands) {
    Words all{target, member, static_cast<std::uint32_t>(decoration)};
    all.insert(all.end(), operands.begin(), operands.end());
    append(decorations_, Opcode::member_decorate, all);
}

void Module::name(Id target, std::string_view text) {
    Words all{target};
    append_string(all, text);
    append(names_, Opcode::name, all);
}

void Module::string(std::string_view text) {
    Words all{fresh()};
    append_string(all, text);
    append(strings_, Opcode::string, all);
}

void Module::member_name(Id target, std::uint32_t member, std::string_view text) {
    Words all{target, member};
    append_string(all, text);
    append(names_, Opcode::member_name, all);
}

void Module::entry_point(Id function, std::string_view name, const std::set<Id>& interface) {
    Words all{execution_, function};
    append_string(all, name);
    all.insert(all.end(), interface.begin(), interface.end());
    append(entry_points_, Opcode::entry_point, all);
}

void Module::execution_mode(Id function, std::uint32_t mode, std::initializer_list<std::uint32_t> operands) {
    Words all{function, mode};
    all.insert(all.end(), operands.begin(), operands.end());
    append(modes_, Opcode::execution_mode, all);
}

void Module::add_function(const Words& words) {
    functions_.insert(functions_.end(), words.begin(), words.end());
}

Words Module::finish() const {
    constexpr std::uint32_t no_generator = 0;
    Words all{magic_number, 0x00010000U | version_ << 8, no_generator, last_ + 1, 0};
    for (const Capability capability : capabilities_) {
        append(all, Opcode::capability, {static_cast<std::uint32_t>(capability)});
    }
    for (const std::string& extension : extensions_) {
        Words text;
        append_string(text, extension);
        append(all, Opcode::extension, text);
    }
    for (const auto& [name, id] : imports_) {
        Words text{id};
        append_string(text, name);
        append(all, Opcode::ext_inst_import, text);
    }
    append(all, Opcode::memory_model, {addressing_, memory_});
    for (const Words* const section :
         {&entry_points_, &modes_, &strings_, &names_, &decorations_, &globals_, &functions_}) {
        all.insert(all.end(), section->begin(), section->end());
    }
    return all;
}

} // namespace ferry::emit_spirv
