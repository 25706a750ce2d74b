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
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace ferry::vulkan {
namespace {

using emit_spirv::PrintHeader;
constexpr std::size_t print_capacity = (Prints::buffer_bytes - sizeof(PrintHeader)) / sizeof(std::uint32_t);

/// Clears the header and the first words.
void make_empty(const VulkanMemory& buffer, std::size_t words) noexcept {
    std::memset(buffer.mapped(), 0, sizeof(PrintHeader) + words * sizeof(std::uint32_t));
    PrintHeader header;
    header.capacity = print_capacity;
    std::memcpy(buffer.mapped(), &header, sizeof header);
}

PrintHeader header_of(const VulkanMemory& buffer) noexcept {
    PrintHeader header;
    std::memcpy(&header, buffer.mapped(), sizeof header);
    return header;
}

std::size_t used_words(const VulkanMemory& buffer) noexcept {
    return std::min<std::size_t>(header_of(buffer).used, print_capacity);
}

std::string messages(const Prints::Launch& launch) {
    std::vector<std::uint32_t> words(used_words(*launch.buffer));
    std::memcpy(words.data(), launch.buffer->mapped() + sizeof(PrintHeader),
                words.size() * sizeof(std::uint32_t));
    std::string text;
    for (std::span<const std::uint32_t> rest = words; !rest.empty();) {
        text += launch.texts->take(rest);
    }
    if (const std::uint32_t lost = header_of(*launch.buffer).lost; lost != 0) {
        text += "Ferry: the buffer of " + std::to_string(Prints::buffer_bytes) +
                " bytes for printf was full in a launch of kernel '" + launch.kernel +
                "'. Lost messages: " + std::to_string(lost) + "\n";
    }
    return text;
}

} // namespace

Prints::Prints(VulkanDevice& device) : device_(device) {}

Prints::~Prints() = default;

Prints::Launches Prints::lease() {
    Launches leased;
    {
        const std::lock_guard lock(mutex_);
        if (!free_.empty()) {
            leased.splice(leased.end(), free_, free_.begin());
            return leased;
        }
    }
    leased.emplace_back().buffer = allocate_staging(device_, buffer_bytes);
    make_empty(*leased.front().buffer, print_capacity);
    return leased;
}

void Prints::add(Launches launch) noexcept {
    const std::lock_guard lock(mutex_);
    pending_.splice(pending_.end(), launch);
    count_.store(pending_.size(), std::memory_order_release);
}

void Prints::drain() {
    if (count_.load(std::memory_order_acquire) == 0) {
        return;
    }
    const ferry::detail::NoCancellation not_cancelled; // stdout may be a pipe that is full.
    const std::lock_guard lock(mutex_);
    const std::exception_ptr failure = ask();
    print(false);
    if (failure) {
        std::rethrow_exception(failure);
    }
}

void Prints::drain_lost() noexcept {
    const ferry::detail::NoCancellation not_cancelled;
    const std::lock_guard lock(mutex_);
    try {
        print(true);
    } catch (const std::exception&) { // Out of memory.
    }
}

/// From the last launch: it depends only on earlier ones, which are asked after it, so they are done too.
std::exception_ptr Prints::ask() noexcept {
    std::exception_ptr failure;
    for (auto launch = pending_.rbegin(); launch != pending_.rend(); ++launch) {
        try {
            launch->is_done = launch->is_done || launch->stream->reached(launch->value);
        } catch (...) {
            failure = std::current_exception();
        }
    }
    return failure;
}

/// If memory is exhausted, the rest stays pending.
void Prints::print(bool is_lost) {
    std::exception_ptr failure;
    Launches printed;
    try {
        for (auto launch = pending_.begin(); launch != pending_.end();) {
            const auto next = std::next(launch);
            if (launch->is_done || is_lost) {
                const std::string text = messages(*launch);
                make_empty(*launch->buffer, used_words(*launch->buffer));
                std::fwrite(text.data(), 1, text.size(), stdout);
                printed.splice(printed.end(), pending_, launch);
            }
            launch = next;
        }
    } catch (...) {
        failure = std::current_exception();
    }
    if (!printed.empty()) {
        std::fflush(stdout); // A child process must not print it again.
    }
    // A lost device may still write to its buffers.
    while (!is_lost && !printed.empty() && free_.size() < most_free) {
        printed.front().is_done = false;
        free_.splice(free_.end(), printed, printed.begin());
    }
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
