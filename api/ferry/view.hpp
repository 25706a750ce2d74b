// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/device.hpp>
#include <ferry/export.hpp>
#include <ferry/memory.hpp>
#include <ferry/source_location.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ferry {

class Queue;
template <class T>
class Mapping;

/// What the bytes of every buffer are aligned to, whatever its device and kind, for kernels and where the
/// host sees them, in a mapping or a span. The vendors' memory is aligned to 128 bytes and more.
inline constexpr std::size_t max_element_alignment = 64;

/// What a buffer can hold: bytes that may be copied as they are, with no more alignment than every memory
/// has.
template <class T>
concept Element = std::is_trivially_copyable_v<std::remove_const_t<T>> && !std::is_volatile_v<T> &&
                  !std::is_pointer_v<T> && !std::is_reference_v<T> && alignof(T) <= max_element_alignment;

namespace detail {

class Memory;

/// The offset of the region of an object that was moved from, which no command takes; its memory is null.
inline constexpr std::size_t moved_from = (std::numeric_limits<std::size_t>::max)();

/// A range of an allocation, in bytes. A null memory is the empty range.
struct Region {
    Memory* memory = nullptr;
    std::size_t offset = 0;
    std::size_t bytes = 0;
};

/// What a loop over the elements or an index needs, which a Buffer and a View do not have: explains how to
/// reach them.
template <class T>
class ElementsOnDevice {
public:
    template <class U = T>
    void begin() const {
        refuse<U>();
    }
    template <class U = T>
    void end() const {}
    template <class I>
    T& operator[](I) const {
        refuse<I>();
    }

private:
    template <class U>
    static constexpr void refuse() {
        static_assert(
            sizeof(U) == 0,
            "the elements of a Buffer or a View are on the device; map() gives a range on the host, "
            "Queue::read() copies them into a vector, span() is for memory of kind host or shared");
    }
};

/// Throws out_of_range naming the values unless first <= size and count <= size - first.
FERRY_API void check_range(std::size_t size, std::size_t first, std::size_t count, SourceLocation where);
/// The host address of a region, or Error (unsupported) if the host cannot reach that memory directly.
FERRY_API void* host_address(const Region& region, SourceLocation where);
FERRY_API Device device_of(const Region& region, SourceLocation where);
FERRY_API MemoryKind kind_of(const Region& region, SourceLocation where);

} // namespace detail

/// "All the rest" for View::subview() and Buffer::subview().
inline constexpr std::size_t to_end = (std::numeric_limits<std::size_t>::max)();

/// A range of elements of a buffer: cheap to copy, owns nothing. It must not outlive its buffer, like a
/// std::span; moving the buffer keeps its views valid. A View<T> converts to View<const T>.
template <Element T>
class View : public detail::ElementsOnDevice<T> {
public:
    using value_type = std::remove_const_t<T>;

    /// The empty view. It may be copied from and to (nothing happens) and given to a kernel (a null pointer).
    constexpr View() noexcept = default;
    template <class U>
        requires(std::is_same_v<const U, T>)
    constexpr View(const View<U>& other) noexcept : region_(other.region()) {}

    std::size_t size() const noexcept { return region_.bytes / sizeof(T); } ///< elements
    std::size_t size_bytes() const noexcept { return region_.bytes; }
    bool empty() const noexcept { return region_.bytes == 0; }
    /// From the start of the allocation.
    std::size_t offset_bytes() const noexcept {
        return region_.offset != detail::moved_from ? region_.offset : 0;
    }

    /// `count` elements from element `first` on. Throws Error (out_of_range) if they leave this view.
    View subview(std::size_t first, std::size_t count = to_end,
                 SourceLocation where = SourceLocation::current()) const {
        if (count == to_end && first <= size()) {
            count = size() - first;
        }
        detail::check_range(size(), first, count, where);
        return View(detail::Region{region_.memory, region_.offset + first * sizeof(T), count * sizeof(T)});
    }
    View first(std::size_t count, SourceLocation where = SourceLocation::current()) const {
        return subview(0, count, where);
    }
    View last(std::size_t count, SourceLocation where = SourceLocation::current()) const {
        detail::check_range(size(), 0, count, where);
        return subview(size() - count, count, where);
    }

    /// A host view of this range, see Mapping. Blocks until the commands enqueued on `queue` so far are done;
    /// throws the error of one that failed. Elements that are const are mapped for Map::read only; else Error
    /// (invalid_argument).
    Mapping<T> map(Queue& queue, Map access, SourceLocation where = SourceLocation::current()) const;

    /// Throws Error (invalid_state) for a view of nothing (a default-made one).
    Device device(SourceLocation where = SourceLocation::current()) const {
        return detail::device_of(region_, where);
    }
    MemoryKind kind(SourceLocation where = SourceLocation::current()) const {
        return detail::kind_of(region_, where);
    }

    /// For the library itself and the interop headers.
    explicit constexpr View(const detail::Region& region) noexcept : region_(region) {}
    constexpr const detail::Region& region() const noexcept { return region_; }

private:
    detail::Region region_;
};

} // namespace ferry
