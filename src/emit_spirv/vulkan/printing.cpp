// SPDX-License-Identifier: Apache-2.0
#include "vulkan_emitter.hpp"

#include <string>
#include <utility>

// printf: each call writes a record to the buffer that print_texts.hpp describes.
namespace ferry::emit_spirv::vulkan {

struct VulkanEmitter::Message {
    Words words; ///< Without the number of the format.
    std::vector<PrintText::Value> values;
};

Id VulkanEmitter::print(const Expr& e) {
    const auto arguments = tree_.items(e.list);
    const std::string& whole = tree_.strings[expr(expr(arguments[0]).a).index];
    const std::string format = whole.substr(0, whole.find('\0'));
    Message message;
    std::size_t next = 1;
    for (const translate::PrintPiece& piece : translate::print_pieces(format)) {
        if (piece.letter == '\0' || piece.letter == '%') {
            continue;
        }
        if (!translate::is_conversion(piece)) {
            const auto at = static_cast<std::size_t>(piece.text.data() - format.data());
            refuse(e.token, "the '%' at character " + std::to_string(at + 1) +
                                " of the format of 'printf' begins no conversion of OpenCL C");
        }
        if (next == arguments.size()) {
            refuse(e.token, "the format of 'printf' has more conversions than values (" +
                                std::to_string(arguments.size() - 1) + ")");
        }
        add_printed(message, arguments[next++], piece);
    }
    for (; next < arguments.size(); ++next) {
        effects(arguments[next]);
    }
    token_ = e.token;
    message.words.insert(message.words.begin(),
                         u32(print_text({std::move(message.values), format}, e.token)));
    return write_record(message.words);
}

/// The number of a text in the module.
std::uint32_t VulkanEmitter::print_text(const PrintText& text, std::uint32_t token) {
    constexpr std::size_t most = 262'000; // A SPIR-V instruction has at most 65,535 words.
    const auto number = static_cast<std::uint32_t>(print_texts_.size() + 1);
    const auto [at, is_new] = print_texts_.emplace(print_string(0, text), number);
    if (is_new) {
        const std::string string = print_string(number, text);
        if (string.size() > most) {
            refuse(token, "a text of 'printf' takes " + std::to_string(string.size()) +
                              " bytes in SPIR-V; at most " + std::to_string(most) + " are possible");
        }
        module_->string(string);
    }
    return at->second;
}

/// The number of a constant string's text.
Id VulkanEmitter::printed_string(ExprId id) {
    const Expr& e = expr(id);
    const auto number = [&](std::string_view text) {
        return u32(print_text({{}, std::string(text.substr(0, text.find('\0')))}, e.token));
    };
    if (e.kind == ExprKind::string) {
        return number(tree_.strings[e.index]);
    }
    if (e.kind == ExprKind::convert && e.conversion == Conversion::from_null) {
        return number("(null)");
    }
    if (e.kind == ExprKind::convert) {
        return printed_string(e.a);
    }
    if (e.kind == ExprKind::conditional) {
        return choose(
            number_type(TypeKind::uint), condition(e.a), [&] { return printed_string(e.b); },
            [&] { return printed_string(e.c); });
    }
    if (e.kind == ExprKind::variable && e.type.space() == Space::constant &&
        tree_.variables[e.index].initial != 0) {
        return printed_string(tree_.variables[e.index].initial);
    }
    refuse(e.token, "%s in the format of 'printf' takes a constant string");
}

/// Adds the words of a value.
void VulkanEmitter::add_printed(Message& message, ExprId id, const translate::PrintPiece& conversion) {
    if (conversion.letter == 's') {
        message.words.push_back(printed_string(id));
        message.values.push_back({1, 0});
        return;
    }
    const auto add = [&](Id number, TypeKind kind) {
        const Words words = split(number, kind, TypeKind::uint);
        message.words.insert(message.words.end(), words.begin(), words.end());
    };
    if (types_.is_pointer(type_of(id))) {
        add(address_of(value(id)), TypeKind::ulong);
        message.values.push_back({1, 8});
        return;
    }
    // A float that was promoted to a double is printed as it is, as a device may have no doubles.
    while (expr(id).kind == ExprKind::convert && types_.is(expr(id).type, TypeKind::double_) &&
           types_.is_floating(type_of(expr(id).a))) {
        id = expr(id).a;
    }
    Shape s = shape(type_of(id));
    message.values.push_back({s.lanes, opencl_c::size_of(s.kind) == 8 ? 8U : 4U});
    if (const auto known = folded(id); known && s.kind == TypeKind::double_) {
        for (const std::uint64_t bits : *known) {
            message.words.push_back(u32(static_cast<std::uint32_t>(bits)));
            message.words.push_back(u32(static_cast<std::uint32_t>(bits >> 32U)));
        }
        return;
    }
    Id number = value(id);
    if (opencl_c::size_of(s.kind) < 4) {
        const TypeKind wide = is_floating(s.kind) ? TypeKind::float_
                              : is_signed(s.kind) ? TypeKind::int_
                                                  : TypeKind::uint;
        number = converted(number, s, wide);
        s.kind = wide;
    }
    for (std::uint32_t i = 0; i < s.lanes; ++i) {
        add(lane(number, s, i), s.kind);
    }
}

/// Writes a record if it fits. The result is that of printf: 0, or -1 if the record is lost.
Id VulkanEmitter::write_record(const Words& record) {
    const Id word = number_type(TypeKind::uint);
    const Id size = u32(static_cast<std::uint32_t>(record.size()));
    const Id buffer = launch_member(launch_print_buffer);
    const auto at = [&](Id base, std::uint64_t bytes) {
        return advanced(base, integer(TypeKind::ulong, 1), bytes);
    };
    const auto atomic = [&](Opcode opcode, std::uint64_t field, Words operands) {
        operands.insert(operands.begin(),
                        {physical(at(buffer, field), TypeKind::uint, 1), u32(scope_device), u32(0)});
        return make(opcode, word, operands);
    };
    const Id capacity =
        read_number(at(buffer, offsetof(PrintHeader, capacity)), {TypeKind::uint, 1}, 4, false);
    const auto fits = [&](Id place) {
        return make(Opcode::u_less_than_equal, bool_type(),
                    {make(Opcode::i_add, word, {place, size}), capacity});
    };
    // In a full buffer the count of used words must not grow until it overflows.
    const Id used = atomic(Opcode::atomic_load, offsetof(PrintHeader, used), {});
    const Id place = choose(
        word, fits(used), [&] { return atomic(Opcode::atomic_i_add, offsetof(PrintHeader, used), {size}); },
        [&] { return capacity; });
    return choose(
        word, fits(place),
        [&] {
            const Id index = make(Opcode::u_convert, number_type(TypeKind::ulong), {place});
            const Id first = advanced(at(buffer, sizeof(PrintHeader)), index, sizeof(std::uint32_t));
            for (std::size_t i = 0; i < record.size(); ++i) {
                write_number(at(first, i * sizeof(std::uint32_t)), {TypeKind::uint, 1}, record[i], 4, false);
            }
            return integer(TypeKind::int_, 0);
        },
        [&] {
            atomic(Opcode::atomic_i_add, offsetof(PrintHeader, lost), {u32(1)});
            return integer(TypeKind::int_, 0xFFFFFFFFU);
        });
}

} // namespace ferry::emit_spirv::vulkan
