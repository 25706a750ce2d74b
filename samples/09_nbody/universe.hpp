// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "image.hpp"

#include <ferry/ferry.hpp>

#include <cstddef>
#include <random>
#include <vector>

/// A float4 of the kernel: a body's position and mass, or its velocity and the potential at its position.
struct alignas(16) Float4 {
    float x = 0;
    float y = 0;
    float z = 0;
    float w = 0;
};

/// All bodies at one point in time.
struct State {
    std::vector<Float4> bodies;
    std::vector<Float4> velocities;

    /// Two star clusters that approach each other. Their total mass is 1. `count` is even.
    static State two_clusters(std::size_t count, std::mt19937& random);

    /// Kinetic and potential energy, from the potentials that the device computed.
    double energy() const;
    /// The view along the z axis.
    sample::Image picture(std::size_t size) const;
};

/// Bodies on one device that move under their gravity. The gravitational constant is 1 in these units.
class Universe {
public:
    static constexpr std::size_t tile = 64;    ///< TILE in nbody.cl; the number of bodies is a multiple of it
    static constexpr float softening2 = 0.01f; ///< keeps the pull of near bodies finite

    Universe(const ferry::Device& device, const State& state);

    /// Computes all n x n pulls once, then moves the bodies. Returns before the work is done.
    void advance(double kick, double drift);
    /// Blocks until all work is done.
    State read();
    void finish() { queue_.finish(); }

private:
    ferry::Queue queue_;
    ferry::Kernel advance_;
    ferry::Buffer<Float4> bodies_;
    ferry::Buffer<Float4> moved_;
    ferry::Buffer<Float4> velocities_;
};
