// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/buffer.hpp>
#include <ferry/export.hpp>
#include <ferry/source_location.hpp>
#include <ferry/standard.hpp>
#include <ferry/view.hpp>

#include <cstddef>
#include <span>
#include <type_traits>

// Rectangles of images, blocks of volumes, columns of matrices: memory that is not contiguous and that
// Queue::copy can transfer in one command. All types here use one convention. Extents and origins count
// elements, rows and slices. Pitches count bytes from the start of one row (or slice) to the start of the
// next.

namespace ferry {

/// The size of a box: `width` elements in a row, `height` rows in a slice, `depth` slices. A box is empty if
/// any of them is zero.
struct Extent {
    std::size_t width = 1;
    std::size_t height = 1;
    std::size_t depth = 1;

    std::size_t volume() const noexcept { return width * height * depth; } ///< elements
    friend bool operator==(const Extent&, const Extent&) = default;
};

/// A position in a box: element `x` of row `y` of slice `z`, each counted from 0.
struct Origin {
    std::size_t x = 0;
    std::size_t y = 0;
    std::size_t z = 0;
};

/// The distance in bytes between the starts of adjacent rows and of adjacent slices. Default: 0, which means
/// no gaps: a row pitch of width x sizeof(T) and a slice pitch of height x row pitch. A pitch need not be a
/// multiple of the element size.
struct Pitches {
    std::size_t row = 0;
    std::size_t slice = 0;
};

namespace detail {

/// The layout of a box in bytes. It has been checked: the box is not empty, rows and slices do not overlap,
/// and no size overflows.
struct BoxLayout {
    std::size_t width = 0; ///< Bytes of a row.
    std::size_t height = 0;
    std::size_t depth = 0;
    std::size_t row_pitch = 0;
    std::size_t slice_pitch = 0;

    /// Bytes from the first byte of the box to one past its last byte. 0 if the box is empty.
    std::size_t reach() const noexcept {
        return width == 0 ? 0 : (depth - 1) * slice_pitch + (height - 1) * row_pitch + width;
    }
};

/// Throws Error (invalid_argument, out_of_range) unless the box fits in `bytes` bytes.
FERRY_API BoxLayout lay_out(std::size_t bytes, std::size_t element, const Extent& extent,
                            const Pitches& pitches, SourceLocation where);
/// One end of a box copy. It is host memory if its region has no memory.
struct BoxSide {
    Region region;
    void* host = nullptr;
    BoxLayout layout;
};

/// The layout of a part of `box`. Stores the byte offset of its start in `offset`. Throws Error
/// (out_of_range) if the part exceeds the box.
FERRY_API BoxLayout part_of(const BoxLayout& box, std::size_t element, const Origin& origin,
                            const Extent& extent, std::size_t& offset, SourceLocation where);

inline Extent extent_of(const BoxLayout& layout, std::size_t element) noexcept {
    return {layout.width / element, layout.height, layout.depth};
}

} // namespace detail

/// A box of elements in a buffer: a view of a range of the buffer as rows and slices. It is cheap to copy,
/// owns nothing, and must not outlive its buffer. sub() returns a part of it.
///
///     ferry::Box image{buffer, {.width = 1920, .height = 1080}};          // rows without gaps
///     ferry::Box padded{buffer, {1920, 1080}, {.row = 8192}};             // one row every 8192 bytes
///     queue.copy(image.sub({.x = 100, .y = 50}, {64, 64}), ferry::HostBox{tile, {64, 64}});
///     ferry::Box column = image.sub({.x = 7}, {1, 1080});                 // a strided view
template <Element T>
class Box {
public:
    using value_type = std::remove_const_t<T>;

    /// An empty box.
    constexpr Box() noexcept = default;

    /// Makes a box at the start of `view`. Elements after its last row are ignored. Throws Error:
    /// invalid_argument (a row pitch is smaller than a row, or a slice pitch is smaller than the rows of a
    /// slice), out_of_range (the box exceeds the view, or its size overflows).
    Box(const View<T>& view, const Extent& extent, const Pitches& pitches = {},
        SourceLocation where = SourceLocation::current())
        : region_(view.region()),
          layout_(detail::lay_out(view.size_bytes(), sizeof(T), extent, pitches, where)) {
        region_.bytes = layout_.reach();
    }
    template <class U>
        requires(std::is_same_v<T, U> || std::is_same_v<T, const U>)
    Box(Buffer<U>& buffer, const Extent& extent, const Pitches& pitches = {},
        SourceLocation where = SourceLocation::current())
        : Box(View<T>(buffer.view()), extent, pitches, where) {}
    template <class U>
        requires std::is_same_v<T, const U> Box(const Buffer<U>& buffer, const Extent& extent,
                                                const Pitches& pitches = {},
                                                SourceLocation where = SourceLocation::current())
            : Box(buffer.view(), extent, pitches, where) {}
        template <class U>
            requires(std::is_same_v<const U, T>)
        Box(const Box<U>& other)
        noexcept : Box(other.region(), other.layout()) {}

