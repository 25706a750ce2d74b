// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/buffer.hpp>
#include <ferry/import.hpp>
#include <ferry/interop/cuda.hpp>
#include <ferry/interop/hip.hpp>
#include <ferry/interop/host.hpp>
#include <ferry/mapping.hpp>
#include <ferry/queue.hpp>
#include <ferry/share.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#if defined(KOKKOS_ENABLE_HIP) && KOKKOS_VERSION < 30799
namespace Kokkos::Experimental {
class HIPManagedSpace; // The first versions do not declare it.
} // namespace Kokkos::Experimental
#endif

// Kokkos and Ferry on the same memory, without copies in either direction. Needs Kokkos 3.4 or later and an
// earlier Kokkos::initialize(); Ferry itself needs neither. The backends of the Kokkos build determine which
// spaces are available here.
//
//     namespace kk = ferry::interop::kokkos;
//     auto field = kk::unmanaged<Kokkos::HostSpace>(buffer, {rows, columns});
//     auto lent = kk::lend(device, view);
//     kk::run(queue, [&](const auto& space) { Kokkos::parallel_for(...); });
//
// Kokkos uses Ferry's memory through `field`. Ferry uses the memory of Kokkos through `lent`. Work started in
// run() is ordered with the commands of the queue.
//
// Fences. Neither library tracks the work of the other one. Between commands of Ferry and of Kokkos that use
// the same memory, call run(), or call acquire() before the work of Kokkos and release() after it.
// unmanaged() and lend() do not wait.
namespace ferry::interop::kokkos {

namespace detail {

/// The backend whose addresses the pointers of a memory space are. Backend::host: addresses of the processor.
template <class Space>
inline constexpr Backend backend_of = Backend::host;
#ifdef KOKKOS_ENABLE_CUDA
template <>
inline constexpr Backend backend_of<Kokkos::CudaSpace> = Backend::cuda;
template <>
inline constexpr Backend backend_of<Kokkos::CudaUVMSpace> = Backend::cuda;
template <>
inline constexpr Backend backend_of<Kokkos::CudaHostPinnedSpace> = Backend::cuda;
#endif
#ifdef KOKKOS_ENABLE_HIP
#if KOKKOS_VERSION >= 30799
using HipSpace = Kokkos::HIPSpace;
using HipHostPinnedSpace = Kokkos::HIPHostPinnedSpace;
using HipManagedSpace = Kokkos::HIPManagedSpace;
using Hip = Kokkos::HIP;
#else
using HipSpace = Kokkos::Experimental::HIPSpace;
using HipHostPinnedSpace = Kokkos::Experimental::HIPHostPinnedSpace;
using HipManagedSpace = Kokkos::Experimental::HIPManagedSpace;
using Hip = Kokkos::Experimental::HIP;
#endif
template <>
inline constexpr Backend backend_of<HipSpace> = Backend::hip;
template <>
inline constexpr Backend backend_of<HipHostPinnedSpace> = Backend::hip;
template <>
inline constexpr Backend backend_of<HipManagedSpace> = Backend::hip;
#endif

template <class Space>
inline constexpr bool host_reaches = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space>::accessible;

template <class T, std::size_t Rank>
struct Data {
    using type = typename Data<T, Rank - 1>::type*;
};
template <class T>
struct Data<T, 0> {
    using type = T;
};

inline std::string shape(const std::size_t* extents, std::size_t rank) {
    std::string text;
    for (std::size_t i = 0; i < rank; ++i) {
        text += (i == 0 ? "" : " x ") + std::to_string(extents[i]);
    }
    return text;
}

/// The address of Ferry's memory in the memory space. Null for an empty region.
template <class Space>
void* address(const ferry::detail::Region& region, SourceLocation where) {
    constexpr Backend backend = backend_of<Space>;
    if (region.memory == nullptr) {
        return nullptr;
    }
    if constexpr (backend == Backend::host) {
        static_assert(host_reaches<Space>, "Ferry does not know this memory space of Kokkos'");
        if (ferry::detail::device_of(region, where).backend() == Backend::host) {
            return host::pointer(View<std::byte>(region), where);
        }
        return ferry::detail::host_address(region, where);
    } else {
        if constexpr (host_reaches<Space>) { // The processor can also access page-locked and managed memory.
            static_cast<void>(ferry::detail::host_address(region, where));
        }
        return reinterpret_cast<void*>(interop::detail::native_range(region, backend, where).address);
    }
}

/// Throws unless `size` is the product of the extents.
template <std::size_t Rank>
void check_shape(const std::array<std::size_t, Rank>& extents, std::size_t size, SourceLocation where) {
    std::size_t left = size;
    bool empty = false;
    bool fits = true;
    for (const std::size_t extent : extents) {
        empty = empty || extent == 0;
        fits = fits && extent != 0 && left % extent == 0;
        left = fits ? left / extent : 0;
    }
    if (empty ? size != 0 : !fits || left != 1) {
        throw Error(Code::invalid_argument,
                    "A Kokkos::View of " + shape(extents.data(), Rank) +
                        " elements was asked for over memory of " + std::to_string(size) +
                        " elements; the product of the extents must be that number",
                    where);
    }
}

template <class T, class Layout, class Space, std::size_t Rank>
using Unmanaged =
    Kokkos::View<typename Data<T, Rank>::type, Layout, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class Space, class Layout, class T, std::size_t Rank>
Unmanaged<T, Layout, Space, Rank> make(void* data, const std::array<std::size_t, Rank>& extents) {
    static_assert(Rank >= 1 && Rank <= 3, "a Kokkos::View of Ferry's memory has one to three extents");
    static_assert(std::is_same_v<Layout, Kokkos::LayoutLeft> || std::is_same_v<Layout, Kokkos::LayoutRight>,
                  "a Kokkos::View of Ferry's memory is LayoutLeft or LayoutRight: it has no gaps");
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return Unmanaged<T, Layout, Space, Rank>(static_cast<T*>(data), extents[I]...);
    }
    (std::make_index_sequence<Rank>{});
}

template <class Space, class Layout, class T, std::size_t Rank>
auto over_region(const ferry::detail::Region& region, const std::array<std::size_t, Rank>& extents,
                 SourceLocation where) {
    check_shape(extents, region.bytes / sizeof(T), where);
    return make<Space, Layout, T>(address<Space>(region, where), extents);
}

template <class Space, class Layout, class T, std::size_t Rank>
auto over_host_memory(T* data, std::size_t size, const std::array<std::size_t, Rank>& extents,
                      SourceLocation where) {
    static_assert(backend_of<Space> == Backend::host,
                  "a mapping, a guard and a span are the processor's memory: take Kokkos::HostSpace");
    static_assert(host_reaches<Space>, "Ferry does not know this memory space of Kokkos'");
    check_shape(extents, size, where);
    return make<Space, Layout, T>(const_cast<void*>(static_cast<const void*>(data)), extents);
}

} // namespace detail

