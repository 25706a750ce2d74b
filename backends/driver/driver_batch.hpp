// SPDX-License-Identifier: Apache-2.0
#pragma once

// Part of driver_queue.hpp: batches of copies.

#include "driver/driver_capture.hpp"
#include "driver/driver_helpers.hpp"
#include "driver/driver_queue.hpp"

namespace ferry::driver {

/// One launch carries out many copies: the list is the kernel's parameter, so it needs no memory of its own,
/// and the device reads and writes page-locked host memory over the bus as fast as its copy engine does. The
/// vendor's calls cost two microseconds and more for each copy. The caller's own host memory may not be
/// reached by the device: sources of it are captured, if they are small. What is large gains nothing and goes
/// one by one, and so does what ends in the caller's memory.
template <class V>
void Queue<V>::copy_batch(std::span<const backend::BatchCopy> copies) {
    using H = Helpers<V>;
    const auto suits = [](const backend::BatchCopy& one) {
        return one.to.memory != nullptr &&
               one.bytes <= (one.from.memory != nullptr ? H::largest_copy : Capture<V>::largest);
    };
    const auto count = static_cast<std::size_t>(std::count_if(copies.begin(), copies.end(), suits));
    const bool at_once = count > 1 && device_->helpers().available(count >= H::worth_copying);
    typename H::Copies list; // NOLINT: filled as far as used
    std::size_t listed = 0;
    const auto launch = [&] {
        if (listed != 0) {
            const Guard<V> guard(*api_, context_);
            device_->helpers().copy(stream_, list, listed);
            listed = 0;
        }
    };
    for (const backend::BatchCopy& one : copies) {
        if (!at_once || !suits(one)) {
            copy_one(one);
            continue;
        }
        const std::uint64_t to = one.to.memory->address + one.to.offset;
        if (one.from.memory != nullptr) {
            list.copy[listed++] = {to, one.from.memory->address + one.from.offset, one.bytes};
        } else if (const auto piece = capture_.take(*device_, stream_, one.bytes, to, launch)) {
            std::memcpy(piece->host, one.host_from, one.bytes);
            list.copy[listed++] = {to, piece->address, one.bytes};
        } else {
            copy_one(one);
        }
        if (listed == H::copies_at_once) {
            launch();
        }
    }
    launch();
}

template <class V>
void Queue<V>::copy_one(const backend::BatchCopy& one) {
    if (one.from.memory == nullptr) {
        write(one.host_from, one.to, one.bytes);
    } else if (one.to.memory == nullptr) {
        read(one.from, one.host_to, one.bytes);
    } else {
        copy(one.from, one.to, one.bytes);
    }
}

} // namespace ferry::driver
