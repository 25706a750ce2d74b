// SPDX-License-Identifier: Apache-2.0
#include "hal/fill_by_copies.hpp"
#include "vulkan_device.hpp"
#include "vulkan_queue.hpp"

#include <algorithm>
#include <cstring>

namespace ferry::vulkan {
namespace {

constexpr std::size_t word = 4;

/// The length after which the pattern repeats: 1, 2, 4 or all of it.
std::size_t period_of(const std::byte* pattern, std::size_t size) noexcept {
    for (std::size_t period = 1; period <= word && period < size; period *= 2) {
        if (size % period == 0 && std::memcmp(pattern, pattern + period, size - period) == 0) {
            return period;
        }
    }
    return size;
}

} // namespace

// vkCmdFillBuffer takes whole words. Bytes before the first and after the last one come from staging memory.
void VulkanQueue::fill_words(const backend::Place& to, std::size_t bytes, const std::byte* repeated) {
    VulkanMemory& memory = memory_of(to);
    const std::uint64_t start = memory.origin() + to.offset;
    const std::size_t head = std::min<std::size_t>((word - start % word) % word, bytes);
    const std::size_t middle = (bytes - head) / word * word;
    const std::size_t tail = bytes - head - middle;
    if (middle != 0) {
        std::byte turned[word];
        for (std::size_t i = 0; i < word; ++i) {
            turned[i] = repeated[(head + i) % word];
        }
        std::uint32_t value = 0;
        std::memcpy(&value, turned, word);
        device_.api().vkCmdFillBuffer.function(stream_.begin_command(), memory.buffer(), start + head, middle,
                                               value);
    }
    const auto edge = [&](std::size_t offset, std::size_t count) {
        std::byte ends[word];
        for (std::size_t i = 0; i < count; ++i) {
            ends[i] = repeated[(offset + i) % word];
        }
        write_staged(ends, {to.memory, to.offset + offset}, count);
    };
    if (head != 0) {
        edge(0, head);
    }
    if (tail != 0) {
        edge(head + middle, tail);
    }
}

// The pattern comes from staging memory, several times, and the filled part is copied after itself.
void VulkanQueue::fill_long(const backend::Place& to, std::size_t bytes, const std::byte* pattern,
                            std::size_t size) {
    constexpr std::size_t enough = 4096;
    const std::size_t first = std::min(bytes, std::max(enough / size, std::size_t{1}) * size);
    const Piece piece = stream_.stage(first, first, 16);
    for (std::size_t at = 0; at < first; at += size) {
        std::memcpy(piece.host + at, pattern, size);
    }
    VulkanMemory& memory = memory_of(to);
    copy_ranges(*piece.memory, piece.offset, memory, to.offset, first);
    backend::fill_by_copies(bytes, first, [&](std::size_t done, std::size_t next) {
        copy_ranges(memory, to.offset, memory, to.offset + done, next);
    });
}

void VulkanQueue::fill(backend::Place to, std::size_t bytes, const void* pattern, std::size_t size) {
    const auto* const start = static_cast<const std::byte*>(pattern);
    const std::size_t period = period_of(start, size);
    const std::lock_guard lock(stream_.mutex());
    if (period > word || word % period != 0) {
        fill_long(to, bytes, start, size);
        return;
    }
    std::byte repeated[word];
    for (std::size_t i = 0; i < word; ++i) {
        repeated[i] = start[i % period];
    }
    fill_words(to, bytes, repeated);
}

} // namespace ferry::vulkan