/// An unmanaged Kokkos::View of the elements of a buffer, a view, an import, a mapping, a guard of a Shared,
/// or a span. It is const if the elements are const. `shape` is {n}, {rows, columns} or {planes, rows,
/// columns}; its product must be the number of elements. LayoutRight is the order of C, LayoutLeft that of
/// Fortran.
///
/// `Space` is the memory space of the result. A host space needs memory that the processor can access; memory
/// of kind device qualifies only on the host device. CudaSpace, HIPSpace and related spaces need memory of a
/// device of that backend. Page-locked and managed spaces also exclude the kind device. The Kokkos::View owns
/// nothing and must not outlive its source.
///
/// Throws Error: invalid_argument (the number of elements differs; memory of another backend), unsupported
/// (the processor cannot access the memory; the message names an alternative). A mapping, a guard or a span
/// for a space other than a host space does not compile.
template <class Space, class Layout = Kokkos::LayoutRight, class T, std::size_t Rank>
auto unmanaged(const View<T>& view, const std::size_t (&shape)[Rank],
               SourceLocation where = SourceLocation::current()) {
    return detail::over_region<Space, Layout, T>(view.region(), std::to_array(shape), where);
}
template <class Space, class Layout = Kokkos::LayoutRight, class T, std::size_t Rank>
auto unmanaged(Buffer<T>& buffer, const std::size_t (&shape)[Rank],
               SourceLocation where = SourceLocation::current()) {
    return detail::over_region<Space, Layout, T>(buffer.region(), std::to_array(shape), where);
}
template <class Space, class Layout = Kokkos::LayoutRight, class T, std::size_t Rank>
auto unmanaged(const Buffer<T>& buffer, const std::size_t (&shape)[Rank],
               SourceLocation where = SourceLocation::current()) {
    return detail::over_region<Space, Layout, const T>(buffer.region(), std::to_array(shape), where);
}
template <class Space, class Layout = Kokkos::LayoutRight, class T, std::size_t Rank>
auto unmanaged(const Imported<T>& imported, const std::size_t (&shape)[Rank],
               SourceLocation where = SourceLocation::current()) {
    return detail::over_region<Space, Layout, T>(imported.region(), std::to_array(shape), where);
}
template <class Space, class Layout = Kokkos::LayoutRight, class T, std::size_t Rank>
auto unmanaged(const Mapping<T>& mapping, const std::size_t (&shape)[Rank],
               SourceLocation where = SourceLocation::current()) {
    return detail::over_host_memory<Space, Layout>(mapping.data(), mapping.size(), std::to_array(shape),
                                                   where);
}
template <class Space, class Layout = Kokkos::LayoutRight, class T, std::size_t Rank>
auto unmanaged(const HostGuard<T>& guard, const std::size_t (&shape)[Rank],
               SourceLocation where = SourceLocation::current()) {
    return detail::over_host_memory<Space, Layout>(guard.data(), guard.size(), std::to_array(shape), where);
}
template <class Space, class Layout = Kokkos::LayoutRight, class T, std::size_t Rank>
auto unmanaged(std::span<T> span, const std::size_t (&shape)[Rank],
               SourceLocation where = SourceLocation::current()) {
    return detail::over_host_memory<Space, Layout>(span.data(), span.size(), std::to_array(shape), where);
}

