// SPDX-License-Identifier: Apache-2.0
// A std::vector<bool> has no elements that a read could fill.
#include <ferry/queue.hpp>

#include <memory>
#include <span>

enum Wrong { nothing, buffer, view, box };
#ifndef FERRY_WRONG
#define FERRY_WRONG nothing
#endif

template <Wrong wrong, class T>
void read_it(ferry::Queue& queue, const ferry::Buffer<T>& elements) {
    const auto read = std::make_unique<T[]>(elements.size());
    queue.copy_and_wait(elements, std::span(read.get(), elements.size()));
    if constexpr (wrong == buffer) {
        queue.read(elements);
    } else if constexpr (wrong == view) {
        queue.read(elements.view());
    } else if constexpr (wrong == box) {
        queue.read(ferry::Box(elements, {1, 1, 1}));
    }
}
template void read_it<FERRY_WRONG, bool>(ferry::Queue&, const ferry::Buffer<bool>&);
