// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ferry::translate {

/// The text that declares a name of a family too large to list: vector types, convert_, as_, vload and
/// vstore. Empty if it is none of them. What the text names has to stand before it.
std::string generated_declaration(std::string_view name);

} // namespace ferry::translate
