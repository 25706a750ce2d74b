// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/capabilities.hpp>

#include <string>
#include <string_view>

namespace ferry::detail {

/// Converts facts to text, one line for each, and back. take_facts() reads from the front of a text, removes
/// it there, and fills a record of this kind without values. Returns false, without changes, for a text of
/// another form.
std::string to_text(const MemoryCapabilities& facts);
bool take_facts(std::string_view& text, MemoryCapabilities& facts);

} // namespace ferry::detail
