// SPDX-License-Identifier: Apache-2.0
// The order between a queue's commands and Kokkos' work.
#include "kokkos_test.hpp"

namespace {

constexpr Word rounds = 20'000'000; // about 20 ms, so that a missing wait is detected

/// Runs `body` for each kind of memory that both sides can access: device or host.
template <class Body>
void with_memory(Body&& body) {
    if (host_reaches()) {
        body(ferry::MemoryKind::device);
    }
    if (device().has(ferry::MemoryKind::host)) {
        body(ferry::MemoryKind::host);
    }
}

/// Whether run() executes Kokkos' work on the device itself.
bool kokkos_runs_there() {
#ifdef KOKKOS_ENABLE_CUDA
    if (device().backend() == ferry::Backend::cuda) {
        return true;
    }
#endif
#ifdef KOKKOS_ENABLE_HIP
    if (device().backend() == ferry::Backend::hip) {
        return true;
    }
#endif
    return false;
}

} // namespace

TEST_CASE("kokkos: run() comes behind the queue's commands and before later ones") {
    if (kokkos_runs_there()) {
        return; // gpu_test.cpp has a similar test
    }
    with_memory([](ferry::MemoryKind kind) {
        ferry::Queue queue{device()};
        ferry::Buffer<Word> data{device(), 100, kind};
        queue.fill(data, 0U);
        for (int turn = 0; turn < 3; ++turn) {
            queue.launch(program().kernel("slow"), covering(1), data, rounds);
            Word seen = 0;
            kk::run(queue, [&](const auto& space) {
                using Space = std::decay_t<decltype(space)>;
                if constexpr (Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible) {
                    const auto view = kk::unmanaged<Kokkos::HostSpace>(data, {100});
                    seen = view(0);
                    Kokkos::parallel_for(Kokkos::RangePolicy<Space>(space, 0, 100),
                                         [=](int i) { view(i) = static_cast<Word>(7 * i); });
                }
            });
            CHECK(seen == rounds);
            const std::vector<Word> result = queue.read(data);
            CHECK(result[99] == 693);
            CHECK(result[0] == 0);
        }
    });
}

TEST_CASE("kokkos: acquire() waits for the queue") {
    with_memory([](ferry::MemoryKind kind) {
        ferry::Queue queue{device()};
        ferry::Buffer<Word> data{device(), 100, kind};
        queue.fill(data, 0U);
        queue.launch(program().kernel("slow"), covering(1), data, rounds);
        kk::acquire(queue);
        CHECK(kk::unmanaged<Kokkos::HostSpace>(data, {100})(0) == rounds);
    });
}
