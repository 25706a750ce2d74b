// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/interop/native.hpp>

// OpenCL handles of Ferry objects, and Ferry objects that wrap such handles. Every function throws Error
// (invalid_argument) if the object belongs to another backend. No OpenCL header is needed. The handles are
// OpenCL's pointers (cl_device_id, cl_context, cl_command_queue, cl_kernel, cl_mem) as void*.
namespace ferry::interop::opencl {

/// cl_device_id.
inline void* device(const Device& device, SourceLocation where = SourceLocation::current()) {
    return reinterpret_cast<void*>(detail::native_device(device, Backend::opencl, where));
}

/// The Ferry device of a cl_device_id. Throws Error (unavailable) if Ferry has no such device; the message
/// lists its devices.
inline Device find_device(void* id, SourceLocation where = SourceLocation::current()) {
    return detail::find_native(Backend::opencl, reinterpret_cast<std::uint64_t>(id), where);
}

/// The cl_context that Ferry uses. Owned by Ferry; retain it to keep it.
inline void* context(const Device& device, SourceLocation where = SourceLocation::current()) {
    return detail::native_context(device, Backend::opencl, where);
}

/// cl_command_queue, owned by the queue. Work enqueued on it directly is ordered with the queue's commands
/// and included in its finish() and later events, if no host work is pending on the queue.
inline void* queue(const Queue& queue, SourceLocation where = SourceLocation::current()) {
    return detail::native_queue(queue, Backend::opencl, where);
}

/// A Ferry queue that wraps a cl_command_queue. The caller keeps the ownership and must keep the
/// cl_command_queue until the queue is destroyed. Commands of both sides run in the order in which they are
/// enqueued. Throws Error (invalid_argument) for a queue of another device or context, and for an
/// out-of-order queue. Events of a queue created without profiling have no times.
inline Queue borrow_queue(const Device& device, void* queue, const QueueOptions& options = {},
                          SourceLocation where = SourceLocation::current()) {
    return detail::wrap_queue(device, Backend::opencl, queue, options, where);
}

/// cl_event, owned by the event and valid while a copy of it lives. It is already submitted to the device.
/// Blocks while host work before it is pending on its queue. Throws the Error of a command that failed before
/// it.
inline void* event(const Event& event, SourceLocation where = SourceLocation::current()) {
    return detail::native_event(event, Backend::opencl, where).handle;
}

/// Commands enqueued on the queue after this call start only after `event`, a cl_event of the caller, is
/// complete. The driver keeps the event; the caller may release it at once. A program that completes a user
/// event itself (clSetUserEventStatus) must do so before it waits for the queue or destroys it, also if an
/// exception is thrown, because the destructor of a queue waits for its work.
inline void wait_event(Queue& queue, void* event, SourceLocation where = SourceLocation::current()) {
    detail::wait_native(queue, Backend::opencl, {event}, where);
}

/// cl_kernel, owned by the kernel. Every launch through Ferry sets its arguments again.
inline void* kernel(const Kernel& kernel, SourceLocation where = SourceLocation::current()) {
    return detail::native_kernel(kernel, Backend::opencl, where);
}

/// A cl_mem, and the offset of a view in it.
struct MemoryRange {
    void* mem = nullptr;    ///< Owned by the buffer.
    std::size_t offset = 0; ///< In bytes.
};

/// The cl_mem of a view. For memory of kind host the cl_mem is mapped, and commands of Ferry do not use it on
/// a discrete device. Throws Error (unsupported) for memory that is not a cl_mem on this device (SVM or USM:
/// see pointer(); an import that is copied for each command).
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

/// The SVM or USM pointer of the first element of the view. Null if the memory is a cl_mem.
template <class T>
void* pointer(const View<T>& view, SourceLocation where = SourceLocation::current()) {
    return reinterpret_cast<void*>(detail::native_range(view.region(), Backend::opencl, where).address);
}

/// A buffer that wraps the first `count` elements of a cl_mem of this device's context. The caller keeps the
/// ownership until the buffer is destroyed and its commands are done.
template <Element T>
Buffer<T> borrow_memory(const Device& device, void* mem, std::size_t count,
                        SourceLocation where = SourceLocation::current()) {
    return Buffer<T>(detail::wrap(device, Backend::opencl, {reinterpret_cast<std::uint64_t>(mem)}, count,
                                  sizeof(T), false, where),
                     count);
}

/// The same, but the buffer takes ownership of the reference and releases it.
template <Element T>
Buffer<T> adopt_memory(const Device& device, void* mem, std::size_t count,
                       SourceLocation where = SourceLocation::current()) {
    return Buffer<T>(detail::wrap(device, Backend::opencl, {reinterpret_cast<std::uint64_t>(mem)}, count,
                                  sizeof(T), true, where),
                     count);
}

} // namespace ferry::interop::opencl
