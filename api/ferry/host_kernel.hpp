// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/argument_type.hpp>
#include <ferry/grid.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ferry {

/// The work-group that a host kernel function runs. The function is called once for each group and loops over
/// the work-items of the group itself, so that the compiler can vectorise the loop. A barrier of other
/// devices corresponds to the end of one loop and the start of the next.
struct HostGroup {
    Dim3 group;  ///< Index of this group, 0 .. groups - 1 in each dimension.
    Dim3 groups; ///< Number of groups.
    Dim3 local;  ///< Work-items in a group.

    /// Index of the first work-item of this group, and one past its last, in each dimension.
    std::size_t begin_x() const noexcept { return group.x * local.x; }
    std::size_t end_x() const noexcept { return begin_x() + local.x; }
    std::size_t begin_y() const noexcept { return group.y * local.y; }
    std::size_t end_y() const noexcept { return begin_y() + local.y; }
    std::size_t begin_z() const noexcept { return group.z * local.z; }
    std::size_t end_z() const noexcept { return begin_z() + local.z; }
};

/// One parameter of a host kernel.
struct HostParameter {
    detail::ArgumentKind kind{};
    ScalarType type{};
    std::size_t element = 0; ///< Bytes of the value, or of one element that the pointer refers to.
    bool read_only = false;  ///< True for a pointer to const.
};

/// A kernel for the host backend: a function of the program under a name. `run` receives one pointer for each
/// argument. For a by-value argument it points to the value. For a buffer or local memory it points to a
/// `void*`. Local memory is aligned to 64 bytes, private to the group, and undefined at the start of the
/// group. `run` is called concurrently from several threads for different groups. An exception that it throws
/// becomes the error of the command.
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
    static constexpr HostParameter parameter{ArgumentKind::value, scalar_type<T>(), sizeof(T)};
    static T get(void* p) noexcept { return *static_cast<T*>(p); }
};
template <class T>
struct HostArgument<T*> {
    static constexpr HostParameter parameter{ArgumentKind::buffer, scalar_type<T>(), sizeof(T),
                                             std::is_const_v<T>};
    static T* get(void* p) noexcept { return static_cast<T*>(*static_cast<void**>(p)); }
};
template <class T>
struct HostArgument<HostLocal<T>> {
    static constexpr HostParameter parameter{ArgumentKind::local, scalar_type<T>(), sizeof(T)};
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

/// Makes a kernel from a function `void f(const HostGroup&, parameters...)`. Pointer parameters take buffers,
/// HostLocal<T> takes local<T>(n), and all other parameters are passed by value.
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