/// The memory of a Kokkos::View as a Ferry view, returned by lend(). Keeps the Kokkos::View and its memory
/// alive. The destructor waits for the commands that use the memory. Movable, not copyable.
template <class KokkosView>
class Lent {
public:
    using element_type = std::remove_pointer_t<decltype(std::declval<const KokkosView&>().data())>;
    using layout = typename KokkosView::traits::array_layout;
    static constexpr std::size_t rank = static_cast<std::size_t>(KokkosView::traits::rank);

    /// For lend().
    Lent(const Device& device, const KokkosView& view, SourceLocation where);
    Lent(Lent&&) noexcept = default;
    Lent& operator=(Lent&& other) noexcept {
        if (this != &other) {
            end(); // First, because the memory of Kokkos may end with its view.
            view_ = std::move(other.view_);
            extents_ = other.extents_;
            imported_ = std::move(other.imported_);
            borrowed_ = std::move(other.borrowed_);
        }
        return *this;
    }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    ~Lent() { end(); }

    /// All elements in the order of `layout`.
    View<element_type> view() const noexcept {
        if constexpr (in_place) {
            return imported_.view();
        } else {
            return View<element_type>(borrowed_.region());
        }
    }
    operator View<element_type>() const noexcept { return view(); }
    operator View<const element_type>() const noexcept requires(!std::is_const_v<element_type>) {
        return view();
    }
    std::size_t size() const noexcept { return view().size(); } ///< Number of elements.
    std::size_t extent(std::size_t i) const noexcept { return i < rank ? extents_[i] : 1; }
    /// The distance of adjacent elements in this dimension, in elements, for index arithmetic in a kernel.
    std::size_t stride(std::size_t i) const noexcept {
        std::size_t product = 1;
        const bool left = std::is_same_v<layout, Kokkos::LayoutLeft>;
        for (std::size_t d = left ? 0 : i + 1; d < (left ? i : rank); ++d) {
            product *= extents_[d];
        }
        return product;
    }
    const KokkosView& kokkos() const noexcept { return view_; }

private:
    using Space = typename KokkosView::memory_space;
    static constexpr Backend backend = detail::backend_of<Space>;
    static constexpr bool in_place = backend == Backend::host;
    static_assert(!in_place || detail::host_reaches<Space>,
                  "Ferry does not know this memory space of Kokkos'");
    static_assert(rank >= 1 && rank <= 3, "lend() takes a Kokkos::View of one to three extents");
    static_assert(std::is_same_v<layout, Kokkos::LayoutLeft> || std::is_same_v<layout, Kokkos::LayoutRight>,
                  "lend() takes LayoutLeft and LayoutRight");

    std::size_t checked_size(SourceLocation where) const;
    void end() noexcept {
        imported_ = {};
        interop::detail::wait_for_uses(borrowed_.region()); // A borrowed buffer does not wait automatically.
        borrowed_ = {};
    }

