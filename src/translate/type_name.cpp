// SPDX-License-Identifier: Apache-2.0
#include "translate/type_name.hpp"

#include <algorithm>
#include <array>

namespace ferry::detail {
namespace {

struct Builtin {
    std::string_view name;
    ScalarType scalar;
    std::size_t bytes;
};

constexpr std::array builtins{
    Builtin{"char", ScalarType::i8, 1},
    Builtin{"signed char", ScalarType::i8, 1},
    Builtin{"uchar", ScalarType::u8, 1},
    Builtin{"unsigned char", ScalarType::u8, 1},
    Builtin{"short", ScalarType::i16, 2},
    Builtin{"ushort", ScalarType::u16, 2},
    Builtin{"unsigned short", ScalarType::u16, 2},
    Builtin{"int", ScalarType::i32, 4},
    Builtin{"uint", ScalarType::u32, 4},
    Builtin{"unsigned int", ScalarType::u32, 4},
    Builtin{"unsigned", ScalarType::u32, 4},
    Builtin{"long", ScalarType::i64, 8},
    Builtin{"ulong", ScalarType::u64, 8},
    Builtin{"unsigned long", ScalarType::u64, 8},
    Builtin{"half", ScalarType::f16, 2},
    Builtin{"float", ScalarType::f32, 4},
    Builtin{"double", ScalarType::f64, 8},
};

} // namespace

NamedType parse_type(std::string_view name) {
    while (!name.empty() && (name.back() == ' ' || name.back() == '*')) {
        name.remove_suffix(1);
    }
    for (const std::string_view qualifier : {"const ", "volatile "}) {
        if (name.substr(0, qualifier.size()) == qualifier) {
            name.remove_prefix(qualifier.size());
        }
    }
    const std::size_t digits = std::min(name.find_first_of("0123456789"), name.size());
    std::size_t width = 1;
    if (digits != name.size()) {
        const std::string_view text = name.substr(digits);
        width = text == "2" ? 2 : text == "3" || text == "4" ? 4 : text == "8" ? 8 : text == "16" ? 16 : 0;
    }
    const auto* found = std::find_if(builtins.begin(), builtins.end(),
                                     [&](const Builtin& b) { return b.name == name.substr(0, digits); });
    if (found == builtins.end() || width == 0) {
        return {};
    }
    return {width == 1 ? found->scalar : ScalarType::other, found->bytes * width, found->scalar};
}

} // namespace ferry::detail
