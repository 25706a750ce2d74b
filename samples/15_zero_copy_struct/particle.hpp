// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// The same as in particles.cl: widest members first, so that no compiler pads between them.
struct Particle {
    std::uint64_t id;
    float position[3];
    float velocity[3];
    std::int32_t charge;
    std::uint16_t steps;
    std::uint8_t kind;
    std::uint8_t alive;
};

/// Its size, then where its members are, as the kernel `layout` reports it.
constexpr std::array<std::uint32_t, 8> layout{sizeof(Particle),
                                              offsetof(Particle, id),
                                              offsetof(Particle, position),
                                              offsetof(Particle, velocity),
                                              offsetof(Particle, charge),
                                              offsetof(Particle, steps),
                                              offsetof(Particle, kind),
                                              offsetof(Particle, alive)};
