// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <string_view>
#include <unordered_map>

namespace ferry::translate {

/// Which memory the names of a kernel point to. Those in different memories do not meet.
class MemoryNames {
public:
    MemoryNames(const Syntax& syntax, const FunctionSyntax& kernel);
    /// Space::none if that is not known.
    Space space(std::string_view name) const;

private:
    std::unordered_map<std::string_view, Space> spaces_;
};

/// Whether the turns of a loop over this range may be run side by side by a compiler that is told they are
/// independent. It takes that for what the turn itself does, too: it moves a turn's loads before its stores
/// and the parts of a struct that it stores to the last of them. So no load may follow a store, nor may a
/// store to elsewhere come between two that belong together.
bool may_reorder_memory(const Syntax& syntax, Range range, const MemoryNames& names);

} // namespace ferry::translate
