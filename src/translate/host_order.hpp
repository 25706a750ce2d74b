// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "statements.hpp"

#include <string_view>
#include <unordered_map>

namespace ferry::translate {

/// What the names of a kernel are, as far as they are memory. What is in different memories does not meet.
class MemoryNames {
public:
    MemoryNames(const Syntax& syntax, const FunctionSyntax& kernel);
    /// A variable of the work-item's own that is in memory, where pointers may meet it.
    void add_object(std::string_view name);
    /// Where the elements of an array or pointer are that holds no pointers itself; Space::none if that is
    /// not known.
    Space space(std::string_view name) const;
    /// How many indices lead to such an element: 1 for pointers; 0 of an object.
    std::size_t dimensions(std::string_view name) const;
    /// Whether the name alone, without an index, reads or writes memory.
    bool is_object(std::string_view name) const;

private:
    struct Object {
        Space space = Space::none;
        std::size_t dimensions = 0;
        bool plain = false; ///< is_object()
    };
    void declare(const Syntax& syntax, const Declaration& d, const Declarator& one);
    void add(std::string_view name, Object object);
    const Object* find(std::string_view name) const;
    std::unordered_map<std::string_view, Object> objects_;
};

/// Whether the turns of a loop over this range may be run side by side by a compiler that is told they are
/// independent. It takes that for what the turn itself does, too: it moves a turn's loads before its stores
/// and the parts of a struct that it stores to the last of them. So no load may follow a store, nor may a
/// store to elsewhere come between two that belong together.
bool may_reorder_memory(const Syntax& syntax, Range range, const MemoryNames& names);

} // namespace ferry::translate
