// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "statements.hpp"

#include <string_view>
#include <unordered_map>

namespace ferry::translate {

/// The memory that a kernel's names refer to. Accesses to different memories do not overlap.
class MemoryNames {
public:
    MemoryNames(const Syntax& syntax, const FunctionSyntax& kernel);
    /// A variable of the work-item that is in memory, where pointers may refer to it.
    void add_object(std::string_view name);
    /// The memory of the elements of an array or pointer, if they are not pointers themselves. Space::none if
    /// that is not known.
    Space space(std::string_view name) const;
    /// Number of indices that select such an element: 1 for pointers, 0 for an object.
    std::size_t dimensions(std::string_view name) const;
    /// Whether the name alone, without an index, accesses memory.
    bool is_object(std::string_view name) const;

private:
    struct Object {
        Space space = Space::none;
        std::size_t dimensions = 0;
        bool plain = false; ///< is_object().
    };
    void declare(const Syntax& syntax, const Declaration& d, const Declarator& one);
    void add(std::string_view name, Object object);
    const Object* find(std::string_view name) const;
    std::unordered_map<std::string_view, Object> objects_;
};

/// Whether the iterations of a loop over this range may run side by side if the compiler is told that they
/// are independent. The compiler applies this within an iteration, too: it moves loads before stores, and
/// combines stores to the parts of a struct at the last of them. Therefore no load may follow a store, and no
/// store to another place may be between two that belong together.
bool may_reorder_memory(const Syntax& syntax, Range range, const MemoryNames& names);

} // namespace ferry::translate
