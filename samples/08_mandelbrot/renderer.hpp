// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "image.hpp"

#include <ferry/ferry.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// The part of the complex plane in a picture. Passed to the kernel as an argument.
struct Frame {
    float left = 0;
    float top = 0;
    float step = 0; ///< distance between neighbouring pixels
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint32_t iterations = 0;

    /// A frame with the centre (x, y). Its width is `span` in the plane.
    static Frame around(double x, double y, double span, std::size_t width, std::size_t height,
                        std::size_t iterations);
};

/// Renders the Mandelbrot set on one device.
class Renderer {
public:
    explicit Renderer(const ferry::Device& device);

    /// The number of steps until each pixel's point escapes. Blocks.
    std::vector<std::uint32_t> steps(const Frame& frame);
    /// The same result, computed by the processor without Ferry.
    static std::vector<std::uint32_t> reference_steps(const Frame& frame);

    /// Colours for steps; black where a point did not escape.
    static sample::Image coloured(const Frame& frame, const std::vector<std::uint32_t>& steps);

private:
    ferry::Queue queue_;
    ferry::Kernel kernel_;
};
