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

/// The hipCtx_t, null where HIP has none. Owned by Ferry; valid until the process ends.
inline void* context(const Device& device, SourceLocation where = SourceLocation::current()) {
    return detail::native_context(device, Backend::hip, where);
}

/// hipStream_t: owned by the queue. Work enqueued on it directly is in order with the queue's commands and
/// counts for its finish() and later events, provided no host work is pending on the queue.
inline void* stream(const Queue& queue, SourceLocation where = SourceLocation::current()) {
    return detail::native_queue(queue, Backend::hip, where);
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
