// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/interop/native.hpp>

// CUDA driver API handles of Ferry objects, and Ferry objects that wrap such handles. Every function throws
// Error (invalid_argument) if the object belongs to another backend. No vendor header is needed. The types
// are those of the CUDA driver API's handles: CUdeviceptr is a 64-bit integer, and the others are pointers.
namespace ferry::interop::cuda {

/// CUdevice: the ordinal of the device in the CUDA driver API.
inline int device(const Device& device, SourceLocation where = SourceLocation::current()) {
    return static_cast<int>(detail::native_device(device, Backend::cuda, where));
}

/// The Ferry device of a CUdevice. Throws Error (unavailable) if Ferry has no such device; the message lists
/// its devices.
inline Device find_device(int ordinal, SourceLocation where = SourceLocation::current()) {
    return detail::find_native(Backend::cuda, static_cast<std::uint64_t>(ordinal), where);
}

/// The CUcontext that Ferry uses: the primary context of the device. Owned by Ferry. Valid until the process
/// ends.
inline void* context(const Device& device, SourceLocation where = SourceLocation::current()) {
    return detail::native_context(device, Backend::cuda, where);
}

/// CUstream, owned by the queue. Work enqueued on it directly is ordered with the queue's commands and
/// included in its finish() and later events, if no host work is pending on the queue.
inline void* stream(const Queue& queue, SourceLocation where = SourceLocation::current()) {
    return detail::native_queue(queue, Backend::cuda, where);
}

/// A Ferry queue that wraps a CUstream. The caller keeps the ownership and must keep the stream until the
/// queue is destroyed. Commands of both sides run in the order in which they are enqueued. The stream must
/// belong to this device; this is not checked.
inline Queue borrow_stream(const Device& device, void* stream, const QueueOptions& options = {},
                           SourceLocation where = SourceLocation::current()) {
    return detail::wrap_queue(device, Backend::cuda, stream, options, where);
}

/// CUevent, owned by the event and valid while a copy of it lives. It is already submitted to the device.
/// Blocks while host work before it is pending on its queue. Throws the Error of a command that failed before
/// it.
inline void* event(const Event& event, SourceLocation where = SourceLocation::current()) {
    return detail::native_event(event, Backend::cuda, where).handle;
}

/// Commands enqueued on the queue after this call start only after `event`, a CUevent of the caller, is
/// complete. The caller must keep the event until the queue has reached it (finish(), a later event).
inline void wait_event(Queue& queue, void* event, SourceLocation where = SourceLocation::current()) {
    detail::wait_native(queue, Backend::cuda, {event}, where);
}

/// CUfunction, owned by the kernel's program.
inline void* function(const Kernel& kernel, SourceLocation where = SourceLocation::current()) {
    return detail::native_kernel(kernel, Backend::cuda, where);
}

/// The device address of the view's first element, owned by its buffer.
template <class T>
std::uint64_t pointer(const View<T>& view, SourceLocation where = SourceLocation::current()) {
    return detail::native_range(view.region(), Backend::cuda, where).address;
}
template <class T>
std::uint64_t pointer(const Buffer<T>& buffer, SourceLocation where = SourceLocation::current()) {
    return detail::native_range(buffer.region(), Backend::cuda, where).address;
}

/// A buffer that wraps `count` elements of memory. The caller keeps the ownership and must keep the memory
/// allocated until the buffer is destroyed and its commands are done.
template <Element T>
Buffer<T> borrow_pointer(const Device& device, std::uint64_t pointer, std::size_t count,
                         SourceLocation where = SourceLocation::current()) {
    return Buffer<T>(detail::wrap(device, Backend::cuda, {pointer}, count, sizeof(T), false, where), count);
}

/// The same, but the buffer takes ownership and frees the memory.
template <Element T>
Buffer<T> adopt_pointer(const Device& device, std::uint64_t pointer, std::size_t count,
                        SourceLocation where = SourceLocation::current()) {
    return Buffer<T>(detail::wrap(device, Backend::cuda, {pointer}, count, sizeof(T), true, where), count);
}

} // namespace ferry::interop::cuda
