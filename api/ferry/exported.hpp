// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/buffer.hpp>
#include <ferry/device.hpp>
#include <ferry/export.hpp>
#include <ferry/source_location.hpp>
#include <ferry/view.hpp>

#include <cstddef>
#include <cstdint>

namespace ferry {

/// An allocation of another API, another library or another process, as a POSIX file descriptor (Vulkan:
/// VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD).
struct ExternalMemory {
    int descriptor = -1;     ///< The file descriptor.
    std::uint64_t bytes = 0; ///< The size of the whole allocation. The contents begin at its first byte.
    bool dedicated = false;  ///< Whether the API that made it calls it a dedicated allocation.
};

namespace detail {

FERRY_API MemoryHandle allocate_exportable(const Device& device, std::size_t count, std::size_t element,
                                           SourceLocation where);
FERRY_API MemoryHandle use_exported(const Region& region, const Device& device, SourceLocation where);
FERRY_API ExternalMemory export_memory(const Region& region, SourceLocation where);
FERRY_API MemoryHandle open_external(const Device& device, const ExternalMemory& external, std::size_t count,
                                     std::size_t element, SourceLocation where);

} // namespace detail

/// Memory of one device that other devices of the same GPU use in place, without a copy. Vulkan devices
/// allocate it. Devices of CUDA, HIP and Vulkan use it:
///
///     ferry::Exported<float> field{vulkan, n};
///     ferry::Buffer<float> seen_by_cuda = field.on(cuda); // the same bytes
///
/// The memory is of kind device and is not part of a pool. It is released when the Exported and all buffers
/// from on() are destroyed, and all commands that use them are done.
///
/// Commands of different devices have no order. Let a queue of one device wait for an event of the other
/// (Queue::wait()) before it uses the results; the memory is then up to date. Two devices that access the
/// same bytes without such an order, and one of them writes, leave undefined contents. The race check
/// (FERRY_CHECK=races) does not see that two buffers have the same memory.
///
/// Movable, not copyable. A moved-from Exported behaves like a moved-from Buffer. Thread-safe for const use.
template <Element T>
class Exported {
public:
    using value_type = T;

    /// Empty, without a device or memory.
    Exported() noexcept = default;

    /// Allocates `size` elements. Blocking. Throws Error: invalid_argument (no elements), out_of_range and
    /// out_of_memory as Buffer, unsupported (the device exports no memory; the message gives the reason).
    Exported(const Device& device, std::size_t size, SourceLocation where = SourceLocation::current())
        : buffer_(detail::allocate_exportable(device, size, sizeof(T), where), size) {}

    std::size_t size() const noexcept { return buffer_.size(); } ///< Number of elements.
    std::size_t size_bytes() const noexcept { return buffer_.size_bytes(); }
    bool empty() const noexcept { return buffer_.empty(); }
    Device device(SourceLocation where = SourceLocation::current()) const { return buffer_.device(where); }

    /// The elements on the device that allocated them.
    View<T> view() noexcept { return buffer_.view(); }
    View<const T> view() const noexcept { return buffer_.view(); }
    operator View<T>() noexcept { return view(); }
    operator View<const T>() const noexcept { return view(); }

    /// A buffer of another device with the same memory. It keeps the memory alive. Blocking. Each call makes
    /// another mapping; keep the buffer. The destructor of the buffer waits for all work on that device.
    ///
    /// Throws Error: invalid_state (empty), unsupported (`other` is not known to be the same GPU by its UUID
    /// or PCI address, its driver takes no memory of other APIs, or it refuses this one; the message gives
    /// the reason). Nothing is copied in these cases; copies and share() work between all devices.
    Buffer<T> on(const Device& other, SourceLocation where = SourceLocation::current()) {
        return Buffer<T>(detail::use_exported(buffer_.region(), other, where), buffer_.size());
    }

    /// The memory for another library or another process. The caller owns the descriptor, and closes it or
    /// hands it to an API that takes it. Each call makes a new one. The memory lives as long as a descriptor.
    /// Throws Error: invalid_state (empty), out_of_memory or unsupported (an error of the driver).
    ExternalMemory export_memory(SourceLocation where = SourceLocation::current()) const {
        return detail::export_memory(buffer_.region(), where);
    }

    /// For use by the library only.
    detail::Region region() const noexcept { return buffer_.region(); }

private:
    Buffer<T> buffer_;
};

/// The first `count` elements of memory that other code has exported, as a buffer of a device of the same
/// GPU. The descriptor remains the caller's; it can be closed after the call. Blocking. For orders, see
/// Exported; other APIs need their own semaphores, or the host's waits.
///
/// Throws Error: invalid_argument (no elements; a bad descriptor), out_of_range (more than the allocation),
/// out_of_memory (more than the device has), unsupported (the device or its driver refuses the memory). Ferry
/// does not check that the memory is of the same GPU: most drivers refuse other memory.
template <Element T>
Buffer<T> open_external(const Device& device, const ExternalMemory& external, std::size_t count,
                        SourceLocation where = SourceLocation::current()) {
    return Buffer<T>(detail::open_external(device, external, count, sizeof(T), where), count);
}

} // namespace ferry
