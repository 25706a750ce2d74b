// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/buffer.hpp>
#include <ferry/device.hpp>
#include <ferry/event.hpp>
#include <ferry/export.hpp>
#include <ferry/queue.hpp>
#include <ferry/source_location.hpp>
#include <ferry/view.hpp>

#include <cstddef>
#include <cstdint>

namespace ferry::interop::detail {

/// The location of a region in the vendor's terms.
struct NativeRange {
    std::uint64_t address = 0;  ///< Device address of the first byte of the region. 0 if the memory is a
                                ///< handle.
    void* handle = nullptr;     ///< Handle of the whole allocation, or null.
    std::size_t offset = 0;     ///< Offset of the region in it, in bytes.
    void* allocation = nullptr; ///< The memory behind the handle, if it is an object of its own.
};

/// Memory of the vendor.
struct NativeMemory {
    std::uint64_t handle = 0;     ///< A device address or a handle.
    std::uint64_t allocation = 0; ///< The memory behind the handle, if it is an object of its own.
};

struct NativeEvent {
    void* handle = nullptr;
    std::uint64_t value = 0; ///< The value of a timeline semaphore.
};

/// The vendor's objects above a device.
struct NativePlatform {
    void* instance = nullptr;
    void* lookup = nullptr;
    std::uint32_t queue_family = 0;
};

FERRY_API NativeRange native_range(const ferry::detail::Region& region, Backend backend,
                                   SourceLocation where);
/// Shared ownership of the memory of a region, for uses that outlast the buffer. Null for an empty region.
FERRY_API ferry::detail::MemoryHandle hold(const ferry::detail::Region& region);
/// Blocks until the commands that use the memory of a region are done. Does nothing for an empty region.
FERRY_API void wait_for_uses(const ferry::detail::Region& region) noexcept;
FERRY_API ferry::detail::MemoryHandle wrap(const Device& device, Backend backend, NativeMemory native,
                                           std::size_t count, std::size_t element, bool adopt,
                                           SourceLocation where);
FERRY_API void* native_queue(const Queue& queue, Backend backend, SourceLocation where);
FERRY_API void* native_context(const Device& device, Backend backend, SourceLocation where);
FERRY_API NativeEvent native_event(const Event& event, Backend backend, SourceLocation where);
FERRY_API Queue wrap_queue(const Device& device, Backend backend, void* native, const QueueOptions& options,
                           SourceLocation where);
FERRY_API void wait_native(Queue& queue, Backend backend, NativeEvent event, SourceLocation where);
FERRY_API void lock_queue(const Device& device, Backend backend, void* queue, SourceLocation where);
FERRY_API void unlock_queue(const Device& device, void* queue) noexcept;
FERRY_API NativePlatform native_platform(const Device& device, Backend backend, SourceLocation where);
FERRY_API Device find_native(Backend backend, std::uint64_t native, SourceLocation where);
FERRY_API std::uint64_t native_device(const Device& device, Backend backend, SourceLocation where);
FERRY_API void* native_kernel(const Kernel& kernel, Backend backend, SourceLocation where);

} // namespace ferry::interop::detail