    KokkosView view_;
    std::array<std::size_t, rank> extents_{};
    Imported<element_type> imported_; // One of the two is used.
    Buffer<std::remove_const_t<element_type>> borrowed_;
};

/// The elements of a Kokkos::View, managed or not, for commands of Ferry on `device`, without a copy. Memory
/// of a host space is imported; see Imported for the consequences on a discrete device. Memory of CudaSpace,
/// HIPSpace and related spaces is borrowed by a device of that backend.
///
/// Throws Error: invalid_argument (a view with gaps, which has padding or is a part of another view; a view
/// without elements; device memory of another backend), unsupported (the device does not accept the memory).
template <class... Properties>
Lent<Kokkos::View<Properties...>> lend(const Device& device, const Kokkos::View<Properties...>& view,
                                       SourceLocation where = SourceLocation::current()) {
    return {device, view, where};
}

/// Call before Kokkos accesses memory that commands of Ferry have used. Blocks until the commands of the
/// queue are done.
inline void acquire(Queue& queue, SourceLocation where = SourceLocation::current()) {
    queue.finish(where);
}

/// Call before commands of Ferry access memory that Kokkos has used. Blocks until the work of an execution
/// space is done.
template <class ExecutionSpace>
void release(const ExecutionSpace& space) {
    space.fence();
}

/// Calls `work(space)` with the execution space of the queue's device: Kokkos::Cuda or Kokkos::HIP on the
/// stream of the queue if Kokkos was built with it, otherwise the default host space of Kokkos.
///
/// Work started in that space runs after the commands enqueued on the queue so far and before later ones. On
/// a stream this needs no wait. In a host space run() calls acquire() before and release() after the work, so
/// it blocks.
///
/// `work` is a generic lambda that is compiled for each of the spaces. Pass functors with KOKKOS_FUNCTION to
/// Kokkos in it, because nvcc does not accept KOKKOS_LAMBDA in a generic lambda.
template <class Work>
void run(Queue& queue, Work&& work, SourceLocation where = SourceLocation::current());

template <class KokkosView>
Lent<KokkosView>::Lent(const Device& device, const KokkosView& view, SourceLocation where) : view_(view) {
    for (std::size_t i = 0; i < rank; ++i) {
        extents_[i] = static_cast<std::size_t>(view.extent(i));
    }
    const std::size_t count = checked_size(where);
    if constexpr (in_place) {
        imported_ = Imported<element_type>(device, {view.data(), count}, where);
    } else {
        borrowed_ = Buffer<std::remove_const_t<element_type>>(
            interop::detail::wrap(device, backend, {reinterpret_cast<std::uint64_t>(view.data())}, count,
                                  sizeof(element_type), false, where),
            count);
    }
}

template <class KokkosView>
std::size_t Lent<KokkosView>::checked_size(SourceLocation where) const {
    const std::size_t count = view_.size();
    if (count == 0) {
        throw Error(Code::invalid_argument,
                    "The Kokkos::View '" + std::string(view_.label()) + "' has no elements to lend", where);
    }
    if (!view_.span_is_contiguous()) {
        throw Error(Code::invalid_argument,
                    "The Kokkos::View '" + std::string(view_.label()) + "' of " +
                        detail::shape(extents_.data(), rank) + " elements spans " +
                        std::to_string(view_.span()) +
                        " in memory: it has gaps, from padding or because it is a part of another view; lend "
                        "the whole view, or one without padding",
                    where);
    }
    return count;
}

template <class Work>
void run(Queue& queue, Work&& work, SourceLocation where) {
    const Backend backend = queue.device(where).backend();
#ifdef KOKKOS_ENABLE_CUDA
    if (backend == Backend::cuda) {
        static_cast<void>(cuda::event(queue.record(where), where)); // Earlier host work of the queue is done.
        work(Kokkos::Cuda(static_cast<cudaStream_t>(cuda::stream(queue, where))));
        return;
    }
#endif
#ifdef KOKKOS_ENABLE_HIP
    if (backend == Backend::hip) {
        static_cast<void>(hip::event(queue.record(where), where));
        work(detail::Hip(static_cast<hipStream_t>(hip::stream(queue, where))));
        return;
    }
#endif
    static_cast<void>(backend);
    const Kokkos::DefaultHostExecutionSpace space;
    acquire(queue, where);
    work(space);
    release(space);
}

} // namespace ferry::interop::kokkos
