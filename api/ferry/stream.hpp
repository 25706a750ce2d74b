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

// Processes data larger than a device's memory, one chunk at a time:
//
//     ferry::for_each_chunk(device, data, ferry::Access::device_updates, {.chunk_bytes = 64 << 20},
//                           [&](ferry::Queue& queue, ferry::View<float> chunk, std::size_t first) {
//                               queue.launch(scale, ferry::Grid::covering(chunk.size(), 256), chunk,
//                                            n(chunk));
//                           });

namespace ferry {

struct StreamOptions {
    /// Bytes of one chunk, rounded down to whole elements, at least one element. The last chunk may be
    /// smaller. Default: 32 MiB.
    std::size_t chunk_bytes = std::size_t{32} << 20;
    /// Number of chunks on the device at one time, 1 to 64. Default: 3, so that one chunk is copied to the
    /// device while one is processed and one is copied back. The device memory used is slots x chunk_bytes.
    std::size_t slots = 3;
    /// Called on the calling thread after each chunk, in order, with the number of elements that are done.
    std::function<void(std::size_t done, std::size_t total)> progress = {};
};

namespace detail {

/// Memory of the caller that is streamed through a device.
struct StreamData {
    const void* data = nullptr;
    std::size_t count = 0;
    std::size_t element = 0;
    bool written = false; ///< True if results are copied back.
};
/// Returns the number of elements of a chunk. Throws Error (invalid_argument) for invalid options or memory.
FERRY_API std::size_t check_stream(const StreamOptions& options, const StreamData& data,
                                   SourceLocation where);

/// The device memory of one chunk, with its own queue.
template <class T>
struct StreamSlot {
    Queue queue;
    Buffer<T> buffer;
    std::optional<Event> done;
    std::size_t end = 0; ///< Index in the data of the element after the chunk in this slot.
};

} // namespace detail

/// Runs `work(queue, chunk, first)` for each chunk of `data`, in order. `chunk` is a View of device memory
/// with the elements of the chunk. `first` is the index of its first element in `data`. Only commands that
/// `work` enqueues on `queue` may use the chunk.
///
/// The chunk is copied to the device before the work, unless the device only writes. It is copied back after
/// the work, unless the device only reads. These copies overlap with the work on other chunks. Each slot has
/// its own queue, so commands of different chunks may run concurrently.
///
/// Page-locked memory (a Buffer of MemoryKind::host, an Imported) is copied directly; pageable memory is
/// copied through the library's slots. StreamOptions limits the device memory, whatever the size of the data.
///
/// Blocks until everything is done. Empty data is a no-op. Chunks in progress are finished before an error is
/// thrown. Throws Error:
///
/// - invalid_argument: chunk_bytes is smaller than an element; slots is not 1 to 64; a null pointer.
/// - invalid_argument: pages that are not mapped, not readable, past the end of a mapped file, or not
///   writable although the device writes.
/// - out_of_memory.
/// - the error of a command that failed, and every exception of `work` or `progress`.
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
        finish(slot); // Waits for the slot's previous chunk. This keeps the order and limits the chunks in
                      // progress.
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
