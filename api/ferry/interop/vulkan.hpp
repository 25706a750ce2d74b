// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/interop/native.hpp>

// Vulkan handles of Ferry objects, and Ferry objects that wrap such handles. Every function throws Error
// (invalid_argument) if the object belongs to another backend. No Vulkan header is needed. The handles are
// Vulkan's pointers (VkInstance, VkDevice, VkQueue, VkBuffer, ...) as void*.
//
// Ferry makes one VkInstance for Vulkan 1.2, and one VkDevice for each device. docs/backends/vulkan.md lists
// the features and extensions that are enabled; commands of the caller can use only these. The caller must
// not destroy them.
namespace ferry::interop::vulkan {

/// VkInstance. Owned by Ferry. Valid until the process ends.
inline void* instance(const Device& device, SourceLocation where = SourceLocation::current()) {
    return detail::native_platform(device, Backend::vulkan, where).instance;
}

/// vkGetInstanceProcAddr (PFN_vkGetInstanceProcAddr) of the Vulkan library that Ferry has opened. Functions
/// that it returns accept these handles. Functions of another copy of the loader may not.
inline void* instance_lookup(const Device& device, SourceLocation where = SourceLocation::current()) {
    return detail::native_platform(device, Backend::vulkan, where).lookup;
}

/// VkPhysicalDevice.
inline void* physical_device(const Device& device, SourceLocation where = SourceLocation::current()) {
    return reinterpret_cast<void*>(detail::native_device(device, Backend::vulkan, where));
}

/// The Ferry device of a VkPhysicalDevice of instance(). Throws Error (unavailable) if Ferry has no such
/// device; the message lists its devices.
inline Device find_device(void* physical_device, SourceLocation where = SourceLocation::current()) {
    return detail::find_native(Backend::vulkan, reinterpret_cast<std::uint64_t>(physical_device), where);
}

/// VkDevice. Owned by Ferry. Valid until the process ends. The first call creates it, if no other call has
/// used the device yet.
inline void* device(const Device& device, SourceLocation where = SourceLocation::current()) {
    return detail::native_context(device, Backend::vulkan, where);
}

/// The queue family of all VkQueues of the device, for command pools.
inline std::uint32_t queue_family(const Device& device, SourceLocation where = SourceLocation::current()) {
    return detail::native_platform(device, Backend::vulkan, where).queue_family;
}

/// VkQueue to which the queue submits. Owned by Ferry. Several queues may share one. Use it only while a
/// QueueLock for it lives.
inline void* queue(const Queue& queue, SourceLocation where = SourceLocation::current()) {
    return detail::native_queue(queue, Backend::vulkan, where);
}

/// A queue that submits to this VkQueue, which vkGetDeviceQueue() returned for device() and queue_family().
/// Throws Error (invalid_argument) for any other VkQueue.
inline Queue borrow_queue(const Device& device, void* queue, const QueueOptions& options = {},
                          SourceLocation where = SourceLocation::current()) {
    return detail::wrap_queue(device, Backend::vulkan, queue, options, where);
}

/// Exclusive use of a VkQueue of a device, which Vulkan requires (external synchronisation). The constructor
/// submits the commands of all queues that use this VkQueue, and blocks while another thread uses it.
///
/// For queues whose handle queue() has returned, and for those of borrow_queue(): commands submitted by the
/// caller while the lock lives run in the order of the calls, after Ferry's earlier commands and before its
/// later ones. finish() and later events include them. The caller's command buffers must begin with a memory
/// barrier if they use the results of Ferry's commands; Ferry's later commands see the caller's results. This
/// holds if no host work is pending on the queue.
///
/// The destructor may wait for earlier work of the device. While the lock lives, its thread must not call
/// Ferry for this device, because such a call may wait for the lock. Other threads may. Not movable. Throws
/// Error: invalid_argument (not a VkQueue of the device), device_lost.
class QueueLock {
public:
    QueueLock(const Device& device, void* queue, SourceLocation where = SourceLocation::current())
        : device_(device), queue_(queue) {
        detail::lock_queue(device_, Backend::vulkan, queue_, where);
    }
    QueueLock(const QueueLock&) = delete;
    QueueLock& operator=(const QueueLock&) = delete;
    ~QueueLock() { detail::unlock_queue(device_, queue_); }

private:
    Device device_;
    void* queue_;
};

/// A value of a timeline semaphore.
struct SemaphoreValue {
    void* semaphore = nullptr; ///< VkSemaphore. Owned by Ferry. Valid until the process ends.
    std::uint64_t value = 0;
};

/// The semaphore reaches the value, or a larger one, when the event is complete. Its signal is already
/// submitted, so the caller's submits may wait for it. Never signal the semaphore. Blocks while host work
/// before the event is pending on its queue. Throws the Error of a command that failed before it.
inline SemaphoreValue event(const Event& event, SourceLocation where = SourceLocation::current()) {
    const detail::NativeEvent native = detail::native_event(event, Backend::vulkan, where);
    return {native.handle, native.value};
}

/// Commands enqueued on the queue after this call start only after `semaphore`, a timeline semaphore of the
/// caller on device(), has reached `value`. The caller must keep the semaphore until the queue has reached
/// this point (finish(), a later event). Submit the signal before this call: until the semaphore has the
/// value, other queues of the device may be blocked too.
inline void wait_event(Queue& queue, void* semaphore, std::uint64_t value,
                       SourceLocation where = SourceLocation::current()) {
    detail::wait_native(queue, Backend::vulkan, {semaphore, value}, where);
}

/// The location of a view.
struct MemoryRange {
    void* buffer = nullptr;    ///< VkBuffer, owned by Ferry. Other buffers of Ferry may be parts of it.
    void* memory = nullptr;    ///< VkDeviceMemory, to which it is bound at offset 0. Null if not known.
    std::size_t offset = 0;    ///< Offset of the view in both, in bytes.
    std::uint64_t address = 0; ///< VkDeviceAddress of the view.
};

/// The memory of a view. The usage of the VkBuffer is transfer source and destination, storage, and device
/// address. Use only the bytes of the view.
template <class T>
MemoryRange memory(const View<T>& view, SourceLocation where = SourceLocation::current()) {
    const detail::NativeRange range = detail::native_range(view.region(), Backend::vulkan, where);
    return {range.handle, range.allocation, range.offset, range.address};
}
template <class T>
MemoryRange memory(const Buffer<T>& buffer, SourceLocation where = SourceLocation::current()) {
    return memory(View<const T>(buffer), where);
}

/// A buffer that wraps the first `count` elements of a VkBuffer on device(). Its usage must include those of
/// memory(), and its memory must be allocated with VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT. The caller keeps
/// the ownership and must keep both until the buffer is destroyed and its commands are done. Throws Error
/// (out_of_range) if the VkBuffer is too small, as far as its memory requirements tell.
template <Element T>
Buffer<T> borrow_buffer(const Device& device, void* buffer, std::size_t count,
                        SourceLocation where = SourceLocation::current()) {
    return Buffer<T>(detail::wrap(device, Backend::vulkan, {reinterpret_cast<std::uint64_t>(buffer), 0},
                                  count, sizeof(T), false, where),
                     count);
}

/// The same, but the buffer takes ownership of the VkBuffer and of its VkDeviceMemory `memory`, to which
/// nothing else is bound, and frees both.
template <Element T>
Buffer<T> adopt_buffer(const Device& device, void* buffer, void* memory, std::size_t count,
                       SourceLocation where = SourceLocation::current()) {
    return Buffer<T>(
        detail::wrap(device, Backend::vulkan,
                     {reinterpret_cast<std::uint64_t>(buffer), reinterpret_cast<std::uint64_t>(memory)},
                     count, sizeof(T), true, where),
        count);
}

} // namespace ferry::interop::vulkan
