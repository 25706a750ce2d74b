// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

// Constants, and initial values of objects in constant memory.
namespace ferry::emit_spirv {
namespace {

constexpr std::size_t most_constituents = 65'000; // A SPIR-V instruction has at most 65,535 words.

} // namespace

Id Emitter::integer(TypeKind kind, std::uint64_t value, unsigned lanes) {
    return number(kind, value, lanes);
}

Id Emitter::real(TypeKind kind, double value, unsigned lanes) {
    return number(kind, std::bit_cast<std::uint64_t>(value), lanes);
}

Id Emitter::number(TypeKind kind, std::uint64_t bits, unsigned lanes) {
    if (lanes > 1) {
        return composite({kind, lanes}, Lanes(lanes, bits));
    }
    const Id t = number_type(kind);
    const unsigned width = 8 * opencl_c::size_of(kind);
    if (kind == TypeKind::half || kind == TypeKind::float_) {
        const double value = std::bit_cast<double>(bits);
        return module_->constant(Opcode::constant, t,
                                 {kind == TypeKind::half
                                      ? opencl_c::half_bits(value)
                                      : std::bit_cast<std::uint32_t>(static_cast<float>(value))});
    }
    if (width < 32) { // The high bits of a small unsigned number are zero.
        bits &= (std::uint64_t{1} << width) - 1;
    }
    Words words{static_cast<std::uint32_t>(bits)};
    if (width == 64) {
        words.push_back(static_cast<std::uint32_t>(bits >> 32));
    }
    return module_->constant(Opcode::constant, t, words);
}

Id Emitter::composite(Shape s, const Lanes& lanes) {
    if (s.lanes == 1) {
        return number(s.kind, lanes[0]);
    }
    Words parts;
    for (const std::uint64_t one : lanes) {
        parts.push_back(number(s.kind, one));
    }
    return module_->constant(Opcode::constant_composite, number_type(s.kind, s.lanes), parts);
}

Id Emitter::null(Id type) {
    return module_->constant(Opcode::constant_null, type);
}

/// Emits the constant of an initializer. `t` is the type of the object.
Id Emitter::constant(ExprId e, Type t) {
    const Id made_type = type(t, e == 0 ? 0 : expr(e).token);
    if (e == 0) {
        return null(made_type);
    }
    const Expr& x = expr(e);
    if (x.kind == ExprKind::initialiser) {
        return constant_initialiser(x, t);
    }
    if (x.kind == ExprKind::string && types_.is_array(t)) {
        return constant_string(tree_.strings[x.index], types_.count(t), x.token);
    }
    if (x.kind == ExprKind::convert && x.conversion == Conversion::load) {
        const Expr& from = expr(x.a);
        const bool fixed = from.type.is_const() || from.type.space() == Space::constant;
        const bool names = from.kind == ExprKind::variable && fixed;
        const ExprId initial =
            names || from.kind == ExprKind::compound_literal ? tree_.variables[from.index].initial : 0;
        if (initial != 0) {
            return constant(initial, t);
        }
    }
    if (types_.is_pointer(t)) {
        return constant_pointer(e, t);
    }
    const auto lanes = folded(e);
    if (!lanes) {
        refuse(x.token, "this initializer is not a constant that can be computed for SPIR-V");
    }
    return composite(shape(t), cast(*lanes, shape(x.type), shape(t)));
}

Id Emitter::constant_initialiser(const Expr& x, Type t) {
    const auto items = tree_.items(x.list);
    Words parts;
    const Id made_type = type(t, x.token);
    if (types_.is_array(t)) {
        const std::uint64_t count = types_.count(t);
        if (count > most_constituents) {
            refuse(x.token, "an array of " + std::to_string(count) +
                                " elements cannot be initialized in SPIR-V; at most " +
                                std::to_string(most_constituents) + " can");
        }
        for (std::uint64_t i = 0; i < count; ++i) {
            parts.push_back(constant(i < items.size() ? items[i] : 0, types_.element(t)));
        }
        return module_->constant(Opcode::constant_composite, made_type, parts);
    }
    const Record& record = types_.record(t);
    if (record.is_union) {
        return constant_union(x, t);
    }
    const Layout& known = layout(t, x.token);
    std::uint64_t end = 0;
    const auto gap = [&](std::uint64_t bytes, bool is_member) {
        if (is_member && bytes != 0) {
            parts.push_back(null(array_type(number_type(TypeKind::uchar), bytes)));
        }
    };
    for (std::size_t i = 0; i < record.members.size(); ++i) {
        const opencl_c::Member& m = record.members[i];
        gap(m.offset - end, known.fields[i] > parts.size());
        if (types_.size(m.type) != 0) {
            parts.push_back(constant(i < items.size() ? items[i] : 0, m.type));
        }
        end = m.offset + types_.size(m.type);
    }
    gap(record.size - end, known.align == 1 && record.align != 1);
    return module_->constant(Opcode::constant_composite, made_type, parts);
}

/// Writes the bytes of an initializer for an object of type `t` at offset `at`. Other bytes must be zero.
void Emitter::constant_bytes(ExprId id, Type t, std::uint64_t at, std::vector<std::uint8_t>& bytes) {
    if (id == 0) {
        return;
    }
    const Expr& x = expr(id);
    const auto items = tree_.items(x.list);
    if (x.kind == ExprKind::initialiser) {
        const bool array = types_.is_array(t);
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (array) {
                const Type inner = types_.element(t);
                constant_bytes(items[i], inner, at + i * types_.size(inner), bytes);
            } else {
                const Record& record = types_.record(t);
                const opencl_c::Member& m = record.members[record.is_union ? x.index : i];
                constant_bytes(items[i], m.type, at + m.offset, bytes);
            }
        }
        return;
    }
    if (x.kind == ExprKind::string && types_.is_array(t)) {
        const std::string& text = tree_.strings[x.index];
        std::copy_n(text.begin(), std::min<std::uint64_t>(text.size(), types_.count(t)),
                    bytes.begin() + static_cast<std::ptrdiff_t>(at));
        return;
    }
    const auto lanes = folded(id);
    if (!lanes) {
        refuse(x.token, "this part of a union is not a constant that can be computed for SPIR-V");
    }
    const Shape s = shape(t);
    for (std::uint64_t one : cast(*lanes, shape(x.type), s)) {
        if (s.kind == TypeKind::half) {
            one = opencl_c::half_bits(std::bit_cast<double>(one));
        } else if (s.kind == TypeKind::float_) {
            one = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(one)));
        }
        for (unsigned k = 0; k < opencl_c::size_of(s.kind); ++k, one >>= 8) {
            bytes[at++] = static_cast<std::uint8_t>(one);
        }
    }
}

