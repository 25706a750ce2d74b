// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "image.hpp"

#include <ferry/ferry.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// The part of the complex plane that a picture shows. An argument of the kernel.
struct Frame {
    float left = 0;
    float top = 0;
    float step = 0; ///< from one pixel to the next
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint32_t iterations = 0;

    /// `span` of the plane across the picture's width, centred on (x, y).
    static Frame around(double x, double y, double span, std::size_t width, std::size_t height,
                        std::size_t iterations);
};

/// Renders the Mandelbrot set on one device.
class Renderer {
public:
    explicit Renderer(const ferry::Device& device);

    /// The steps until each pixel's point escapes. Blocks.
    std::vector<std::uint32_t> steps(const Frame& frame);
    /// The same by the processor, without Ferry.
    static std::vector<std::uint32_t> reference_steps(const Frame& frame);

    /// Colours for steps; black where a point did not escape.
    static sample::Image coloured(const Frame& frame, const std::vector<std::uint32_t>& steps);

private:
    ferry::Queue queue_;
    ferry::Kernel kernel_;
};
