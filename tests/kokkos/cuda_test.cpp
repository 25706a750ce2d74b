// SPDX-License-Identifier: Apache-2.0
// Kokkos' own CUDA back end on the same device, where Kokkos was built with it.
#include "kokkos_test.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <type_traits>

namespace {

constexpr Word rounds = 20'000'000; // long enough to be overtaken where nobody waits

bool on_cuda() {
    return device().backend() == ferry::Backend::cuda;
}

// Functors, since nvcc takes no KOKKOS_LAMBDA inside a generic lambda.
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

/// `body(space)` if the space is Kokkos::Cuda; fails if it is not.
template <class Body>
void run_on_cuda(ferry::Queue& queue, Body&& body) {
    bool ran = false;
    kk::run(queue, [&](const auto& space) {
        if constexpr (std::is_same_v<std::decay_t<decltype(space)>, Kokkos::Cuda>) {
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
    run_on_cuda(queue, [&](const Kokkos::Cuda& space) {
        Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::Cuda>(space, 0, 3), Number<Cube>{cube});
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
    // The other way round: Ferry writes, Kokkos copies out.
    queue.launch(program().kernel("iota"), covering(105), lent.view(), 105U, 11U);
    kk::acquire(queue);
    const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), cube);
    for (std::size_t i = 0; i < 105; ++i) {
        wrong += mirror.data()[i] != word(11 + i) ? 1U : 0U;
    }
    CHECK(wrong == 0);

    // And Ferry's memory of the same kind as a view of that space.
    if (!device().has(same_kind)) {
        return;
    }
    ferry::Buffer<Word> buffer{device(), 105, same_kind};
    const auto view = kk::unmanaged<Space, Layout>(buffer, {3, 5, 7});
    run_on_cuda(queue, [&](const Kokkos::Cuda& space) {
        Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::Cuda>(space, 0, 3),
                             Number<std::decay_t<decltype(view)>>{view});
    });
    CHECK(queue.read(buffer) == seen);
}

} // namespace

TEST_CASE("kokkos: run() on Ferry's own CUDA stream, in order with its commands and without waiting") {
    if (!on_cuda()) {
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
        run_on_cuda(queue, [&](const Kokkos::Cuda& space) {
            const auto from = kk::unmanaged<Kokkos::CudaSpace>(data, {2});
            const auto to = kk::unmanaged<Kokkos::CudaSpace>(sums, {1000});
            Kokkos::parallel_for(
                Kokkos::RangePolicy<Kokkos::Cuda>(space, 0, 1000),
                AddIndex<std::decay_t<decltype(from)>, std::decay_t<decltype(to)>>{from, to});
            over_before = slow.ready();
        });
        overtaken = overtaken || !over_before;
        queue.copy(sums, copied);
        const std::vector<Word> seen = queue.read(copied);
        CHECK(seen[0] == rounds + turn);
        CHECK(seen[999] == rounds + turn + 999);
    }
    // Kokkos' kernel was enqueued while Ferry's ran: not the first time, when CUDA loads it and waits for
    // that, nor each time that this thread has to wait for a processor.
    CHECK(overtaken);
}

TEST_CASE("kokkos: views of CUDA's memory spaces lent to Ferry, and Ferry's memory as such views") {
    if (!on_cuda()) {
        return;
    }
    lends<Kokkos::LayoutRight, Kokkos::CudaSpace>(ferry::MemoryKind::device);
    lends<Kokkos::LayoutLeft, Kokkos::CudaSpace>(ferry::MemoryKind::device);
    lends<Kokkos::LayoutRight, Kokkos::CudaHostPinnedSpace>(ferry::MemoryKind::host);
    lends<Kokkos::LayoutLeft, Kokkos::CudaUVMSpace>(ferry::MemoryKind::shared);
}

TEST_CASE("kokkos: memory of another backend is refused for CUDA's spaces") {
    if (on_cuda()) {
        return;
    }
    ferry::Buffer<Word> buffer{device(), 10};
    const ferry::Error refused = error_of([&] { (void)kk::unmanaged<Kokkos::CudaSpace>(buffer, {10}); });
    CHECK(refused.code() == ferry::Code::invalid_argument);
    const Kokkos::View<Word*, Kokkos::CudaSpace> view("view", 10);
    const ferry::Error not_lent = error_of([&] { (void)kk::lend(device(), view); });
    CHECK(not_lent.code() == ferry::Code::invalid_argument);
    CHECK_MESSAGE(std::string(not_lent.what()).find(device().id()) != std::string::npos, not_lent.what());
}
#endif
