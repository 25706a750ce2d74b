// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/interop/native.hpp>

#include <string>

// Memory of the host device for code that works with pointers. Every function throws Error (invalid_argument)
// if the object belongs to another backend.
namespace ferry::interop::host {

/// True if the memory of a device is the processor's own memory, for every memory kind. This holds for the
/// host device, unless FERRY_HOST_MODE=strict separates the memories.
inline bool reaches(const Device& device, SourceLocation where = SourceLocation::current()) {
    // The memory is the same if device atomics are also atomic with the threads of the processor.
    return device.backend() == Backend::host &&
           device.capabilities(MemoryKind::device, Probe::declared, where).atomics.value == Atomics::system;
}

/// The address of the first element of the view, for every memory kind. Null for an empty view. The caller
/// must order its accesses with the commands that use the memory, with finish() of the queue before them.
/// Throws Error (unsupported) for memory of kind device if reaches() is false.
template <class T>
T* pointer(const View<T>& view, SourceLocation where = SourceLocation::current()) {
    if (view.empty()) {
        return nullptr;
    }
    const std::uint64_t address = detail::native_range(view.region(), Backend::host, where).address;
    if (reaches(view.device(where), where)) {
        return reinterpret_cast<T*>(address);
    }
    return static_cast<T*>(ferry::detail::host_address(view.region(), where));
}
template <class T>
T* pointer(Buffer<T>& buffer, SourceLocation where = SourceLocation::current()) {
    return pointer(buffer.view(), where);
}

} // namespace ferry::interop::host
