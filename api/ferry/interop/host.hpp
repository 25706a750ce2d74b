// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/interop/native.hpp>

#include <string>

// The host device's memory for code that works on pointers. Every function throws Error (invalid_argument) if
// the object belongs to another backend.
namespace ferry::interop::host {

/// Whether the memory of a device is the processor's own, of whatever kind: on the host device, but not where
/// FERRY_HOST_MODE=strict keeps it apart.
inline bool reaches(const Device& device, SourceLocation where = SourceLocation::current()) {
    // Atomics between the device's work-items and the processor's threads are on the same bytes.
    return device.backend() == Backend::host &&
           device.capabilities(MemoryKind::device, Probe::declared, where).atomics.value == Atomics::system;
}

/// The address of the view's first element, of any kind of memory; null for an empty view. The caller orders
/// what it does there with the commands that use the memory: a queue's finish() before, nothing behind.
/// Throws Error (unsupported) for memory of kind device where reaches() is false.
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
