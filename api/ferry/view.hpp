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

/// The types that a buffer can hold: trivially copyable, with an alignment of at most max_element_alignment.
template <class T>
concept Element = std::is_trivially_copyable_v<std::remove_const_t<T>> && !std::is_volatile_v<T> &&
                  !std::is_pointer_v<T> && !std::is_reference_v<T> && alignof(T) <= max_element_alignment;

namespace detail {

class Memory;

/// The offset that marks the region of a moved-from object, which every command rejects. Its memory is null.
inline constexpr std::size_t moved_from = (std::numeric_limits<std::size_t>::max)();

/// A range of an allocation, in bytes. It is empty if `memory` is null.
struct Region {
    Memory* memory = nullptr;
    std::size_t offset = 0;
    std::size_t bytes = 0;
};

/// Elements in device memory cannot be indexed or iterated. These members give a compile-time message that
/// names the alternatives, and no other message. Iterator satisfies no iterator concept, so a Buffer is no
/// range.
template <class T>
class ElementsOnDevice {
    struct Iterator {
        T& operator*() const;
        Iterator& operator++();
        bool operator!=(const Iterator&) const;
    };

public:
    template <class U = T>
    Iterator begin() const {
        return *refuse<U, Iterator>();
    }
    template <class U = T>
    Iterator end() const {
        return {};
    }
    template <class I>
    T& operator[](I) const {
        return *refuse<I, T>();
    }

private:
    template <class U, class Result>
    static constexpr Result* refuse() {
        static_assert(
            sizeof(U) == 0,
            "the elements of a Buffer or a View are on the device; map() gives a range on the host, "
            "Queue::read() copies them into a vector, span() is for memory of kind host or shared");
        return nullptr;
    }
};

/// Throws Error (out_of_range) with the values unless first <= size and count <= size - first.
FERRY_API void check_range(std::size_t size, std::size_t first, std::size_t count, SourceLocation where);
/// The host address of a region. Throws Error (unsupported) if the host cannot access that memory directly.
FERRY_API void* host_address(const Region& region, SourceLocation where);
FERRY_API Device device_of(const Region& region, SourceLocation where);
FERRY_API MemoryKind kind_of(const Region& region, SourceLocation where);

} // namespace detail

/// All remaining elements, for View::subview() and Buffer::subview().
inline constexpr std::size_t to_end = (std::numeric_limits<std::size_t>::max)();

/// A range of elements of a buffer. It is cheap to copy and owns nothing. Like a std::span, it must not
/// outlive its buffer. Moving the buffer keeps its views valid. A View<T> converts to View<const T>.
template <Element T>
class View : public detail::ElementsOnDevice<T> {
public:
    using value_type = std::remove_const_t<T>;

    /// An empty view. A copy from or to it does nothing, and a kernel receives it as a null pointer.
    constexpr View() noexcept = default;
    template <class U>
        requires(std::is_same_v<const U, T>)
    constexpr View(const View<U>& other) noexcept : region_(other.region()) {}

    std::size_t size() const noexcept { return region_.bytes / sizeof(T); } ///< Number of elements.
    std::size_t size_bytes() const noexcept { return region_.bytes; }
    bool empty() const noexcept { return region_.bytes == 0; }
    /// Offset in bytes from the start of the allocation.
    std::size_t offset_bytes() const noexcept {
        return region_.offset != detail::moved_from ? region_.offset : 0;
    }

    /// `count` elements from index `first`. Throws Error (out_of_range) if they exceed this view.
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

    /// Maps this range for the host. See Mapping. Blocks until the commands enqueued on `queue` so far are
    /// done, and throws the error of one that failed. Const elements can be mapped only with Map::read; other
    /// values throw Error (invalid_argument).
    Mapping<T> map(Queue& queue, Map access, SourceLocation where = SourceLocation::current()) const;

    /// Throws Error (invalid_state) for a default-constructed view.
    Device device(SourceLocation where = SourceLocation::current()) const {
        return detail::device_of(region_, where);
    }
    MemoryKind kind(SourceLocation where = SourceLocation::current()) const {
        return detail::kind_of(region_, where);
    }

    /// For use by the library and the interop headers.
    explicit constexpr View(const detail::Region& region) noexcept : region_(region) {}
    constexpr const detail::Region& region() const noexcept { return region_; }

private:
    detail::Region region_;
};

} // namespace ferry
