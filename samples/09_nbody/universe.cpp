// SPDX-License-Identifier: Apache-2.0
#include "universe.hpp"

#include "nbody.cl.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

Universe::Universe(const ferry::Device& device, const State& state)
    : queue_(device),
      advance_(ferry::Program{device, kernels::nbody_cl}.kernel("advance")),
      bodies_(device, state.bodies.size()),
      moved_(device, state.bodies.size()),
      velocities_(device, state.bodies.size()) {
    queue_.copy(state.bodies, bodies_);
    queue_.copy(state.velocities, velocities_);
    queue_.finish();
}

void Universe::advance(double kick, double drift) {
    const auto count = static_cast<std::uint32_t>(bodies_.size());
    queue_.launch(advance_, {.groups = count / tile, .local = tile}, bodies_, moved_, velocities_, count,
                  softening2, static_cast<float>(kick), static_cast<float>(drift));
    std::swap(bodies_, moved_);
}

State Universe::read() {
    return {queue_.read(bodies_), queue_.read(velocities_)};
}

namespace {

Float4 scaled_direction(double length, std::mt19937& random) {
    std::normal_distribution<double> normal;
    const double x = normal(random);
    const double y = normal(random);
    const double z = normal(random);
    const double scale = length / std::max(1e-9, std::sqrt(x * x + y * y + z * z));
    return {static_cast<float>(scale * x), static_cast<float>(scale * y), static_cast<float>(scale * z), 0};
}

// Places a body of a stable Plummer sphere of mass 1/2 and scale 1. Its distance from the centre follows from
// the share of the mass further in. Its speed is drawn from the distribution of energies, by rejection.
void place(Float4& body, Float4& velocity, std::mt19937& random) {
    std::uniform_real_distribution<double> share{0.001, 0.95};
    std::uniform_real_distribution<double> unit{0, 1};
    const double r = 1 / std::sqrt(std::pow(share(random), -2.0 / 3) - 1);
    double q = 0;
    do {
        q = unit(random);
    } while (0.1 * unit(random) > q * q * std::pow(1 - q * q, 3.5));
    const double escape = std::sqrt(2 * 0.5) * std::pow(1 + r * r, -0.25);
    body = scaled_direction(r, random);
    velocity = scaled_direction(q * escape, random);
}

} // namespace

State State::two_clusters(std::size_t count, std::mt19937& random) {
    State state{std::vector<Float4>(count), std::vector<Float4>(count)};
    for (std::size_t i = 0; i < count; ++i) {
        Float4& body = state.bodies[i];
        place(body, state.velocities[i], random);
        const float side = i < count / 2 ? -1.0f : 1.0f;
        body.x += side * 1.6f;
        body.y += side * 0.5f;
        body.w = 1 / static_cast<float>(count);
        state.velocities[i].x -= side * 0.3f;
    }
    return state;
}

double State::energy() const {
    double sum = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Float4& v = velocities[i];
        const double mass = bodies[i].w;
        // the kernel includes each body's pull on itself
        const double self = -mass / std::sqrt(Universe::softening2);
        sum += mass / 2 * (v.x * v.x + v.y * v.y + v.z * v.z + v.w - self);
    }
    return sum;
}

sample::Image State::picture(std::size_t size) const {
    sample::Image image{size, size, std::vector<sample::Pixel>(size * size)};
    const auto glow = [&](std::ptrdiff_t x, std::ptrdiff_t y, const sample::Pixel& light) {
        const auto edge = static_cast<std::ptrdiff_t>(size);
        if (x >= 0 && y >= 0 && x < edge && y < edge) {
            sample::Pixel& p = image.pixels[static_cast<std::size_t>(y * edge + x)];
            const auto add = [](std::uint8_t a, std::uint8_t b) {
                return static_cast<std::uint8_t>(std::min(255, a + b));
            };
            p = {add(p.r, light.r), add(p.g, light.g), add(p.b, light.b), 255};
        }
    };
    constexpr float reach = 4; // half the width of the shown part, from the centre
    const float scale = static_cast<float>(size) / (2 * reach);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const auto x = static_cast<std::ptrdiff_t>(std::floor((bodies[i].x + reach) * scale));
        const auto y = static_cast<std::ptrdiff_t>(std::floor((reach - bodies[i].y) * scale));
        const bool left = i < bodies.size() / 2;
        const sample::Pixel bright = left ? sample::Pixel{200, 130, 60} : sample::Pixel{60, 130, 200};
        const sample::Pixel faint = left ? sample::Pixel{60, 35, 15} : sample::Pixel{15, 35, 60};
        glow(x, y, bright);
        for (const auto& [dx, dy] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
            glow(x + dx, y + dy, faint);
        }
    }
    return image;
}
