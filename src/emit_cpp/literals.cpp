// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>

// Constants in C++, with the exact type that the tree gives them.
namespace ferry::emit_cpp {
void Emitter::literal(const Expr& e) {
    const TypeKind kind = types_.integer_kind(e.type);
    if (e.kind == ExprKind::integer) {
        integer(e.constant, kind);
    } else {
        floating(std::bit_cast<double>(e.constant), types_.kind(e.type));
    }
}

void Emitter::integer(std::uint64_t bits, TypeKind kind) {
    const auto value = static_cast<std::int64_t>(bits);
    switch (kind) {
    case TypeKind::bool_:
        return put(bits != 0 ? "true" : "false");
    case TypeKind::int_:
        return put(value == INT32_MIN ? "(-0x7fffffff - 1)" : std::to_string(value));
    case TypeKind::uint:
        return put(std::to_string(static_cast<std::uint32_t>(bits)), "u");
    case TypeKind::long_:
        return put(value == INT64_MIN ? "(-0x7fffffffffffffffl - 1)" : std::to_string(value) + "l");
    case TypeKind::ulong:
        return put(std::to_string(bits), "ul");
    default:
        put(opencl_c::name_of(kind), "(", std::to_string(value), ")");
    }
}

void Emitter::floating(double value, TypeKind kind) {
    if (kind == TypeKind::half) {
        return put("half{", std::to_string(opencl_c::half_bits(value)), "}");
    }
    const bool is_double = kind == TypeKind::double_;
    if (!std::isfinite(value)) {
        const bool nan = std::isnan(value);
        const std::string_view name = nan ? "fy_nan" : is_double ? "fy_infinity_double" : "fy_infinity";
        words_.insert(std::string(name));
        return put(std::signbit(value) && !nan ? "(-" : "(", is_double && nan ? "double(fy_nan)" : name, ")");
    }
    std::array<char, 64> digits{};
    const std::to_chars_result result =
        is_double ? std::to_chars(digits.data(), digits.data() + digits.size(), value)
                  : std::to_chars(digits.data(), digits.data() + digits.size(), static_cast<float>(value));
    std::string text(digits.data(), result.ptr);
    if (text.find_first_of(".e") == std::string::npos) {
        text += ".0";
    }
    put(text, is_double ? "" : "f");
}

void Emitter::string(std::string_view text) {
    std::string made = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\' || c == '?' || byte < 32 || byte > 126) {
            std::array<char, 5> octal{};
            std::snprintf(octal.data(), octal.size(), "\\%03o", static_cast<unsigned>(byte));
            made += octal.data();
        } else {
            made += c;
        }
    }
    put(made, "\"");
}

} // namespace ferry::emit_cpp
