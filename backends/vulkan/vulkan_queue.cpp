// SPDX-License-Identifier: Apache-2.0
#include "vulkan_queue.hpp"

#include "hal/mapped_copy.hpp"
#include "vulkan_device.hpp"
#include "vulkan_event.hpp"
#include "vulkan_graph.hpp"
#include "vulkan_kernel.hpp"

#include <algorithm>
#include <cstring>

namespace ferry::vulkan {
VulkanQueue::~VulkanQueue() {
    if (!backend::process_is_exiting()) {
        device_.return_stream(stream_);
    }
}

// Host memory of the device is used in its place in the order of commands. Bytes that a read has not yet
// brought there must be there first.
backend::Place VulkanQueue::find(const void* memory, std::size_t bytes) {
    device_.host_reads().complete(memory, bytes);
    const HostRanges::Found found = device_.host_ranges().find(memory, bytes);
    if (found.match == HostRanges::Match::waits) { // Staging has no place in the order of commands on it.
        device_.finish_streams();
    }
    return {found.memory, found.offset};
}

void VulkanQueue::write_staged(const std::byte* from, backend::Place to, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
        const Piece piece = stream_.stage(1, bytes - done, 16);
        std::memcpy(piece.host, from + done, piece.bytes);
        add_copy(device_, stream_, piece.place(), {to.memory, to.offset + done}, piece.bytes);
        done += piece.bytes;
        taken.bytes += piece.bytes;
    }
}

void VulkanQueue::read_staged(backend::Place from, std::byte* to, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
        const Piece piece = stream_.stage(1, bytes - done, 16);
        add_copy(device_, stream_, {from.memory, from.offset + done}, piece.place(), piece.bytes);
        device_.host_reads().add({&stream_, stream_.value(), piece.host, to + done, piece.bytes, 1, 0});
        done += piece.bytes;
        taken.bytes += piece.bytes;
    }
}

void VulkanQueue::write(const void* from, backend::Place to, std::size_t bytes) {
    const backend::Place source = find(from, bytes);
    const std::lock_guard lock(stream_.mutex());
    if (source.memory != nullptr) {
        add_copy(device_, stream_, source, to, bytes);
    } else {
        write_staged(static_cast<const std::byte*>(from), to, bytes);
    }
}

void VulkanQueue::read(backend::Place from, void* to, std::size_t bytes) {
    const HostRanges::Found found = device_.host_ranges().find(to, bytes);
    const backend::Place target = find(to, bytes);
    {
        const std::lock_guard lock(stream_.mutex());
        if (target.memory != nullptr) {
            add_copy(device_, stream_, from, target, bytes);
        } else {
            read_staged(from, static_cast<std::byte*>(to), bytes);
        }
    }
    if (found.match == HostRanges::Match::waits) { // Later commands may use the bytes through that memory.
        finish();
    }
}

void VulkanQueue::copy(backend::Place from, backend::Place to, std::size_t bytes) {
    const std::lock_guard lock(stream_.mutex());
    add_copy(device_, stream_, from, to, bytes);
}

void VulkanQueue::fill(backend::Place to, std::size_t bytes, const void* pattern, std::size_t size) {
    const std::lock_guard lock(stream_.mutex());
    add_fill(device_, stream_, to, bytes, pattern, size);
}

void VulkanQueue::launch(backend::Kernel& kernel, const Grid& grid,
                         std::span<const backend::Argument> arguments) {
    const Launch launch(device_, static_cast<VulkanKernel&>(kernel), grid, arguments);
    const std::lock_guard lock(stream_.mutex());
    stream_.launch(launch);
    taken.kernel = true;
}

void VulkanQueue::replay(backend::Graph& graph) {
    const std::lock_guard lock(stream_.mutex());
    static_cast<VulkanGraph&>(graph).replay(stream_, taken);
}

void VulkanQueue::record(backend::Event& event) {
    auto& recorded = static_cast<VulkanEvent&>(event);
    const std::lock_guard lock(stream_.mutex());
    if (const auto& stamp = recorded.stamp()) {
        const DeviceApi& api = device_.api();
        const CommandBuffer buffer = stream_.begin_command({});
        api.vkCmdResetQueryPool.function(buffer, stamp->pool, stamp->query, 1);
        api.vkCmdWriteTimestamp.function(buffer, constant::stage_bottom, stamp->pool, stamp->query);
    }
    recorded.set({&stream_, stream_.value()});
}

bool VulkanQueue::can_wait(const backend::Event& event) const {
    return &static_cast<const VulkanEvent&>(event).device() == &device_; // A semaphore belongs to a VkDevice.
}

void VulkanQueue::wait(backend::Event& event) {
    const VulkanEvent::Point point = static_cast<VulkanEvent&>(event).point();
    if (point.semaphore != nullptr) {
        const std::lock_guard lock(stream_.mutex());
        stream_.wait_for(point.semaphore, point.value);
        return;
    }
    if (point.stream == nullptr || point.stream == &stream_) {
        return;
    }
    point.stream->submit_up_to(point.value); // Before any command that waits for it.
    const std::lock_guard lock(stream_.mutex());
    stream_.wait_for(point.stream->semaphore(), point.value);
}

void* VulkanQueue::map(backend::Place place, std::size_t bytes, Map access) {
    VulkanMemory& memory = memory_of(place);
    if (memory.mapped() != nullptr) {
        finish();
        return memory.mapped() + place.offset;
    }
    backend::MappedCopy copy(bytes);
    try {
        if (access != Map::discard) {
            read(place, copy.data(), bytes);
        }
        finish();
    } catch (...) {
        if (!prove_done()) { // The bytes may still be on their way.
            static_cast<void>(copy.release());
        }
        throw;
    }
    return copy.release();
}

void VulkanQueue::unmap(backend::Place place, std::size_t bytes, Map access, void* host) {
    if (memory_of(place).mapped() != nullptr) {
        return;
    }
    const backend::MappedCopy copy(host);
    if (access != Map::read) {
        write(host, place, bytes); // Copied during the call.
    }
}

bool VulkanQueue::prove_done() noexcept {
    try {
        finish(WaitPolicy::block);
        return true;
    } catch (const Error& error) {
        return is_end(error);
    } catch (...) {
        return false;
    }
}

void* VulkanQueue::native() {
    stream_.set_exposed(true);
    return stream_.native();
}

void VulkanQueue::flush() {
    const std::lock_guard lock(stream_.mutex());
    stream_.submit();
}

} // namespace ferry::vulkan