Id Emitter::constant_union(const Expr& x, Type t) {
    const Id made_type = type(t, x.token);
    const auto items = tree_.items(x.list);
    if (items.empty() || items[0] == 0) {
        return null(made_type);
    }
    std::vector<std::uint8_t> bytes(types_.size(t));
    const opencl_c::Member& m = types_.record(t).members[x.index];
    constant_bytes(items[0], m.type, m.offset, bytes);
    const Shape unit = union_unit(types_.record(t));
    const unsigned size = opencl_c::size_of(unit.kind);
    Words parts;
    for (std::size_t at = 0; at < bytes.size();) {
        Lanes lanes;
        for (unsigned lane = 0; lane < unit.lanes; ++lane, at += size) {
            std::uint64_t value = 0;
            for (unsigned k = 0; k < size; ++k) {
                value |= static_cast<std::uint64_t>(bytes[at + k]) << (8 * k);
            }
            lanes.push_back(value);
        }
        parts.push_back(composite(unit, lanes));
    }
    const Id array = array_type(number_type(unit.kind, unit.lanes), parts.size());
    return module_->constant(Opcode::constant_composite, made_type,
                             {module_->constant(Opcode::constant_composite, array, parts)});
}

Id Emitter::constant_string(std::string_view text, std::uint64_t count, std::uint32_t token) {
    if (count > most_constituents) {
        refuse(token, "an array of " + std::to_string(count) +
                          " characters cannot be initialized in SPIR-V; at most " +
                          std::to_string(most_constituents) + " can");
    }
    Words parts;
    for (std::uint64_t i = 0; i < count; ++i) {
        parts.push_back(integer(TypeKind::char_, i < text.size() ? static_cast<unsigned char>(text[i]) : 0));
    }
    return module_->constant(Opcode::constant_composite, array_type(number_type(TypeKind::char_), count),
                             parts);
}

} // namespace ferry::emit_spirv
