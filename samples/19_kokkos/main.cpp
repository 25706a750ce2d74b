// SPDX-License-Identifier: Apache-2.0
#include "particles.cl.hpp"
#include "sample.hpp"

#include <ferry/interop/kokkos.hpp>

#include <algorithm>
#include <cmath>

namespace kk = ferry::interop::kokkos;

namespace {

// Memory allocated by Kokkos: x, y and z of each particle.
using Particles = Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace>;
using Space = Kokkos::DefaultHostExecutionSpace;

constexpr int steps = 20;
constexpr float step_time = 0.0625F; // exact; so are its products with velocities of few bits

std::span<float> elements(const Particles& view) {
    return {view.data(), view.size()};
}

void fill(const Particles& positions, const Particles& velocities, std::mt19937& random) {
    for (float& x : elements(positions)) {
        x = static_cast<float>(random() % 4096) / 4096.0F;
    }
    for (float& v : elements(velocities)) {
        v = static_cast<float>(random() % 512) / 256.0F - 1.0F;
    }
}

/// The first half of a step, computed by Kokkos.
template <class Positions, class Velocities>
void drift(const Space& space, const Positions& positions, const Velocities& velocities) {
    Kokkos::parallel_for("drift", Kokkos::RangePolicy<Space>(space, 0, positions.extent(0)),
                         [=](std::size_t particle) {
                             for (int axis = 0; axis < 3; ++axis) {
                                 positions(particle, axis) += step_time * velocities(particle, axis);
                             }
                         });
}

struct Reference {
    std::vector<float> positions, velocities;

    void step() {
        for (std::size_t i = 0; i < positions.size(); ++i) {
            float& x = positions[i];
            x += step_time * velocities[i];
            if (x < 0) {
                x = -x;
                velocities[i] = -velocities[i];
            } else if (x > 1) {
                x = 2 - x;
                velocities[i] = -velocities[i];
            }
        }
    }
};

void simulate(sample::Session& session) {
    const Particles positions("positions", session.size, 3);
    const Particles velocities("velocities", session.size, 3);
    fill(positions, velocities, session.random);
    const auto copy_of = [](const Particles& view) {
        return std::vector<float>(elements(view).begin(), elements(view).end());
    };
    Reference reference{copy_of(positions), copy_of(velocities)};

    const ferry::Program program{session.device, kernels::particles_cl};
    const ferry::Kernel reflect = program.kernel("reflect");
    const std::size_t count = positions.size();
    const ferry::Grid grid =
        ferry::Grid::covering(count, std::min<std::size_t>(128, session.device.info().max_group_size));
    ferry::Queue queue{session.device};
    ferry::Explanation told;
    const sample::Stopwatch watch;
    {
        auto x = ferry::share(session.device, elements(positions), ferry::Access::device_updates);
        auto v = ferry::share(session.device, elements(velocities), ferry::Access::device_updates);
        for (int step = 0; step < steps; ++step) {
            {
                // The guards wait for the queue. Within them, Kokkos works on its own memory.
                const auto host_x = x.host(queue, ferry::HostAccess::read_write);
                const auto host_v = v.host(queue);
                const Space space;
                drift(space, kk::unmanaged<Kokkos::HostSpace>(host_x, {session.size, 3}),
                      kk::unmanaged<Kokkos::HostSpace>(host_v, {session.size, 3}));
                kk::release(space);
            }
            queue.launch(reflect, grid, x, v, static_cast<std::uint32_t>(count));
        }
        queue.finish();
        told = x.explain();
        x.end();
        v.end();
    }
    const double ms = watch.ms();

    for (int step = 0; step < steps; ++step) {
        reference.step();
    }
    sample::expect_equal(elements(positions), reference.positions, "positions");
    sample::expect_equal(elements(velocities), reference.velocities, "velocities");
    session.say("{} particles, {} steps, half of each in Kokkos ({}) and half in a kernel: {:.2f} ms",
                session.size, steps, Space::name(), ms);
    session.say("positions: {}", ferry::one_line(told));
    session.measured("copies", static_cast<double>(told.copies));
    const bool in_place = told.taken == ferry::Placement::alias || told.taken == ferry::Placement::link;
    if (in_place && told.copies != 0) {
        throw sample::Failure(fmt::format("{} copies were made of memory that needs none", told.copies));
    }
}

} // namespace

int main(int argc, char** argv) {
    int kokkos_argc = 1; // the command line belongs to the sample
    char* kokkos_argv[] = {argv[0], nullptr};
    sample::App app{"19_kokkos", "A step in Kokkos and a step in a kernel, on the same memory",
                    std::size_t{1} << 16, "particles"};
    const Kokkos::ScopeGuard kokkos(kokkos_argc, kokkos_argv);
    return app.run(argc, argv, simulate);
}
