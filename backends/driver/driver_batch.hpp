// SPDX-License-Identifier: Apache-2.0
#pragma once

// Part of driver_queue.hpp: batches of copies.

#include "driver/driver_helpers.hpp"
#include "driver/driver_planned.hpp"
#include "driver/driver_queue.hpp"

namespace ferry::driver {

/// One launch performs many copies. The list is the kernel's parameter, so it needs no separate memory, and
/// the device reads and writes page-locked host memory over the bus as fast as its copy engine does. A vendor
/// call costs two microseconds or more for each copy.
///
/// The device may be unable to reach the caller's own host memory. Small copies go through page-locked
/// memory: sources are captured, and destinations are filled before the call returns. The call waits for
/// this, as the vendors' calls do. Large copies gain nothing by a launch and are enqueued one by one.
template <class V>
void Queue<V>::copy_batch(std::span<const backend::BatchCopy> copies) {
    using H = Helpers<V>;
    const auto suits = [](const backend::BatchCopy& one) {
        const bool both = one.from.memory != nullptr && one.to.memory != nullptr;
        return one.bytes <= (both ? H::largest_copy : Capture<V>::largest);
    };
    const auto count = static_cast<std::size_t>(std::count_if(copies.begin(), copies.end(), suits));
    const bool at_once = count > 1 && device_->helpers().available(count >= H::worth_copying);
    try {
        for (const backend::BatchCopy& one : copies) {
            if (!at_once || !suits(one) || !plan(one)) {
                copy_one(one);
            }
        }
        carry_out_plan();
    } catch (...) {
        planned_.clear();
        const Guard<V> guard(*api_, context_);
        capture_.record_left(*api_, stream());
        throw;
    }
}

/// False if there is no page-locked memory for it.
template <class V>
bool Queue<V>::plan(const backend::BatchCopy& one) {
    const auto address = [](const Place& place) { return place.memory->address + place.offset; };
    if (one.from.memory != nullptr && one.to.memory != nullptr) {
        planned_.add({address(one.to), address(one.from), one.bytes});
        return true;
    }
    const bool up = one.from.memory == nullptr;
    const std::uint64_t device_end = address(up ? one.to : one.from);
    const auto piece = capture_.take(
        *device_, one.bytes, device_end, [this](std::size_t part) { planned_.leave(part); },
        [this] { carry_out_plan(); });
    if (!piece) {
        return false;
    }
    if (up) {
        planned_.sources.push_back({piece->host, one.host_from, one.bytes});
        planned_.add({device_end, piece->address, one.bytes});
    } else {
        planned_.arrivals.push_back({one.host_to, piece->host, one.bytes});
        planned_.add({piece->address, device_end, one.bytes});
    }
    return true;
}

template <class V>
void Queue<V>::carry_out_plan() {
    using H = Helpers<V>;
    auto left = planned_.left.begin();
    const auto record_left = [&](std::size_t launched) {
        for (; left != planned_.left.end() && left->copies <= launched; ++left) {
            capture_.record(left->part, *api_, stream());
        }
    };
    {
        detail::staging::HostCopies sources(planned_.sources);
        typename H::Copies list; // NOLINT: filled as far as used
        for (std::size_t done = 0; done != planned_.copies.size();) {
            const std::size_t count = std::min(planned_.copies.size() - done, H::copies_at_once);
            for (std::size_t i = 0; i < count; ++i) {
                list.copy[i] = planned_.copies[done + i].copy;
            }
            done += count;
            sources.wait_for(planned_.copies[done - 1].sources);
            device_->helpers().copy(commands_, list, count);
            const Guard<V> guard(*api_, context_);
            record_left(done);
        }
    }
    if (left != planned_.left.end()) { // Nothing was launched.
        const Guard<V> guard(*api_, context_);
        record_left(0);
    }
    if (!planned_.arrivals.empty()) {
        call(api_->stream_synchronize, stream());
        detail::staging::HostCopies(planned_.arrivals).wait_for(planned_.arrivals.size());
    }
    planned_.clear();
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