        Extent extent() const noexcept {
            return detail::extent_of(layout_, sizeof(T));
        }
        Pitches pitches() const noexcept {
            return {layout_.row_pitch, layout_.slice_pitch};
        } ///< 0 if the box is empty.
        std::size_t size() const noexcept {
            return extent().volume();
        } ///< elements
        bool empty() const noexcept {
            return layout_.width == 0;
        }

        /// The part that starts at `origin`. Throws Error (out_of_range) if the part exceeds this box.
        Box sub(const Origin& origin, const Extent& extent,
                SourceLocation where = SourceLocation::current()) const {
            std::size_t offset = 0;
            const detail::BoxLayout part = detail::part_of(layout_, sizeof(T), origin, extent, offset, where);
            return Box({region_.memory, region_.offset + offset, part.reach()}, part);
        }

        /// For use by the library only.
        Box(const detail::Region& region, const detail::BoxLayout& layout) noexcept
            : region_(region), layout_(layout) {}
        const detail::Region& region() const noexcept {
            return region_;
        } ///< Bytes from the first byte of the box to its last.
        const detail::BoxLayout& layout() const noexcept {
            return layout_;
        }

    private:
        detail::Region region_;
        detail::BoxLayout layout_;
};

template <class T>
Box(Buffer<T>&, const Extent&, const Pitches& = {}, SourceLocation = {}) -> Box<T>;
template <class T>
Box(const Buffer<T>&, const Extent&, const Pitches& = {}, SourceLocation = {}) -> Box<const T>;
template <class T>
Box(const View<T>&, const Extent&, const Pitches& = {}, SourceLocation = {}) -> Box<T>;

/// A box in host memory: a contiguous range (vector, array, span) seen as rows and slices.
template <Element T>
class HostBox {
public:
    using value_type = std::remove_const_t<T>;

    constexpr HostBox() noexcept = default;

    /// Makes a box at the start of `range`. Throws the same errors as Box.
    template <class R>
        requires std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
            std::is_convertible_v < std::remove_reference_t<std::ranges::range_reference_t<R>>(*)
    [],
        T (*)[] > HostBox(R&& range, const Extent& extent, const Pitches& pitches = {},
                          SourceLocation where = SourceLocation::current())
        : data_(std::ranges::data(range)),
    layout_(detail::lay_out(std::ranges::size(range) * sizeof(T), sizeof(T), extent, pitches, where)) {
        static_assert(std::is_lvalue_reference_v<R> || std::ranges::borrowed_range<R>,
                      "the range would be gone before it is copied");
    }
    template <class U>
        requires(std::is_same_v<const U, T>)
    HostBox(const HostBox<U>& other)
    noexcept : HostBox(other.data(), other.layout()) {}

    Extent extent() const noexcept { return detail::extent_of(layout_, sizeof(T)); }
    Pitches pitches() const noexcept { return {layout_.row_pitch, layout_.slice_pitch}; }
    std::size_t size() const noexcept { return extent().volume(); } ///< Number of elements.
    bool empty() const noexcept { return layout_.width == 0; }
    T* data() const noexcept { return data_; } ///< The first element.

    /// The part that starts at `origin`. Throws Error (out_of_range) if the part exceeds this box.
    HostBox sub(const Origin& origin, const Extent& extent,
                SourceLocation where = SourceLocation::current()) const {
        std::size_t offset = 0;
        const detail::BoxLayout part = detail::part_of(layout_, sizeof(T), origin, extent, offset, where);
        using Byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
        return HostBox(reinterpret_cast<T*>(reinterpret_cast<Byte*>(data_) + offset), part);
    }

    /// For use by the library only.
    HostBox(T* data, const detail::BoxLayout& layout) noexcept : data_(data), layout_(layout) {}
    const detail::BoxLayout& layout() const noexcept { return layout_; }

private:
    T* data_ = nullptr;
    detail::BoxLayout layout_;
};

template <class R>
HostBox(R&&, const Extent&, const Pitches& = {}, SourceLocation = {})
    -> HostBox<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

namespace detail {

template <class T>
struct IsBox : std::false_type {};
template <class T>
struct IsBox<Box<T>> : std::true_type {};
template <class T>
struct IsHostBox : std::false_type {};
template <class T>
struct IsHostBox<HostBox<T>> : std::true_type {};

template <class B>
struct IsReadOnlyBox : std::false_type {};
template <class T>
struct IsReadOnlyBox<Box<const T>> : std::true_type {};
template <class T>
struct IsReadOnlyBox<HostBox<const T>> : std::true_type {};

} // namespace detail

/// One end of a box copy: a Box or a HostBox.
template <class B>
concept BoxEnd = detail::IsBox<B>::value || detail::IsHostBox<B>::value;

} // namespace ferry
