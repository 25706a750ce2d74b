// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <type_traits>

// Both checks have the form: the types of the symbol table are the vendor's own, and every row must then be
// exactly the vendor's declaration. That a neutral type may stand in for the vendor's is checked apart.

namespace abi {

/// Passed and returned alike: both are pointers, or integers or enumerations of one size.
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
