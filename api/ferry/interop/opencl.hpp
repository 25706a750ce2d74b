// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/interop/native.hpp>

// OpenCL handles of Ferry's objects and back. Every function throws Error (invalid_argument) if the object
// belongs to another backend. No OpenCL header is needed; the handles are OpenCL's own pointers
// (cl_device_id, cl_context, cl_command_queue, cl_kernel, cl_mem) as void*.
namespace ferry::interop::opencl {

/// cl_device_id.
inline void* device(const Device& device, SourceLocation where = SourceLocation::current()) {
    return reinterpret_cast<void*>(detail::native_device(device, Backend::opencl, where));
}

/// The Ferry device of a cl_device_id. Throws Error (unavailable) if Ferry sees none, listing those it sees.
inline Device find_device(void* id, SourceLocation where = SourceLocation::current()) {
    return detail::find_native(Backend::opencl, reinterpret_cast<std::uint64_t>(id), where);
}

/// The cl_context Ferry works in. Owned by Ferry; retain it to keep it.
inline void* context(const Device& device, SourceLocation where = SourceLocation::current()) {
    return detail::native_context(device, Backend::opencl, where);
}

/// cl_command_queue, owned by the queue. Work enqueued on it directly is in order with the queue's commands
/// and counts for its finish() and later events, provided no host work is pending on the queue.
inline void* queue(const Queue& queue, SourceLocation where = SourceLocation::current()) {
    return detail::native_queue(queue, Backend::opencl, where);
}

/// A Ferry queue over a cl_command_queue that the caller goes on owning and keeps until the queue is gone.
/// Commands of both sides are in the order in which they are enqueued. Throws Error (invalid_argument) for
/// one of another device or context and for one that is out of order; events of a queue made without
/// profiling carry no times.
inline Queue borrow_queue(const Device& device, void* queue, const QueueOptions& options = {},
                          SourceLocation where = SourceLocation::current()) {
    return detail::wrap_queue(device, Backend::opencl, queue, options, where);
}

/// cl_event, owned by the event and valid as long as a copy of it lives. Handed to the device already. Blocks
/// while host work stands before it on its queue. Throws the Error of a command that failed before it.
inline void* event(const Event& event, SourceLocation where = SourceLocation::current()) {
    return detail::native_event(event, Backend::opencl, where);
}

/// Commands enqueued on the queue from now on start only after a cl_event that is not Ferry's is complete.
/// The driver keeps the event; the caller may release it at once. A program that completes it itself
/// (clSetUserEventStatus) does so before it waits for the queue or ends it, also when an exception is thrown:
/// the end of a queue waits for its work.
inline void wait_event(Queue& queue, void* event, SourceLocation where = SourceLocation::current()) {
    detail::wait_native(queue, Backend::opencl, event, where);
}

/// cl_kernel, owned by the kernel. Its arguments are set anew by every launch of Ferry's.
inline void* kernel(const Kernel& kernel, SourceLocation where = SourceLocation::current()) {
    return detail::native_kernel(kernel, Backend::opencl, where);
}

/// A cl_mem and where in it a view begins.
struct MemoryRange {
    void* mem = nullptr;    ///< owned by the buffer
    std::size_t offset = 0; ///< bytes
};

/// Of memory of kind host it is one that is mapped, and that on a discrete device Ferry's commands do not
/// use. Throws Error (unsupported) for memory that is no cl_mem on this device (SVM or USM: see pointer(); an
/// import that is copied for each command).
template <class T>
MemoryRange memory(const View<T>& view, SourceLocation where = SourceLocation::current()) {
    const detail::NativeRange range = detail::native_range(view.region(), Backend::opencl, where);
    if (range.handle == nullptr) {
        throw Error(Code::unsupported,
                    range.address != 0
                        ? "This buffer is SVM or USM memory, not a cl_mem; use interop::opencl::pointer()"
                        : "This import is no cl_mem: it is copied for each command; use a buffer",
                    where);
    }
    return {range.handle, range.offset};
}
template <class T>
MemoryRange memory(const Buffer<T>& buffer, SourceLocation where = SourceLocation::current()) {
    return memory(View<const T>(buffer), where);
}

/// The SVM or USM pointer of the view's first element; null if the memory is a cl_mem.
template <class T>
void* pointer(const View<T>& view, SourceLocation where = SourceLocation::current()) {
    return reinterpret_cast<void*>(detail::native_range(view.region(), Backend::opencl, where).address);
}

/// A buffer over the first `count` elements of a cl_mem of this device's context, which the caller goes on
/// owning until the buffer is gone and its commands are done.
template <Element T>
Buffer<T> borrow_memory(const Device& device, void* mem, std::size_t count,
                        SourceLocation where = SourceLocation::current()) {
    return Buffer<T>(detail::wrap(device, Backend::opencl, reinterpret_cast<std::uint64_t>(mem), count,
                                  sizeof(T), false, where),
                     count);
}

/// The same, and the buffer releases the reference.
template <Element T>
Buffer<T> adopt_memory(const Device& device, void* mem, std::size_t count,
                       SourceLocation where = SourceLocation::current()) {
    return Buffer<T>(detail::wrap(device, Backend::opencl, reinterpret_cast<std::uint64_t>(mem), count,
                                  sizeof(T), true, where),
                     count);
}

} // namespace ferry::interop::opencl
