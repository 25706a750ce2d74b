// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/device.hpp>
#include <ferry/export.hpp>
#include <ferry/mapping.hpp>
#include <ferry/memory.hpp>
#include <ferry/source_location.hpp>
#include <ferry/standard.hpp>
#include <ferry/view.hpp>

#include <cstddef>
#include <span>
#include <utility>

namespace ferry {

namespace detail {

using MemoryHandle = std::shared_ptr<Memory>;

/// Checks the request and allocates `count` elements of `element` bytes. Returns null for zero elements.
FERRY_API MemoryHandle allocate(const Device& device, std::size_t count, std::size_t element, MemoryKind kind,
                                SourceLocation where);

} // namespace detail

/// An owning allocation of `size()` elements of one memory kind on one device. Movable, not copyable. The
/// contents are undefined until written.
///
/// A moved-from buffer has no elements and no memory. A launch, copy, fill or mapping of it, or of a view of
/// it, throws Error (invalid_state). It can be assigned to. An empty buffer that was not moved from is valid
/// everywhere; a kernel receives it as a null pointer.
///
/// A buffer may be destroyed while commands that use it are enqueued or running. Its memory is released when
/// those commands are done; the destructor may block until then. The destructor never throws.
///
/// Thread-safe for const use. The caller must synchronise accesses to the contents.
template <Element T>
class Buffer : public detail::ElementsOnDevice<T> {
    static_assert(!std::is_const_v<T>,
                  "a buffer owns writable elements; use View<const T> for read-only access");

public:
    using value_type = T;

    /// An empty buffer without a device or memory.
    Buffer() noexcept = default;

    /// Allocates `size` elements. A size of zero is valid and allocates nothing. Blocking. Throws Error:
    /// out_of_range (size x sizeof(T) overflows), out_of_memory (more than the device has, or more than it
    /// allows in one allocation; the device remains usable), unsupported (the device lacks this memory kind).
    Buffer(const Device& device, std::size_t size, MemoryKind kind = MemoryKind::device,
           SourceLocation where = SourceLocation::current())
        : memory_(detail::allocate(device, size, sizeof(T), kind, where)), size_(size) {}

    Buffer(Buffer&& other) noexcept
        : memory_(std::move(other.memory_)),
          size_(std::exchange(other.size_, 0)),
          offset_(std::exchange(other.offset_, detail::moved_from)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        memory_ = std::move(other.memory_);
        size_ = std::exchange(other.size_, 0);
        offset_ = std::exchange(other.offset_, detail::moved_from);
        return *this;
    }
    Buffer(const Buffer&) = delete; // Copies of device memory are commands: Queue::copy().
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() = default;

    std::size_t size() const noexcept { return size_; } ///< Number of elements.
    std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
    bool empty() const noexcept { return size_ == 0; }
    Device device(SourceLocation where = SourceLocation::current()) const {
        return detail::device_of(region(), where);
    }
    MemoryKind kind(SourceLocation where = SourceLocation::current()) const {
        return detail::kind_of(region(), where);
    }

    View<T> view() noexcept { return View<T>(region()); }
    View<const T> view() const noexcept { return View<const T>(region()); }
    operator View<T>() noexcept { return view(); }
    operator View<const T>() const noexcept { return view(); }
    View<T> first(std::size_t count, SourceLocation where = SourceLocation::current()) {
        return view().first(count, where);
    }
    View<T> last(std::size_t count, SourceLocation where = SourceLocation::current()) {
        return view().last(count, where);
    }
    View<T> subview(std::size_t first, std::size_t count = to_end,
                    SourceLocation where = SourceLocation::current()) {
        return view().subview(first, count, where);
    }
    View<const T> subview(std::size_t first, std::size_t count = to_end,
                          SourceLocation where = SourceLocation::current()) const {
        return view().subview(first, count, where);
    }

    /// The elements in host memory, for the kinds host and shared. Does not wait: the caller must order its
    /// accesses after the commands that use the buffer, with finish() or an event. Throws Error (unsupported)
    /// for kind device; use map() instead.
    std::span<T> span(SourceLocation where = SourceLocation::current()) {
        return {static_cast<T*>(detail::host_address(region(), where)), size_};
    }
    std::span<const T> span(SourceLocation where = SourceLocation::current()) const {
        return {static_cast<const T*>(detail::host_address(region(), where)), size_};
    }

    /// Maps the whole buffer for the host. See Mapping.
    Mapping<T> map(Queue& queue, Map access, SourceLocation where = SourceLocation::current()) {
        return view().map(queue, access, where);
    }

    /// For use by the library and the interop headers. Takes `size` elements at the start of `memory`.
    Buffer(detail::MemoryHandle memory, std::size_t size) noexcept
        : memory_(std::move(memory)), size_(size) {}
    detail::Region region() const noexcept { return {memory_.get(), offset_, size_ * sizeof(T)}; }

private:
    detail::MemoryHandle memory_;
    std::size_t size_ = 0;
    std::size_t offset_ = 0; ///< An offset in bytes, or detail::moved_from.
};

} // namespace ferry
