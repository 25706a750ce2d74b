// SPDX-License-Identifier: Apache-2.0
#pragma once

// Part of driver_queue.hpp: fills.

#include "driver/driver_queue.hpp"
#include "hal/fill_by_copies.hpp"

namespace ferry::driver {

/// The vendor's fill of `count` elements of 1, 2 or 4 bytes. The address is a multiple of that size, and so
/// is the start of each imported page.
template <class V>
void Queue<V>::set(std::uint64_t address, const void* pattern, std::size_t size, std::size_t count) {
    const Pointer pointer = V::to_pointer(address);
    const std::size_t bytes = size * count;
    if (size == 1) {
        commands_.submit(bytes, api_->fill_1, pointer, load<std::uint8_t>(pattern), count);
    } else if (size == 2) {
        commands_.submit(bytes, api_->fill_2, pointer, load<std::uint16_t>(pattern), count);
    } else {
        commands_.submit(bytes, api_->fill_4, pointer, load<typename V::Word>(pattern), count);
    }
}

template <class V>
void Queue<V>::fill(Place to, std::size_t bytes, const void* pattern, std::size_t size) {
    const auto* const values = static_cast<const std::byte*>(pattern);
    const std::uint64_t address = to.memory->address + to.offset;
    const bool fills_short_ranges = api_->version >= V::fills_short_ranges;
    if (memory_of<V>(to).is_unregistered() || (!fills_short_ranges && bytes < (0 - address) % 8)) {
        fill_without_vendor(to, bytes, pattern, size);
        return;
    }
    // The shortest equivalent pattern: the vendor's fill handles zeros of a struct of any size.
    for (std::size_t length = 1; length <= 4 && length <= size; length *= 2) {
        if (size % length == 0 && address % length == 0 &&
            std::equal(values + length, values + size, values)) {
            const std::size_t wide = length == 4 || address % 4 != 0 || bytes % 4 != 0 ? length : 4;
            std::array<std::byte, 4> word{};
            for (std::size_t i = 0; i < wide; ++i) {
                word[i] = values[i % length];
            }
            copy_in_runs(to, to, bytes, [&](std::size_t at, std::size_t run) {
                set(address + at, word.data(), wide, run / wide);
            });
            return;
        }
    }
    Helpers<V>& helpers = device_->helpers();
    if (size <= Helpers<V>::largest_pattern && helpers.available(bytes >= Helpers<V>::worth_filling)) {
        helpers.fill(commands_, address, bytes, pattern, size);
    } else if (fills_short_ranges) {
        fill_with_copies(to, bytes, pattern, size);
    } else {
        fill_without_vendor(to, bytes, pattern, size);
    }
}

// HIP's fills reject memory that the runtime does not know (ihipMemset in its hip_memory.cpp), although
// kernels can access it. Its copies accept it.
template <class V>
void Queue<V>::fill_without_vendor(const Place& to, std::size_t bytes, const void* pattern,
                                   std::size_t size) {
    const auto* const values = static_cast<const std::byte*>(pattern);
    const std::uint64_t address = to.memory->address + to.offset;
    if (Helpers<V>& helpers = device_->helpers(); helpers.available(true)) {
        const std::size_t largest = Helpers<V>::largest_pattern;
        if (size <= largest) {
            helpers.fill(commands_, address, bytes, pattern, size);
            return;
        }
        for (std::size_t at = 0; at < size; at += largest) {
            const std::size_t part = std::min(largest, size - at);
            helpers.fill(commands_, address + at, part, values + at, part);
        }
    } else {
        copy_any(V::to_pointer(reinterpret_cast<std::uintptr_t>(pattern)), V::to_pointer(address), size);
        // Only the vendors' copies between two host addresses are done when they return.
        call(api_->stream_synchronize, stream());
    }
    backend::fill_by_copies(bytes, size, [&](std::size_t at, std::size_t next) {
        copy_any(V::to_pointer(address), V::to_pointer(address + at), next);
    });
}

template <class V>
void Queue<V>::fill_with_copies(const Place& to, std::size_t bytes, const void* pattern, std::size_t size) {
    const auto* const values = static_cast<const std::byte*>(pattern);
    const std::uint64_t address = to.memory->address + to.offset;
    for (std::size_t at = 0; at < size;) {
        const std::size_t step = (address + at) % 4 == 0 && size - at >= 4 ? 4 : 1;
        set(address + at, values + at, step, 1);
        at += step;
    }
    const bool device_memory = is_device_memory(to);
    backend::fill_by_copies(bytes, size, [&](std::size_t at, std::size_t next) {
        if (device_memory) {
            commands_.submit(next, api_->copy, V::to_pointer(address + at), V::to_pointer(address), next);
        } else {
            copy_in_runs(to, after(to, at), next, [&](std::size_t done, std::size_t run) {
                copy_any(V::to_pointer(address + done), V::to_pointer(address + at + done), run);
            });
        }
    });
}

} // namespace ferry::driver
