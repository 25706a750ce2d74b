// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate/annotations.hpp"

#include <span>
#include <string_view>

namespace ferry::opencl_c {

/// The row with this name of a pragma or an attribute. Null if there is none.
inline const translate::Annotation* find_annotation(std::span<const translate::Annotation> rows,
                                                    std::string_view name) {
    for (const translate::Annotation& row : rows) {
        for (std::size_t at = row.names.find(name); at != std::string_view::npos;
             at = row.names.find(name, at + 1)) {
            const std::size_t end = at + name.size();
            const bool begins = at == 0 || (at >= 2 && row.names.substr(at - 2, 2) == ", ");
            if (begins && (end == row.names.size() || row.names[end] == ',')) {
                return &row;
            }
        }
    }
    return nullptr;
}

} // namespace ferry::opencl_c
