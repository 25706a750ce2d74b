// SPDX-License-Identifier: Apache-2.0
#include "particle.hpp"
#include "particles.cl.hpp"
#include "sample.hpp"

#include <algorithm>

namespace {

constexpr std::size_t rounds = 6;

std::vector<Particle> make_particles(sample::Session& session) {
    std::vector<Particle> particles(session.size);
    for (std::size_t i = 0; i < particles.size(); ++i) {
        Particle& p = particles[i];
        p = {.id = i,
             .position = {},
             .velocity = {},
             .charge = static_cast<std::int32_t>(session.random() % 3) - 1,
             .steps = 0,
             .kind = static_cast<std::uint8_t>(session.random()),
             .alive = 1};
        for (int d = 0; d < 3; ++d) { // whole numbers, so that both sides get equal sums
            p.position[d] = static_cast<float>(session.random() % 1000);
            p.velocity[d] = static_cast<float>(session.random() % 10);
        }
    }
    return particles;
}

// The device's part, computed by the processor.
void step(std::span<Particle> particles) {
    for (Particle& p : particles) {
        if (p.alive != 0) {
            for (int d = 0; d < 3; ++d) {
                p.position[d] += p.velocity[d];
            }
            ++p.steps;
        }
    }
}

// The processor's part: individual decisions, which suit a device badly.
void decide(std::span<Particle> particles, std::size_t round) {
    for (Particle& p : particles) {
        if (p.id % rounds == round) {
            p.alive = p.charge != 0;
            p.velocity[0] = -p.velocity[0];
        }
    }
}

void same(std::span<const Particle> seen, std::span<const Particle> wanted) {
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const Particle& a = seen[i];
        const Particle& b = wanted[i];
        if (a.id != b.id || !std::ranges::equal(a.position, b.position) ||
            !std::ranges::equal(a.velocity, b.velocity) || a.charge != b.charge || a.steps != b.steps ||
            a.kind != b.kind || a.alive != b.alive) {
            throw sample::Failure(fmt::format("particle {} is wrong: {} steps, at {}, expected {} and {}", i,
                                              a.steps, a.position[0], b.steps, b.position[0]));
        }
    }
}

void zero_copy_struct(sample::Session& session) {
    const ferry::Device& device = session.device;
    ferry::Queue queue{device};
    const ferry::Program program{device, kernels::particles_cl};
    std::vector<Particle> particles = make_particles(session);
    std::vector<Particle> model = particles;

    // Checks first that the struct has the same layout on both sides. Otherwise all later results would be
    // meaningless.
    ferry::Buffer<std::uint32_t> seen{device, layout.size()};
    {
        const auto shared = ferry::share(device, particles, ferry::Access::device_reads);
        queue.launch(program.kernel("layout"), {1, 1}, shared, seen);
    }
    sample::expect_equal(queue.read(seen), layout, "the layout of Particle (size, then offsets)");
    session.say("a Particle has {} bytes on both sides", layout[0]);

    // share() uses one place for both sides if the device supports that, or else copies. The program and its
    // order of operations are the same. Within a guard the processor owns the bytes; a later launch sees its
    // writes.
    const std::size_t group = std::min<std::size_t>(64, device.info().max_group_size);
    const ferry::Grid grid = ferry::Grid::covering(particles.size(), group);
    const ferry::Kernel kernel = program.kernel("advance");
    auto shared = ferry::share(device, particles, ferry::Access::device_updates);
    for (std::size_t round = 0; round < rounds; ++round) {
        queue.launch(kernel, grid, shared, static_cast<std::uint32_t>(particles.size()));
        const auto guard = shared.host(queue, ferry::HostAccess::read_write); // waits for the launch
        decide(guard.span(), round);
        step(model);
        decide(model, round);
    }
    same(shared.host(queue).span(), model);
    session.say("share(): {}", ferry::one_line(shared.explain()));
    shared.end();

    // The explicit level, chosen by capability. It is host memory if each side sees the other's writes at the
    // end of a kernel. Otherwise it is a mapping of device memory for each turn. Probe::declared asks the
    // driver only; without it, the behaviour would also be measured, which takes 2 s once.
    const ferry::MemoryCapabilities facts =
        device.capabilities(ferry::MemoryKind::host, ferry::Probe::declared);
    const bool direct = facts.available && facts.coherence.value >= ferry::Coherence::kernel_boundary;
    if (facts.available) {
        session.say("host memory: reach {} ({}), coherence {} ({})", ferry::to_string(facts.reach.value),
                    facts.reach.source, ferry::to_string(facts.coherence.value), facts.coherence.source);
    } else {
        session.say("host memory: none: {}", facts.why_not);
    }
    ferry::Buffer<Particle> buffer{device, model.size(),
                                   direct ? ferry::MemoryKind::host : ferry::MemoryKind::device};
    queue.copy_and_wait(model, buffer);
    for (std::size_t round = 0; round < rounds; ++round) {
        queue.launch(kernel, grid, buffer, static_cast<std::uint32_t>(model.size()));
        if (direct) {
            queue.finish(); // the processor's turn begins after the device's
            decide(buffer.span(), round);
        } else {
            auto mapping = buffer.map(queue, ferry::Map::read_write); // waits for the queue
            decide(mapping.span(), round);
        }
        step(model);
        decide(model, round);
    }
    same(queue.read(buffer), model);
    session.say("by hand: {} memory, {}", direct ? "host" : "device",
                direct ? "through a pointer" : "mapped for each turn of the processor");
}

} // namespace

int main(int argc, char** argv) {
    sample::App app{"15_zero_copy_struct", "A struct that processor and device take turns on", 20000,
                    "particles"};
    return app.run(argc, argv, zero_copy_struct);
}
