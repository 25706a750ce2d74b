// SPDX-License-Identifier: Apache-2.0
#pragma once

// Part of driver_queue.hpp: batches of copies.

#include "driver/driver_capture.hpp"
#include "driver/driver_helpers.hpp"
#include "driver/driver_queue.hpp"

namespace ferry::driver {

/// One launch carries out many copies: the list is the kernel's parameter, so it needs no memory of its own,
/// and the device reads and writes page-locked host memory over the bus as fast as its copy engine does. The
/// vendor's calls cost two microseconds and more for each copy.
///
/// The caller's own host memory may not be reached by the device. What is small goes through page-locked
/// memory: sources are captured, destinations are filled before the call returns, for which it waits, as the
/// vendors' calls do. What is large gains nothing by a launch and goes one by one.
template <class V>
void Queue<V>::copy_batch(std::span<const backend::BatchCopy> copies) {
    using H = Helpers<V>;
    const auto suits = [](const backend::BatchCopy& one) {
        const bool both = one.from.memory != nullptr && one.to.memory != nullptr;
        return one.bytes <= (both ? H::largest_copy : Capture<V>::largest);
    };
    const auto count = static_cast<std::size_t>(std::count_if(copies.begin(), copies.end(), suits));
    const bool at_once = count > 1 && device_->helpers().available(count >= H::worth_copying);
    struct Arrival {
        void* to;
        const std::byte* from;
        std::size_t bytes;
    };
    typename H::Copies list;                         // NOLINT: filled as far as used
    std::array<Arrival, H::copies_at_once> arrivals; // NOLINT: the same
    std::size_t listed = 0;
    std::size_t arriving = 0;
    const auto launch = [&] {
        if (listed == 0) {
            return;
        }
        const Guard<V> guard(*api_, context_);
        device_->helpers().copy(stream_, list, std::exchange(listed, 0));
        if (arriving != 0) {
            const std::size_t arrived = std::exchange(arriving, 0);
            api_->call(api_->stream_synchronize, stream_);
            for (std::size_t i = 0; i < arrived; ++i) {
                std::memcpy(arrivals[i].to, arrivals[i].from, arrivals[i].bytes);
            }
        }
    };
    const auto address = [](const Place& place) { return place.memory->address + place.offset; };
    for (const backend::BatchCopy& one : copies) {
        if (!at_once || !suits(one)) {
            copy_one(one);
        } else if (one.from.memory != nullptr && one.to.memory != nullptr) {
            list.copy[listed++] = {address(one.to), address(one.from), one.bytes};
        } else {
            const bool up = one.from.memory == nullptr;
            const std::uint64_t device_end = address(up ? one.to : one.from);
            const auto piece = capture_.take(*device_, stream_, one.bytes, device_end, launch);
            if (!piece) {
                copy_one(one);
            } else if (up) {
                std::memcpy(piece->host, one.host_from, one.bytes);
                list.copy[listed++] = {device_end, piece->address, one.bytes};
            } else {
                list.copy[listed++] = {piece->address, device_end, one.bytes};
                arrivals[arriving++] = {one.host_to, piece->host, one.bytes};
            }
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
