// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// The same as in particles.cl. The widest members are first, so that no compiler adds padding between them.
struct Particle {
    std::uint64_t id;
    float position[3];
    float velocity[3];
    std::int32_t charge;
    std::uint16_t steps;
    std::uint8_t kind;
    std::uint8_t alive;
};

/// The size of the struct, then the offsets of its members, as reported by the kernel `layout`.
constexpr std::array<std::uint32_t, 8> layout{sizeof(Particle),
                                              offsetof(Particle, id),
                                              offsetof(Particle, position),
                                              offsetof(Particle, velocity),
                                              offsetof(Particle, charge),
                                              offsetof(Particle, steps),
                                              offsetof(Particle, kind),
                                              offsetof(Particle, alive)};
