// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/argument.hpp>
#include <ferry/grid.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ferry {

/// Which work-group a host kernel function runs: it is called once for each group and loops over the
/// group's work-items itself, so that the compiler can vectorise that loop. What other devices do with a
/// barrier is the end of one loop and the start of the next.
struct HostGroup {
    Dim3 group;  ///< index of this group, 0 .. groups - 1 in each dimension
    Dim3 groups; ///< number of groups
    Dim3 local;  ///< work-items in a group

    /// Index of this group's first work-item, and one past its last, in x.
    std::size_t begin_x() const noexcept { return group.x * local.x; }
    std::size_t end_x() const noexcept { return begin_x() + local.x; }
    std::size_t begin_y() const noexcept { return group.y * local.y; }
    std::size_t end_y() const noexcept { return begin_y() + local.y; }
    std::size_t begin_z() const noexcept { return group.z * local.z; }
    std::size_t end_z() const noexcept { return begin_z() + local.z; }
};

/// One parameter of a host kernel.
struct HostParameter {
    detail::Argument::Kind kind{};
    ScalarType type{};
    std::size_t element = 0; ///< bytes of the value, or of one element behind the pointer
    bool read_only = false;  ///< a pointer to const
};

/// A kernel for the host backend: a function of the program itself, under a name. `run` gets one pointer
/// for each argument: to the value for a by-value argument, to the `void*` for a buffer or local memory
/// (aligned to 64; private to the group, undefined at its start). It is called from several threads at once
/// for different groups. An exception it throws becomes the command's error.
struct HostKernel {
    std::string_view name;
    void (*run)(const HostGroup& group, void* const* arguments) = nullptr;
    std::span<const HostParameter> parameters;
};

/// Local memory of a host kernel, the counterpart of local<T>(n).
template <class T>
struct HostLocal {
    T* data = nullptr;
    T& operator[](std::size_t i) const noexcept { return data[i]; }
};

namespace detail {

template <class T>
struct HostArgument {
    static_assert(std::is_trivially_copyable_v<T>);
    static constexpr HostParameter parameter{Argument::Kind::value, scalar_type<T>(), sizeof(T)};
    static T get(void* p) noexcept { return *static_cast<T*>(p); }
};
template <class T>
struct HostArgument<T*> {
    static constexpr HostParameter parameter{Argument::Kind::buffer, scalar_type<T>(), sizeof(T),
                                             std::is_const_v<T>};
    static T* get(void* p) noexcept { return static_cast<T*>(*static_cast<void**>(p)); }
};
template <class T>
struct HostArgument<HostLocal<T>> {
    static constexpr HostParameter parameter{Argument::Kind::local, scalar_type<T>(), sizeof(T)};
    static HostLocal<T> get(void* p) noexcept { return {static_cast<T*>(*static_cast<void**>(p))}; }
};

template <auto Function>
struct HostBinding;
template <class... Args, void (*Function)(const HostGroup&, Args...)>
struct HostBinding<Function> {
    static constexpr std::array<HostParameter, sizeof...(Args)> parameters{HostArgument<Args>::parameter...};
    static void run(const HostGroup& group, void* const* arguments) {
        call(group, arguments, std::index_sequence_for<Args...>{});
    }
    template <std::size_t... I>
    static void call(const HostGroup& group, [[maybe_unused]] void* const* arguments,
                     std::index_sequence<I...>) {
        Function(group, HostArgument<Args>::get(arguments[I])...);
    }
};

} // namespace detail

/// Makes a kernel of a function `void f(const HostGroup&, parameters...)`. Pointer parameters take buffers,
/// HostLocal<T> takes local<T>(n), everything else is passed by value.
///
///     void saxpy(const ferry::HostGroup& g, float a, const float* x, float* y, unsigned n);
///     constexpr ferry::HostKernel kernels[] = {ferry::host_kernel<saxpy>("saxpy")};
///     ferry::Program program{device, ferry::Source::host(kernels)};
template <auto Function>
constexpr HostKernel host_kernel(std::string_view name) noexcept {
    using Binding = detail::HostBinding<Function>;
    return {name, &Binding::run, Binding::parameters};
}

} // namespace ferry
