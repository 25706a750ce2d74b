// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ferry::translate {

/// The text that declares a name of a family too large to list: vector types, convert_, as_, vload and
/// vstore. Empty for other names. All names in the text must be declared before it.
std::string generated_declaration(std::string_view name);

} // namespace ferry::translate
