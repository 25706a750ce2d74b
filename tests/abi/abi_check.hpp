// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <type_traits>

// Both checks use the vendor's own types in the symbol table. Then every row must be exactly the vendor's
// declaration. A separate check shows that Ferry's neutral types can replace the vendor's types.

namespace abi {

/// Whether both are passed and returned in the same way: both are pointers, or integers or enumerations of
/// the same size.
template <class Ours, class Theirs>
constexpr bool interchangeable() {
    if constexpr (std::is_pointer_v<Ours> || std::is_pointer_v<Theirs>) {
        return std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>;
    } else {
        return sizeof(Ours) == sizeof(Theirs) && alignof(Ours) >= alignof(Theirs) &&
               (std::is_class_v<Ours> || std::is_integral_v<Ours>)&&std::is_class_v<Ours> ==
                   std::is_class_v<Theirs>;
    }
}

constexpr bool is_required(const char* tier) {
    return tier[0] == 'r' && tier[1] == 'e' && tier[2] == 'q';
}

struct Counts {
    int rows = 0;
    int required = 0;
    int newer_than_header = 0;

    int report(const char* what, int major, int minor) const {
        std::printf(
            "%s: %d rows (%d required) agree with the header of version %d.%d; %d more are newer than it\n",
            what, rows - newer_than_header, required, major, minor, newer_than_header);
        return rows > newer_than_header ? 0 : 1;
    }
};

} // namespace abi
