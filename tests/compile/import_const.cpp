// SPDX-License-Identifier: Apache-2.0
// Compiles without FERRY_WRONG, but not with any of its values. Const memory cannot be imported for writing,
// and memory imported as const cannot be written.
#include <ferry/import.hpp>
#include <ferry/queue.hpp>

#include <span>
#include <type_traits>

enum Wrong { nothing, adopted, copied, filled };
#ifndef FERRY_WRONG
#define FERRY_WRONG nothing
#endif

template <Wrong wrong, class T>
void import_it(ferry::Queue& queue, std::span<T> span, ferry::Buffer<int>& buffer) {
    const ferry::Imported<T> imported(queue.device(), span);
    queue.copy(imported, buffer);
    if constexpr (wrong == adopted) {
        const ferry::Imported<std::remove_const_t<T>> writable(queue.device(), span);
    } else if constexpr (wrong == copied) {
        queue.copy(buffer, imported);
    } else if constexpr (wrong == filled) {
        queue.fill(imported.view(), 1);
    }
}
template void import_it<FERRY_WRONG, const int>(ferry::Queue&, std::span<const int>, ferry::Buffer<int>&);
