// SPDX-License-Identifier: Apache-2.0
#include "vulkan_prints.hpp"

#include "system/no_cancellation.hpp"
#include "vulkan_device.hpp"
#include "vulkan_memory.hpp"
#include "vulkan_stream.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>
#include <utility>

namespace ferry::vulkan {
namespace {

using emit_spirv::PrintHeader;
constexpr std::size_t print_capacity = (Prints::buffer_bytes - sizeof(PrintHeader)) / sizeof(std::uint32_t);

/// Makes a buffer empty whose first words are in use.
void make_empty(const VulkanMemory& buffer, std::size_t used) noexcept {
    std::memset(buffer.mapped(), 0, sizeof(PrintHeader) + used * sizeof(std::uint32_t));
    PrintHeader header;
    header.capacity = print_capacity;
    std::memcpy(buffer.mapped(), &header, sizeof header);
}

/// The messages of a buffer, which becomes empty.
std::string take_messages(const Prints::Launch& launch) {
    PrintHeader header;
    std::memcpy(&header, launch.buffer->mapped(), sizeof header);
    std::vector<std::uint32_t> words(std::min<std::size_t>(header.used, print_capacity));
    std::memcpy(words.data(), launch.buffer->mapped() + sizeof header, words.size() * sizeof(std::uint32_t));
    make_empty(*launch.buffer, words.size());
    std::string text;
    for (std::span<const std::uint32_t> rest = words; !rest.empty();) {
        text += launch.texts->take(rest);
    }
    if (header.lost != 0) {
        text += "Ferry: the buffer of " + std::to_string(Prints::buffer_bytes) +
                " bytes for printf was full in a launch of kernel '" + launch.kernel +
                "'. Lost messages: " + std::to_string(header.lost) + "\n";
    }
    return text;
}

} // namespace

Prints::Prints(VulkanDevice& device) : device_(device) {}

Prints::~Prints() = default;

std::unique_ptr<VulkanMemory> Prints::lease() {
    const std::lock_guard lock(mutex_);
    pending_.reserve(pending_.size() + 1);
    free_.reserve(free_.size() + pending_.size() + 1);
    if (free_.empty()) {
        std::unique_ptr<VulkanMemory> made = allocate_staging(device_, buffer_bytes);
        make_empty(*made, print_capacity);
        return made;
    }
    std::unique_ptr<VulkanMemory> buffer = std::move(free_.back());
    free_.pop_back();
    return buffer;
}

void Prints::add(Launch launch) noexcept {
    const std::lock_guard lock(mutex_);
    pending_.push_back(std::move(launch));
    count_.store(pending_.size(), std::memory_order_release);
}

void Prints::drain() {
    if (count_.load(std::memory_order_acquire) == 0) {
        return;
    }
    const ferry::detail::NoCancellation not_cancelled; // stdout may be a pipe that is full.
    const std::lock_guard lock(mutex_);
    std::exception_ptr failure;
    std::vector<const Stream*> busy;
    for (Launch& launch : pending_) {
        // A stream may advance between two queries, but its order is kept.
        if (std::find(busy.begin(), busy.end(), launch.stream) != busy.end()) {
            continue;
        }
        try {
            if (!launch.stream->reached(launch.value)) {
                busy.push_back(launch.stream);
                continue;
            }
            const std::string text = take_messages(launch);
            std::fwrite(text.data(), 1, text.size(), stdout);
            std::fflush(stdout); // A child process must not print it again.
        } catch (...) {
            failure = std::current_exception();
            busy.push_back(launch.stream);
            continue;
        }
        free_.push_back(std::move(launch.buffer));
    }
    std::erase_if(pending_, [](const Launch& launch) { return launch.buffer == nullptr; });
    count_.store(pending_.size(), std::memory_order_release);
    if (failure) {
        std::rethrow_exception(failure);
    }
}

std::uint64_t Prints::free_at(const Stream& stream) {
    const std::lock_guard lock(mutex_);
    const auto is_own = [&](const Launch& launch) { return launch.stream == &stream; };
    const auto count = std::count_if(pending_.begin(), pending_.end(), is_own);
    return static_cast<std::size_t>(count) < most_pending
               ? 0
               : std::find_if(pending_.begin(), pending_.end(), is_own)->value;
}

} // namespace ferry::vulkan
