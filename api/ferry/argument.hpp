// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/argument_type.hpp>
#include <ferry/buffer.hpp>
#include <ferry/import.hpp>
#include <ferry/share.hpp>
#include <ferry/view.hpp>

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace ferry {

/// Local memory (CUDA: shared memory) of `count` elements of T for each work-group of a launch. It is the
/// argument for a local pointer parameter of a kernel. See local().
template <Element T>
struct LocalMemory {
    std::size_t count = 0;
};

/// Makes a LocalMemory argument: `queue.launch(kernel, grid, data, ferry::local<float>(256))`. A launch can
/// have several local arguments, in any position. OpenCL C kernels take the argument as `__local float*`.
/// CUDA and HIP kernels in the vendor's own language have one dynamic block, `extern __shared__`. They take
/// the argument as an `unsigned int`: the byte offset of this array in the block, aligned to 16 bytes.
template <Element T>
constexpr LocalMemory<T> local(std::size_t count) noexcept {
    return {count};
}

namespace detail {

/// One launch argument in the form that the front end takes. It lives on the caller's stack.
struct Argument {
    ArgumentKind kind = ArgumentKind::value;
    ScalarType type = ScalarType::other;
    std::size_t bytes = 0;       ///< value: its size; buffer: size of the range; local: size per work-group.
                                 ///< In bytes.
    std::size_t element = 0;     ///< Size of one element, in bytes.
    const void* value = nullptr; ///< ArgumentKind::value only. Valid during the call.
    Region region;               ///< ArgumentKind::buffer only.
    bool constant = false; ///< ArgumentKind::buffer only: the caller declares that the kernel does not write
                           ///< to it.
};

template <class T>
Argument argument(const T& value) noexcept {
    static_assert(
        !std::is_pointer_v<T> && !std::is_null_pointer_v<T>,
        "a kernel argument is a Buffer, a View, a Shared, local<T>(n) or a plain value, not a pointer");
    static_assert(!std::is_same_v<T, bool>, "bool has no fixed size on devices; pass an int");
    static_assert(
        std::is_trivially_copyable_v<T>,
        "a kernel argument is a Buffer, a View, a Shared, local<T>(n) or a plain value that can be copied "
        "bytewise; a std::vector goes through share() or a Buffer");
    static_assert(alignof(T) <= max_element_alignment,
                  "a value that is passed to a kernel has an alignment of at most max_element_alignment");
    return {.kind = ArgumentKind::value,
            .type = scalar_type<T>(),
            .bytes = sizeof(T),
            .element = sizeof(T),
            .value = &value,
            .region = {}};
}
template <class T>
Argument argument(const View<T>& view) noexcept {
    return {.kind = ArgumentKind::buffer,
            .type = scalar_type<T>(),
            .bytes = view.size_bytes(),
            .element = sizeof(T),
            .value = nullptr,
            .region = view.region(),
            .constant = std::is_const_v<T>};
}
template <class T>
Argument argument(const Buffer<T>& buffer) noexcept {
    Argument made = argument(View<const T>(buffer));
    made.constant = false;
    return made;
}
template <class T>
Argument argument(const Imported<T>& imported) noexcept {
    return argument(imported.view());
}
/// The region is empty. Queue::launch() prepares the share and sets the region.
template <class A>
    requires is_shared<A> Argument argument(const A& shared)
noexcept {
    using T = typename A::value_type;
    return {.kind = ArgumentKind::buffer,
            .type = scalar_type<T>(),
            .bytes = shared.use().bytes,
            .element = sizeof(T),
            .value = nullptr,
            .region = {}};
}
template <class T>
Argument argument(const LocalMemory<T>& local) noexcept {
    return {.kind = ArgumentKind::local,
            .type = scalar_type<T>(),
            .bytes = local.count > static_cast<std::size_t>(-1) / sizeof(T) ? static_cast<std::size_t>(-1)
                                                                            : local.count * sizeof(T),
            .element = sizeof(T),
            .value = nullptr,
            .region = {}};
}

} // namespace detail

/// A launch argument with a type, or in a list with a length, that is known only at run time:
///
///     std::vector<ferry::Argument> arguments{buffer, 3.0F, ferry::local<float>(256)};
///     queue.launch(kernel, grid, arguments);
///
/// Constructible from everything that Queue::launch() takes. A plain value is copied into the object. A
/// Buffer, Imported or Shared is not owned: it must stay alive, at the same address, until launch() has
/// returned.
class Argument {
public:
    template <class T>
        requires(!std::is_same_v<T, Argument>)
    Argument(const T& argument) : packed_(detail::argument(argument)), use_(detail::share_use(argument)) {
        if (packed_.kind == detail::ArgumentKind::value) {
            const auto* const bytes = reinterpret_cast<const std::byte*>(&argument);
            if constexpr (sizeof(T) <= sizeof(small_)) {
                std::memcpy(small_, bytes, sizeof(T));
            } else {
                large_.assign(bytes, bytes + sizeof(T));
            }
        }
    }

    /// For use by the library only. The result of packed() points into this object.
    detail::Argument packed() const noexcept {
        detail::Argument packed = packed_;
        if (packed.kind == detail::ArgumentKind::value) {
            packed.value = large_.empty() ? small_ : large_.data();
        }
        return packed;
    }
    const detail::ShareUse& use() const noexcept { return use_; }

private:
    detail::Argument packed_;
    detail::ShareUse use_;
    alignas(16) std::byte small_[64]{};
    std::vector<std::byte> large_;
};

namespace detail {

/// True if the arguments of a launch are a single list of ferry::Argument.
template <class... Args>
inline constexpr bool argument_list = false;
template <class A>
inline constexpr bool argument_list<A> = std::is_convertible_v<const A&, std::span<const ferry::Argument>>;

} // namespace detail
} // namespace ferry
