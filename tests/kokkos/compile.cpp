// SPDX-License-Identifier: Apache-2.0
// Three mistakes that must not compile, one for each macro of the tests.
#include <ferry/interop/kokkos.hpp>

namespace kk = ferry::interop::kokkos;

void check(ferry::Buffer<float>& buffer, const ferry::Buffer<float>& constant, const ferry::Device& device) {
#if defined(FERRY_CONST)
    const auto view = kk::unmanaged<Kokkos::HostSpace>(constant, {10});
#ifdef FERRY_WRONG
    view(0) = 1;
#endif
#elif defined(FERRY_GAPS)
#ifdef FERRY_WRONG
    static_cast<void>(kk::unmanaged<Kokkos::HostSpace, Kokkos::LayoutStride>(buffer, {10}));
#else
    static_cast<void>(kk::unmanaged<Kokkos::HostSpace, Kokkos::LayoutLeft>(buffer, {10}));
#endif
#else
#ifdef FERRY_WRONG
    static_cast<void>(kk::lend(device, Kokkos::View<float****>("rank 4", 1, 1, 1, 1)));
#else
    static_cast<void>(kk::lend(device, Kokkos::View<float***>("rank 3", 1, 1, 1)));
#endif
#endif
}
