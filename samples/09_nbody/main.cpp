// SPDX-License-Identifier: Apache-2.0
#include "sample.hpp"
#include "universe.hpp"

#include <algorithm>
#include <cmath>

namespace {

struct Options {
    std::size_t frames = 6;
    std::size_t steps = 20;
    double step = 0.03;
};

constexpr double flops_per_pair = 20; // the operations in nbody.cl; a reciprocal square root counts as one

struct Pull {
    double x = 0;
    double y = 0;
    double z = 0;
    double potential = 0;
};

// The pull on one body, computed by the processor without Ferry.
Pull pull_on(const std::vector<Float4>& bodies, const Float4& own) {
    Pull pull;
    for (const Float4& other : bodies) {
        const double x = double{other.x} - own.x;
        const double y = double{other.y} - own.y;
        const double z = double{other.z} - own.z;
        const double distance = std::sqrt(x * x + y * y + z * z + Universe::softening2);
        const double strength = other.w / (distance * distance * distance);
        pull.x += strength * x;
        pull.y += strength * y;
        pull.z += strength * z;
        pull.potential -= other.w / distance;
    }
    return pull;
}

// Checks that `after` has the velocities of `before` plus `kick` times the pull, at the same positions.
void check_pulls(const State& before, const State& after, double kick, std::mt19937& random) {
    for (int n = 0; n < 64; ++n) {
        const std::size_t i = random() % before.bodies.size();
        const Pull pull = pull_on(before.bodies, before.bodies[i]);
        const Float4& v = before.velocities[i];
        const Float4& w = after.velocities[i];
        const double error =
            std::hypot(v.x + kick * pull.x - w.x, v.y + kick * pull.y - w.y, v.z + kick * pull.z - w.z);
        const double allowed =
            1e-4 * kick * std::hypot(pull.x, pull.y, pull.z) + 1e-6 * (1 + std::hypot(v.x, v.y, v.z));
        if (!(error <= allowed)) {
            throw sample::Failure(
                fmt::format("body {}: its velocity is off by {}, at most {} is allowed", i, error, allowed));
        }
        if (!(std::abs(w.w - pull.potential) <= 1e-4 * std::abs(pull.potential))) {
            throw sample::Failure(
                fmt::format("body {}: its potential is {}, expected {}", i, w.w, pull.potential));
        }
    }
}

void nbody(sample::Session& session, const Options& options) {
    if (options.frames == 0 || options.steps == 0) {
        throw std::invalid_argument("--frames and --steps must be at least 1");
    }
    const std::size_t count = (session.size + Universe::tile - 1) / Universe::tile * Universe::tile;
    Universe universe{session.device, State::two_clusters(count, session.random)};
    const double half = options.step / 2;
    universe.advance(0, 0); // computes the potentials; the first launch may compile and allocate
    State state = universe.read();
    const double energy = state.energy();

    double seconds = 0;
    double drift = 0;
    for (std::size_t frame = 0; frame < options.frames; ++frame) {
        const sample::Stopwatch watch;
        universe.advance(half, options.step); // velocities are half a step ahead of the positions ...
        for (std::size_t s = 1; s < options.steps; ++s) {
            universe.advance(options.step, options.step);
        }
        universe.finish();
        seconds += watch.seconds();
        const State ahead = universe.read();
        universe.advance(half, 0); // ... and are at the same time again
        state = universe.read();
        check_pulls(ahead, state, half, session.random);

        drift = std::max(drift, std::abs(state.energy() / energy - 1));
        const sample::Image image = state.picture(400);
        sample::write_png(session.output_file(fmt::format("nbody_{:03}.png", frame)), image.width,
                          image.height, image.pixels);
    }
    const double pairs = static_cast<double>(count) * static_cast<double>(count) *
                         static_cast<double>(options.frames * options.steps);
    session.say("{} bodies, {} steps: {:.1f} ms, {:.1f} million pairs/s, {:.1f} GFLOP/s", count,
                options.frames * options.steps, 1e3 * seconds, pairs / seconds / 1e6,
                flops_per_pair * pairs / seconds / 1e9);
    session.say("wrote {} frames, the last is {}", options.frames,
                session.output_file(fmt::format("nbody_{:03}.png", options.frames - 1)).string());
    session.say("the energy stayed at {:.4f} within {:.4f} %", energy, 100 * drift);
    session.measured("gflop_s", flops_per_pair * pairs / seconds / 1e9);
    session.measured("energy_drift", drift);
    if (!(drift <= 2e-3)) {
        throw sample::Failure(
            fmt::format("the energy changed by {:.3f} %; at most 0.2 % is allowed", 100 * drift));
    }
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    sample::App app{"09_nbody", "Two star clusters pass through each other: all pairs of bodies, as pictures",
                    1024, "bodies"};
    app.option("--frames", options.frames, "How many pictures");
    app.option("--steps", options.steps, "Steps from one picture to the next");
    app.option("--step", options.step, "How long a step is");
    return app.run(argc, argv, [&](sample::Session& session) { nbody(session, options); });
}
