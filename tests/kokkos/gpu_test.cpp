// SPDX-License-Identifier: Apache-2.0
// Tests with Kokkos' own CUDA or HIP back end on the same device, if Kokkos was built with one.
#include "kokkos_test.hpp"

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
#include <type_traits>

namespace {

#ifdef KOKKOS_ENABLE_CUDA
constexpr ferry::Backend backend = ferry::Backend::cuda;
using Gpu = Kokkos::Cuda;
using GpuSpace = Kokkos::CudaSpace;
using PinnedSpace = Kokkos::CudaHostPinnedSpace;
using ManagedSpace = Kokkos::CudaUVMSpace;
#else
constexpr ferry::Backend backend = ferry::Backend::hip;
using Gpu = kk::detail::Hip;
using GpuSpace = kk::detail::HipSpace;
using PinnedSpace = kk::detail::HipHostPinnedSpace;
using ManagedSpace = kk::detail::HipManagedSpace;
#endif

constexpr Word rounds = 20'000'000; // long enough to detect a missing wait

bool on_gpu() {
    return device().backend() == backend;
}

// Functors, because nvcc does not accept a KOKKOS_LAMBDA inside a generic lambda.
template <class From, class To>
struct AddIndex {
    From from;
    To to;
    KOKKOS_FUNCTION void operator()(int i) const { to(i) = from(0) + static_cast<Word>(i); }
};

/// view(i, j, k) = 10000 i + 100 j + k
template <class View>
struct Number {
    View view;
    KOKKOS_FUNCTION void operator()(int i) const {
        for (int j = 0; j < static_cast<int>(view.extent(1)); ++j) {
            for (int k = 0; k < static_cast<int>(view.extent(2)); ++k) {
                view(i, j, k) = static_cast<Word>(10000 * i + 100 * j + k);
            }
        }
    }
};

/// Calls `body(space)` if the space belongs to the GPU; fails otherwise.
template <class Body>
void run_on_gpu(ferry::Queue& queue, Body&& body) {
    bool ran = false;
    kk::run(queue, [&](const auto& space) {
        if constexpr (std::is_same_v<std::decay_t<decltype(space)>, Gpu>) {
            ran = true;
            body(space);
        }
    });
    CHECK(ran);
}

template <class Layout, class Space>
void lends(ferry::MemoryKind same_kind) {
    const Kokkos::View<Word***, Layout, Space> cube("cube", 3, 5, 7);
    using Cube = std::decay_t<decltype(cube)>;
    Kokkos::deep_copy(cube, 0xFFFFFFFFU);
    ferry::Queue queue{device()};
    const auto lent = kk::lend(device(), cube);
    CHECK(lent.size() == 105);
    run_on_gpu(queue, [&](const Gpu& space) {
        Kokkos::parallel_for(Kokkos::RangePolicy<Gpu>(space, 0, 3), Number<Cube>{cube});
    });
    const std::vector<Word> seen = queue.read(lent.view());
    Word wrong = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 5; ++j) {
            for (std::size_t k = 0; k < 7; ++k) {
                const std::size_t at = i * lent.stride(0) + j * lent.stride(1) + k * lent.stride(2);
                wrong += seen[at] != word(10000 * i + 100 * j + k) ? 1U : 0U;
            }
        }
    }
    CHECK(wrong == 0);
    // The reverse: Ferry writes, and Kokkos copies the result.
    queue.launch(program().kernel("iota"), covering(105), lent.view(), 105U, 11U);
    kk::acquire(queue);
    const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), cube);
    for (std::size_t i = 0; i < 105; ++i) {
        wrong += mirror.data()[i] != word(11 + i) ? 1U : 0U;
    }
    CHECK(wrong == 0);

    // Ferry's memory of the same kind, used as a view of that space.
    if (!device().has(same_kind)) {
        return;
    }
    ferry::Buffer<Word> buffer{device(), 105, same_kind};
    const auto view = kk::unmanaged<Space, Layout>(buffer, {3, 5, 7});
    run_on_gpu(queue, [&](const Gpu& space) {
        Kokkos::parallel_for(Kokkos::RangePolicy<Gpu>(space, 0, 3),
                             Number<std::decay_t<decltype(view)>>{view});
    });
    CHECK(queue.read(buffer) == seen);
}

} // namespace

TEST_CASE("kokkos: run() on Ferry's own stream, in order with its commands and without waiting") {
    if (!on_gpu()) {
        return;
    }
    ferry::Queue queue{device()};
    ferry::Buffer<Word> data{device(), 2};
    ferry::Buffer<Word> sums{device(), 1000};
    ferry::Buffer<Word> copied{device(), 1000};
    bool overtaken = false;
    for (Word turn = 0; turn < 4; ++turn) {
        queue.fill(data, 0U);
        queue.fill(sums, 0xFFFFFFFFU);
        queue.launch(program().kernel("slow"), covering(1), data, rounds + turn);
        const ferry::Event slow = queue.record();
        bool over_before = true;
        run_on_gpu(queue, [&](const Gpu& space) {
            const auto from = kk::unmanaged<GpuSpace>(data, {2});
            const auto to = kk::unmanaged<GpuSpace>(sums, {1000});
            Kokkos::parallel_for(
                Kokkos::RangePolicy<Gpu>(space, 0, 1000),
                AddIndex<std::decay_t<decltype(from)>, std::decay_t<decltype(to)>>{from, to});
            over_before = slow.ready();
        });
        overtaken = overtaken || !over_before;
        queue.copy(sums, copied);
        const std::vector<Word> seen = queue.read(copied);
        CHECK(seen[0] == rounds + turn);
        CHECK(seen[999] == rounds + turn + 999);
    }
    // In at least one run, Kokkos' kernel was enqueued while Ferry's kernel ran. This can fail in the first
    // run, in which the driver loads the kernel and waits, and whenever this thread waits for a processor.
    CHECK(overtaken);
}

TEST_CASE("kokkos: views of the GPU's memory spaces lent to Ferry, and Ferry's memory as such views") {
    if (!on_gpu()) {
        return;
    }
    lends<Kokkos::LayoutRight, GpuSpace>(ferry::MemoryKind::device);
    lends<Kokkos::LayoutLeft, GpuSpace>(ferry::MemoryKind::device);
    lends<Kokkos::LayoutRight, PinnedSpace>(ferry::MemoryKind::host);
    lends<Kokkos::LayoutLeft, ManagedSpace>(ferry::MemoryKind::shared);
}

TEST_CASE("kokkos: memory of another backend is refused for the GPU's spaces") {
    if (on_gpu()) {
        return;
    }
    ferry::Buffer<Word> buffer{device(), 10};
    const ferry::Error refused = error_of([&] { (void)kk::unmanaged<GpuSpace>(buffer, {10}); });
    CHECK(refused.code() == ferry::Code::invalid_argument);
    const Kokkos::View<Word*, GpuSpace> view("view", 10);
    const ferry::Error not_lent = error_of([&] { (void)kk::lend(device(), view); });
    CHECK(not_lent.code() == ferry::Code::invalid_argument);
    CHECK_MESSAGE(std::string(not_lent.what()).find(device().id()) != std::string::npos, not_lent.what());
}
#endif
