// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/interop/native.hpp>

// HIP handles of Ferry's objects and back. Every function throws Error (invalid_argument) if the object
// belongs to another backend. No vendor header is needed; the types are those of HIP's own handles
// (all of them pointers).
namespace ferry::interop::hip {

/// hipDevice_t: the ordinal of the device in HIP.
inline int device(const Device& device, SourceLocation where = SourceLocation::current()) {
    return static_cast<int>(detail::native_device(device, Backend::hip, where));
}

/// The Ferry device of a hipDevice_t. Throws Error (unavailable) if Ferry sees none, listing those it sees.
inline Device find_device(int ordinal, SourceLocation where = SourceLocation::current()) {
    return detail::find_native(Backend::hip, static_cast<std::uint64_t>(ordinal), where);
}

/// The hipCtx_t, null where HIP has none. Owned by Ferry; valid until the process ends.
inline void* context(const Device& device, SourceLocation where = SourceLocation::current()) {
    return detail::native_context(device, Backend::hip, where);
}

/// hipStream_t: owned by the queue. Work enqueued on it directly is in order with the queue's commands and
/// counts for its finish() and later events, provided no host work is pending on the queue.
inline void* stream(const Queue& queue, SourceLocation where = SourceLocation::current()) {
    return detail::native_queue(queue, Backend::hip, where);
}

/// A Ferry queue over a hipStream_t that the caller goes on owning and keeps until the queue is gone.
/// Commands of both sides are in the order in which they are enqueued. It must be of this device; nothing
/// asks.
inline Queue borrow_stream(const Device& device, void* stream, const QueueOptions& options = {},
                           SourceLocation where = SourceLocation::current()) {
    return detail::wrap_queue(device, Backend::hip, stream, options, where);
}

/// hipEvent_t, owned by the event and valid as long as a copy of it lives. Handed to the device already.
/// Blocks while host work stands before it on its queue. Throws the Error of a command that failed before it.
inline void* event(const Event& event, SourceLocation where = SourceLocation::current()) {
    return detail::native_event(event, Backend::hip, where);
}

/// Commands enqueued on the queue from now on start only after a hipEvent_t that is not Ferry's is complete.
/// The caller keeps the event until the queue has come to it (finish(), a later event).
inline void wait_event(Queue& queue, void* event, SourceLocation where = SourceLocation::current()) {
    detail::wait_native(queue, Backend::hip, event, where);
}

/// hipFunction_t, owned by the kernel's program.
inline void* function(const Kernel& kernel, SourceLocation where = SourceLocation::current()) {
    return detail::native_kernel(kernel, Backend::hip, where);
}

/// The device address of the view's first element, owned by its buffer.
template <class T>
void* pointer(const View<T>& view, SourceLocation where = SourceLocation::current()) {
    return reinterpret_cast<void*>(detail::native_range(view.region(), Backend::hip, where).address);
}
template <class T>
void* pointer(const Buffer<T>& buffer, SourceLocation where = SourceLocation::current()) {
    return reinterpret_cast<void*>(detail::native_range(buffer.region(), Backend::hip, where).address);
}

/// A buffer over `count` elements of memory that the caller goes on owning and keeps allocated until the
/// buffer is gone and its commands are done.
template <Element T>
Buffer<T> borrow_pointer(const Device& device, void* pointer, std::size_t count,
                         SourceLocation where = SourceLocation::current()) {
    return Buffer<T>(detail::wrap(device, Backend::hip, reinterpret_cast<std::uint64_t>(pointer), count,
                                  sizeof(T), false, where),
                     count);
}

/// The same, and the buffer frees it.
template <Element T>
Buffer<T> adopt_pointer(const Device& device, void* pointer, std::size_t count,
                        SourceLocation where = SourceLocation::current()) {
    return Buffer<T>(detail::wrap(device, Backend::hip, reinterpret_cast<std::uint64_t>(pointer), count,
                                  sizeof(T), true, where),
                     count);
}

} // namespace ferry::interop::hip
