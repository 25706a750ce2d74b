// SPDX-License-Identifier: Apache-2.0
// The alignment of elements and values must not exceed that of the memory that can contain them.
#include <ferry/ferry.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

template <std::size_t Alignment>
struct alignas(Alignment) Aligned {
    int value;
};
using Most = Aligned<64>;
using More = Aligned<128>;

enum class Wrong { none, buffer, view, shared, argument };
#ifndef FERRY_WRONG
#define FERRY_WRONG none
#endif

template <Wrong Which, Wrong This>
using Element = std::conditional_t<Which == This, More, Most>;

template <Wrong W>
void use(ferry::Queue& queue, const ferry::Kernel& kernel) {
    const ferry::Buffer<Element<W, Wrong::buffer>> buffer{queue.device(), 3};
    const ferry::View<const Element<W, Wrong::view>> view;
    std::vector<Element<W, Wrong::shared>> memory(3);
    const auto shared = ferry::share(queue.device(), memory, ferry::Access::device_reads);
    queue.launch(kernel, {1, 1}, buffer, view, Element<W, Wrong::argument>{1});
    queue.launch(kernel, {1, 1}, shared);
}
template void use<Wrong::FERRY_WRONG>(ferry::Queue&, const ferry::Kernel&);
