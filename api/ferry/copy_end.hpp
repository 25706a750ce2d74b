// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/box.hpp>
#include <ferry/buffer.hpp>
#include <ferry/import.hpp>
#include <ferry/share.hpp>
#include <ferry/standard.hpp>
#include <ferry/view.hpp>

#include <cstddef>
#include <type_traits>

// The types that can be an end of a copy. Queue::copy and Batch::copy take the same ones.

namespace ferry {

namespace detail {

/// Host memory that takes part in a copy.
struct HostRange {
    void* data = nullptr;
    std::size_t bytes = 0;
};

template <class R>
concept HostElements =
    std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && Element<std::ranges::range_value_t<R>>;

template <class T>
struct IsDeviceRange : std::false_type {};
template <class T>
struct IsDeviceRange<Buffer<T>> : std::true_type {};
template <class T>
struct IsDeviceRange<View<T>> : std::true_type {};
template <class T>
struct IsDeviceRange<Imported<T>> : std::true_type {};
template <class T>
struct IsReadOnlyRange : std::false_type {};
template <class T>
struct IsReadOnlyRange<View<const T>> : std::true_type {};
template <class T>
struct IsReadOnlyRange<Imported<const T>> : std::true_type {};
template <class R>
concept DeviceElements = IsDeviceRange<std::remove_cvref_t<R>>::value;

template <class R>
struct ElementOf {}; // No type, so that overloads for other types drop out.
template <std::ranges::range R>
    requires(!DeviceElements<R>)
struct ElementOf<R> {
    using type = std::ranges::range_value_t<R>;
};
template <DeviceElements R>
struct ElementOf<R> {
    using type = typename std::remove_cvref_t<R>::value_type;
};
template <class R>
using element_t = typename ElementOf<R>::type;

template <class R>
HostRange host_range(R&& range) noexcept {
    using T = std::ranges::range_value_t<R>;
    return {const_cast<T*>(std::ranges::data(range)), std::ranges::size(range) * sizeof(T)};
}

/// A view or an import of const elements is read-only, because its pages may be a read-only file mapping.
template <class D>
constexpr void check_writable() {
    static_assert(!IsReadOnlyRange<std::remove_cvref_t<D>>::value,
                  "the destination of a copy or a fill must be writable");
}

/// True if the memory of a range of this type is valid after the call. A reference type denotes an lvalue.
/// The memory of a Buffer stays until the commands that use it are done, and an Imported waits for them.
template <class R>
concept Lasting = DeviceElements<R> || std::is_lvalue_reference_v<R> || std::ranges::borrowed_range<R>;

/// Reports an invalid end of a copy at compile time. Returns true if the end is valid.
template <class R>
consteval bool check_end() {
    using Plain = std::remove_cvref_t<R>;
    constexpr bool right = DeviceElements<R> || HostElements<R>;
    constexpr bool pointer = std::is_pointer_v<Plain>;
    static_assert(!pointer,
                  "a pointer does not say how many elements it points to; copy a std::span(pointer, count)");
    static_assert(
        !is_shared<Plain>,
        "a share is no end of a copy: its elements are the program's own; host() of the share gives a "
        "guard through which the host uses them, and a launch takes the share itself");
    static_assert(
        right || pointer || is_shared<Plain>,
        "an end of a copy is a contiguous host range of trivially copyable elements (std::span, std::vector, "
        "std::array) or a Buffer, a View or an Imported; a Box goes with a Box or a HostBox");
    return right;
}

/// Reports an invalid copy at compile time. Returns true if both ends are valid.
template <class S, class D>
consteval bool check_ends() {
    constexpr bool source_right = check_end<S>();
    constexpr bool right = check_end<D>() && source_right;
    if constexpr (right) {
        static_assert(DeviceElements<S> || DeviceElements<D>,
                      "one end of a copy must be a Buffer or a View; use std::copy between host ranges");
        static_assert(std::is_same_v<element_t<S>, element_t<D>>,
                      "both ends of a copy must have the same element type");
        check_writable<D>();
        static_assert(
            Lasting<S>,
            "the source would be gone before the copy is done; give it a name, or use copy_and_wait()");
        static_assert(Lasting<D>, "the destination would be gone before the copy is done");
        if constexpr (HostElements<D> && !DeviceElements<D>) {
            static_assert(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<D>>>,
                          "the destination of a copy must be writable");
        }
    }
    return right && (DeviceElements<S> || DeviceElements<D>);
}

/// The part of the checks of Queue::read() that is possible at compile time.
template <class T>
constexpr void check_vector() {
    static_assert(
        !std::is_same_v<T, bool>,
        "a std::vector<bool> keeps bits, not elements that a copy could write; copy_and_wait() into "
        "an array of bool, or use elements of std::uint8_t");
}

template <class T>
Region region_of(const Buffer<T>& buffer) noexcept {
    return buffer.region();
}
template <class T>
Region region_of(const Imported<T>& imported) noexcept {
    return imported.region();
}
template <class T>
Region region_of(const View<T>& view) noexcept {
    return view.region();
}

template <class S, class D>
concept RangeEnds = !(BoxEnd<std::remove_cvref_t<S>> && BoxEnd<std::remove_cvref_t<D>>);

} // namespace detail

/// A contiguous host range (std::span, vector, array), or a Buffer, Imported or View of Ferry.
template <class R>
concept CopyEnd = detail::DeviceElements<R> || detail::HostElements<R>;

} // namespace ferry
