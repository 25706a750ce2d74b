// SPDX-License-Identifier: Apache-2.0
#include "vulkan_module.hpp"

#include "vulkan_reflection.hpp"

#include <ferry/error.hpp>

#include <algorithm>
#include <array>

namespace ferry::vulkan {
namespace {

using Words = std::span<const std::uint32_t>;

// The numbers of SPIR-V's instructions and enumerations.
enum Op : std::uint32_t {
    op_name = 5,
    op_member_name = 6,
    op_string = 7,
    op_memory_model = 14,
    op_entry_point = 15,
    op_execution_mode = 16,
    op_capability = 17,
    op_type_int = 21,
    op_type_float = 22,
    op_type_vector = 23,
    op_type_array = 28,
    op_type_struct = 30,
    op_type_pointer = 32,
    op_constant = 43,
    op_constant_composite = 44,
    op_spec_constant = 50,
    op_spec_constant_composite = 51,
    op_spec_constant_op = 52,
    op_function = 54,
    op_function_end = 56,
    op_variable = 59,
    op_decorate = 71,
    op_member_decorate = 72,
};
constexpr std::uint32_t magic = 0x07230203;
constexpr std::uint32_t model_compute = 5;
constexpr std::uint32_t memory_opencl = 2;
constexpr std::uint32_t mode_local_size = 17;
constexpr std::uint32_t decoration_spec_id = 1;
constexpr std::uint32_t decoration_array_stride = 6;
constexpr std::uint32_t decoration_builtin = 11;
constexpr std::uint32_t decoration_offset = 35;
constexpr std::uint32_t builtin_group_size = 25;
constexpr std::uint32_t most_members = 16383; // SPIR-V's universal limit.
constexpr unsigned most_depth = 64;

/// The fewest operands of each instruction that is read.
std::size_t least_operands(std::uint32_t code) noexcept {
    switch (code) {
    case op_capability:
    case op_type_struct:
        return 1;
    case op_name:
    case op_string:
    case op_memory_model:
    case op_execution_mode:
    case op_type_float:
    case op_constant_composite:
    case op_spec_constant_composite:
    case op_decorate:
        return 2;
    case op_member_name:
    case op_entry_point:
    case op_type_int:
    case op_type_vector:
    case op_type_array:
    case op_type_pointer:
    case op_constant:
    case op_spec_constant:
    case op_spec_constant_op:
    case op_variable:
    case op_member_decorate:
        return 3;
    case op_function:
        return 4;
    default:
        return 0;
    }
}

/// A text of the module, and the number of words that it takes. It ends with a zero byte.
std::string read_text(Words words, std::size_t at, std::size_t& used) {
    std::string text;
    for (used = 0; used < words.size(); ++used) {
        for (unsigned byte = 0; byte < 4; ++byte) {
            const char c = static_cast<char>(words[used] >> 8 * byte & 0xFF);
            if (c == '\0') {
                ++used;
                return text;
            }
            text += c;
        }
    }
    refuse_module("the name in the instruction at word " + std::to_string(at) + " has no end");
}

std::string read_text(Words words, std::size_t at) {
    std::size_t used = 0;
    return read_text(words, at, used);
}

} // namespace

void refuse_module(const std::string& why) {
    throw Error(Code::build_failed, "The SPIR-V module cannot be used: " + why);
}

int spirv_version(Words words) noexcept {
    return words.size() < 5 || words[0] != magic
               ? 0
               : static_cast<int>((words[1] >> 16U & 0xFFU) * 10 + (words[1] >> 8U & 0xFFU));
}

Module::Module(Words words) : version_(spirv_version(words)) {
    if (version_ == 0) {
        refuse_module("it does not begin with the five words of a header and the magic number 0x07230203");
    }
    for (std::size_t at = 5; at < words.size();) {
        const std::size_t length = words[at] >> 16U;
        if (length == 0 || length > words.size() - at) {
            refuse_module("the instruction at word " + std::to_string(at) + " has " + std::to_string(length) +
                          " words, but " + std::to_string(words.size() - at) + " are left");
        }
        read(words.subspan(at, length), at);
        at += length;
    }
    if (in_function_) {
        refuse_module("it ends within a function");
    }
    for (const Entry& entry : entries_) {
        if (!functions_.contains(entry.function)) {
            refuse_module("it has no function for its kernel '" + entry.name + "'");
        }
    }
}

void Module::read(Words instruction, std::size_t at) {
    const std::uint32_t code = instruction[0] & 0xFFFFU;
    const Words operands = instruction.subspan(1);
    if (operands.size() < least_operands(code)) {
        refuse_module("the instruction " + std::to_string(code) + " at word " + std::to_string(at) + " has " +
                      std::to_string(operands.size()) + " operands, and needs at least " +
                      std::to_string(least_operands(code)));
    }
    switch (code) {
    case op_capability:
        capabilities_.push_back(operands[0]);
        break;
    case op_memory_model:
        if (operands[1] == memory_opencl) {
            refuse_module("it is for OpenCL (its memory model is OpenCL); Vulkan takes GLSL450 or Vulkan");
        }
        break;
    case op_entry_point:
        if (operands[0] == model_compute) {
            Entry entry;
            std::size_t used = 0;
            entry.function = operands[1];
            entry.name = read_text(operands.subspan(2), at, used);
            const Words ids = operands.subspan(2 + used);
            entry.interface.assign(ids.begin(), ids.end());
            entries_.push_back(std::move(entry));
        }
        break;
    case op_execution_mode:
        if (operands[1] == mode_local_size && operands.size() >= 5) {
            for (Entry& entry : entries_) {
                if (entry.function == operands[0]) {
                    std::copy_n(operands.begin() + 2, 3, entry.local_size.begin());
                }
            }
        }
        break;
    case op_function:
    case op_function_end:
        if (in_function_ == (code == op_function)) {
            refuse_module("the instruction at word " + std::to_string(at) +
                          (in_function_ ? " begins a function within another one"
                                        : " ends a function, and there is none"));
        }
        in_function_ = code == op_function;
        if (in_function_) {
            functions_.insert(operands[1]);
        }
        break;
    case op_name:
    case op_member_name:
        read_names(code, operands, at);
        break;
    case op_string: {
        const std::string text = read_text(operands.subspan(1), at);
        if (emit_spirv::PrintTexts::is_print_string(text) && !print_texts_.add(text)) {
            refuse_module("the format of printf in the instruction at word " + std::to_string(at) +
                          " is damaged or has the number of another one");
        }
        break;
    }
    case op_decorate:
    case op_member_decorate:
        read_decoration(code, operands, at);
        break;
    default:
        if (least_operands(code) != 0) {
            read_object(code, operands);
        }
    }
}

Module::Item& Module::place_member(std::uint32_t type, std::uint32_t member, std::size_t at) {
    if (member >= most_members) {
        refuse_module("the instruction at word " + std::to_string(at) + " names member " +
                      std::to_string(member) + ", and a structure has at most " +
                      std::to_string(most_members));
    }
    Item& item = items_[type];
    if (item.offsets.size() <= member) {
        constexpr std::size_t most = std::size_t{1} << 20U;
        members_ += member + 1 - item.offsets.size();
        if (members_ > most) {
            refuse_module("it describes more than " + std::to_string(most) + " members of structures");
        }
        item.offsets.resize(member + 1);
        item.names.resize(member + 1);
    }
    return item;
}

void Module::read_names(std::uint32_t code, Words operands, std::size_t at) {
    if (code == op_name) {
        items_[operands[0]].name = read_text(operands.subspan(1), at);
    } else {
        place_member(operands[0], operands[1], at).names[operands[1]] = read_text(operands.subspan(2), at);
    }
}

void Module::read_decoration(std::uint32_t code, Words operands, std::size_t at) {
    if (code == op_member_decorate) {
        if (operands[2] == decoration_offset && operands.size() > 3) {
            place_member(operands[0], operands[1], at).offsets[operands[1]] = operands[3];
        }
        return;
    }
    if (operands.size() < 3) {
        return;
    }
    Item& item = items_[operands[0]];
    if (operands[1] == decoration_spec_id) {
        item.spec_id = operands[2];
    } else if (operands[1] == decoration_array_stride) {
        item.stride = operands[2];
    } else if (operands[1] == decoration_builtin && operands[2] == builtin_group_size) {
        item.is_group_size = true;
    }
}

void Module::read_object(std::uint32_t code, Words operands) {
    const bool is_type = code <= op_type_pointer;
    Item& item = items_[operands[is_type ? 0 : 1]];
    item.type = operands[is_type && operands.size() > 1 ? 1 : 0];
    const auto rest = [&](std::size_t from) {
        item.parts.assign(operands.begin() + static_cast<std::ptrdiff_t>(from), operands.end());
    };
    switch (code) {
    case op_type_int:
    case op_type_float:
        item.kind = code == op_type_int ? Kind::integer : Kind::floating;
        item.value = operands[1];
        break;
    case op_type_vector:
        item.kind = Kind::vector;
        item.value = operands[2];
        break;
    case op_type_array:
        item.kind = Kind::array;
        item.length = operands[2];
        break;
    case op_type_struct:
        item.kind = Kind::structure;
        rest(1);
        break;
    case op_type_pointer:
        item.kind = Kind::pointer;
        item.storage = operands[1];
        item.type = operands[2];
        break;
    case op_constant:
    case op_spec_constant:
        item.kind = code == op_constant ? Kind::constant : Kind::spec_constant;
        item.value = operands[2] | (operands.size() > 3 ? std::uint64_t{operands[3]} << 32U : 0);
        break;
    case op_spec_constant_op:
        item.kind = Kind::spec_operation;
        rest(3);
        break;
    case op_constant_composite:
    case op_spec_constant_composite:
        item.kind = Kind::composite;
        rest(2);
        break;
    case op_variable:
        item.kind = Kind::variable;
        item.storage = operands[2];
        break;
    default:
        break;
    }
}

const Module::Item& Module::item(std::uint32_t id) const {
    const auto found = items_.find(id);
    if (found == items_.end()) {
        refuse_module("it uses the id " + std::to_string(id) + " and does not define it");
    }
    return found->second;
}

std::optional<std::uint64_t> Module::fixed_value(std::uint32_t id) const {
    const Item& constant = item(id);
    return constant.kind == Kind::constant ? std::optional(constant.value) : std::nullopt;
}

std::uint64_t Module::bytes_of(std::uint32_t type, unsigned depth) const {
    constexpr std::uint64_t most = std::uint64_t{1} << 32U;
    const Item& of = item(type);
    if (depth > most_depth) {
        refuse_module("the type with the id " + std::to_string(type) + " is nested more than " +
                      std::to_string(most_depth) + " times");
    }
    constexpr std::uint64_t most_visits = std::uint64_t{1} << 22U;
    if (++visits_ > most_visits) {
        refuse_module("its types contain each other more than " + std::to_string(most_visits) + " times");
    }
    std::uint64_t bytes = 0;
    switch (of.kind) {
    case Kind::integer:
    case Kind::floating:
        bytes = of.value / 8;
        break;
    case Kind::pointer:
        bytes = 8;
        break;
    case Kind::vector:
        bytes = of.value * bytes_of(of.type, depth + 1);
        break;
    case Kind::array: {
        const std::uint64_t stride = of.stride != 0 ? of.stride : bytes_of(of.type, depth + 1);
        const std::uint64_t count = fixed_value(of.length).value_or(0);
        bytes = count <= most / std::max<std::uint64_t>(stride, 1) ? count * stride : most + 1;
        break;
    }
    case Kind::structure:
        for (std::size_t i = 0; i < of.parts.size(); ++i) {
            const std::uint64_t offset = i < of.offsets.size() && of.offsets[i] != 0 ? of.offsets[i] : bytes;
            bytes = std::max(bytes, (i == 0 ? 0 : offset) + bytes_of(of.parts[i], depth + 1));
        }
        break;
    default:
        refuse_module("the id " + std::to_string(type) + " in its interface is no type with a size");
    }
    if (bytes > most) {
        refuse_module("the type with the id " + std::to_string(type) + " has more than " +
                      std::to_string(most) + " bytes");
    }
    return bytes;
}

} // namespace ferry::vulkan
