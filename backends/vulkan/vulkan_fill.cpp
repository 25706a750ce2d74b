// SPDX-License-Identifier: Apache-2.0
#include "hal/fill_by_copies.hpp"
#include "vulkan_commands.hpp"
#include "vulkan_device.hpp"
#include "vulkan_memory.hpp"

#include <algorithm>
#include <array>
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

/// The bytes of a pattern of up to 4 bytes, and the device that they are for.
struct WordFill {
    VulkanDevice& device;
    Commands& to;
    const backend::Place& target;
    std::array<std::byte, word> repeated;

    /// Single bytes come from staging memory.
    void edge(std::size_t offset, std::size_t count) const {
        const Piece piece = to.stage(count, count, 16);
        for (std::size_t i = 0; i < count; ++i) {
            piece.host[i] = repeated[(offset + i) % word];
        }
        add_copy(device, to, piece.place(), {target.memory, target.offset + offset}, count);
    }

    // vkCmdFillBuffer takes whole words.
    void run(std::size_t bytes) const {
        const VulkanMemory& memory = memory_of(target);
        const std::uint64_t start = memory.origin() + target.offset;
        const std::size_t head = std::min<std::size_t>((word - start % word) % word, bytes);
        const std::size_t middle = (bytes - head) / word * word;
        const std::size_t tail = bytes - head - middle;
        if (middle != 0) {
            std::array<std::byte, word> turned{};
            for (std::size_t i = 0; i < word; ++i) {
                turned[i] = repeated[(head + i) % word];
            }
            std::uint32_t value = 0;
            std::memcpy(&value, turned.data(), word);
            device.api().vkCmdFillBuffer.function(to.begin_command({&device.copy_pace(), middle, copy_work}),
                                                  memory.buffer(), start + head, middle, value);
        }
        if (head != 0) {
            edge(0, head);
        }
        if (tail != 0) {
            edge(head + middle, tail);
        }
    }
};

// The pattern comes from staging memory, several times, and the filled part is copied after itself.
void fill_long(VulkanDevice& device, Commands& to, const backend::Place& target, std::size_t bytes,
               const std::byte* pattern, std::size_t size) {
    constexpr std::size_t enough = 4096;
    const std::size_t first = std::min(bytes, std::max(enough / size, std::size_t{1}) * size);
    const Piece piece = to.stage(first, first, 16);
    for (std::size_t at = 0; at < first; at += size) {
        std::memcpy(piece.host + at, pattern, size);
    }
    add_copy(device, to, piece.place(), target, first);
    backend::fill_by_copies(bytes, first, [&](std::size_t done, std::size_t next) {
        add_copy(device, to, target, {target.memory, target.offset + done}, next);
    });
}

} // namespace

void add_fill(VulkanDevice& device, Commands& to, const backend::Place& target, std::size_t bytes,
              const void* pattern, std::size_t size) {
    const auto* const start = static_cast<const std::byte*>(pattern);
    const std::size_t period = period_of(start, size);
    if (period > word || word % period != 0) {
        fill_long(device, to, target, bytes, start, size);
        return;
    }
    WordFill fill{device, to, target, {}};
    for (std::size_t i = 0; i < word; ++i) {
        fill.repeated[i] = start[i % period];
    }
    fill.run(bytes);
}

} // namespace ferry::vulkan
