// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/buffer.hpp>
#include <ferry/event.hpp>
#include <ferry/export.hpp>
#include <ferry/queue.hpp>
#include <ferry/share.hpp>
#include <ferry/standard.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

// Data larger than a device's memory, a chunk at a time:
//
//     ferry::for_each_chunk(device, data, ferry::Access::device_updates, {.chunk_bytes = 64 << 20},
//                           [&](ferry::Queue& queue, ferry::View<float> chunk, std::size_t first) {
//                               queue.launch(scale, ferry::Grid::covering(chunk.size(), 256), chunk,
//                               n(chunk));
//                           });

namespace ferry {

struct StreamOptions {
    /// Bytes of one chunk, rounded down to whole elements; the last one may be smaller. At least one element.
    std::size_t chunk_bytes = std::size_t{32} << 20;
    /// Chunks that are on the device at once, 1 to 64: one is copied up while one is worked on and one is
    /// copied down. The device memory used is slots x chunk_bytes.
    std::size_t slots = 3;
    /// Called on the calling thread with the number of elements that are done, after each chunk and in order.
    std::function<void(std::size_t done, std::size_t total)> progress = {};
};

namespace detail {

/// The caller's memory that goes through a device.
struct StreamData {
    const void* data = nullptr;
    std::size_t count = 0;
    std::size_t element = 0;
    bool written = false; ///< what the device has made of it comes back
};
/// Elements of a chunk. Throws Error (invalid_argument) for options and memory that cannot be.
FERRY_API std::size_t check_stream(const StreamOptions& options, const StreamData& data,
                                   SourceLocation where);

/// One chunk's place on the device, with a queue of its own.
template <class T>
struct StreamSlot {
    Queue queue;
    Buffer<T> buffer;
    std::optional<Event> done;
    std::size_t end = 0; ///< elements of the data up to which the chunk in it goes
};

} // namespace detail

/// Runs `work(queue, chunk, first)` for each chunk of `data` in order: `chunk` is a View of device memory
/// that holds the chunk's elements, `first` the place of the first of them in `data`, and what `work`
/// enqueues on `queue` is all that may use them. The chunk goes up before (unless the device only writes) and
/// comes back behind it (unless it only reads), overlapping the work on other chunks: each slot has a queue
/// of its own, so commands of different chunks may run at once.
///
/// Page-locked memory (a Buffer of MemoryKind::host, an Imported) goes straight; ordinary memory through the
/// library's slots. Device memory is bounded by StreamOptions, whatever the size of the data.
///
/// Blocks until everything is done. Throws Error: invalid_argument (chunk_bytes smaller than an element;
/// slots that are not 1 to 64; a null pointer; pages that are not mapped, not readable, past the end of a
/// mapped file, or not writable although the device writes), out_of_memory, the error of a command that
/// failed, and what `work` or `progress` throws; chunks in flight are finished first. Empty data is a no-op.
template <std::ranges::contiguous_range R, class Work>
    requires std::ranges::sized_range<R> && Element<detail::range_element_t<R>>
void for_each_chunk(const Device& device, R&& data,
                    std::type_identity_t<detail::AccessFor<detail::range_element_t<R>>> access,
                    const StreamOptions& options, Work&& work,
                    SourceLocation where = SourceLocation::current()) {
    using T = detail::range_element_t<R>;
    using V = std::remove_const_t<T>;
    const std::span<T> all{std::ranges::data(data), std::ranges::size(data)};
    const bool written = access.value != Access::device_reads;
    const std::size_t step =
        detail::check_stream(options, {all.data(), all.size(), sizeof(T), written}, where);
    if (all.empty()) {
        return;
    }
    const std::size_t chunks = (all.size() - 1) / step + 1;
    std::vector<detail::StreamSlot<V>> slots;
    slots.reserve(options.slots < chunks ? options.slots : chunks);
    while (slots.size() < slots.capacity()) {
        slots.push_back({Queue(device, {.timing = false}, where),
                         Buffer<V>(device, step < all.size() ? step : all.size(), MemoryKind::device, where),
                         {},
                         0});
    }
    const auto finish = [&](detail::StreamSlot<V>& slot) {
        if (slot.done) {
            slot.done->wait(where);
            slot.done.reset();
            if (options.progress) {
                options.progress(slot.end, all.size());
            }
        }
    };
    for (std::size_t i = 0; i < chunks; ++i) {
        detail::StreamSlot<V>& slot = slots[i % slots.size()];
        finish(slot); // its last chunk: in order, and the bound on what is in flight
        const std::size_t first = i * step;
        const std::size_t count = step < all.size() - first ? step : all.size() - first;
        const View<V> chunk = slot.buffer.first(count, where);
        if (access.value != Access::device_writes) {
            slot.queue.copy(all.subspan(first, count), chunk, where);
        }
        work(slot.queue, View<T>(chunk), first);
        if constexpr (!std::is_const_v<T>) {
            if (written) {
                slot.queue.copy(chunk, all.subspan(first, count), where);
            }
        }
        slot.done = slot.queue.record(where);
        slot.end = first + count;
        slot.queue.flush(where);
    }
    for (std::size_t i = chunks; i < chunks + slots.size(); ++i) {
        finish(slots[i % slots.size()]);
    }
}

} // namespace ferry
