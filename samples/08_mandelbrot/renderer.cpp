// SPDX-License-Identifier: Apache-2.0
#include "renderer.hpp"

#include "mandelbrot.cl.hpp"
#include "sample.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace {

std::uint32_t steps_at(const Frame& frame, std::size_t px, std::size_t py) {
    const float cx = frame.left + frame.step * static_cast<float>(px);
    const float cy = frame.top + frame.step * static_cast<float>(py);
    float x = 0.0f;
    float y = 0.0f;
    std::uint32_t n = 0;
    while (n < frame.iterations && x * x + y * y <= 4.0f) {
        const float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        ++n;
    }
    return n;
}

std::array<sample::Pixel, 128> make_palette() {
    std::array<sample::Pixel, 128> palette;
    const auto wave = [](double turn) {
        return static_cast<std::uint8_t>(127.5 + 127.5 * std::sin(6.2832 * turn));
    };
    for (std::size_t i = 0; i < palette.size(); ++i) {
        const double t = static_cast<double>(i) / static_cast<double>(palette.size());
        palette[i] = {wave(t), wave(t + 0.1), wave(t + 0.25), 255};
    }
    return palette;
}

} // namespace

Frame Frame::around(double x, double y, double span, std::size_t width, std::size_t height,
                    std::size_t iterations) {
    const double step = span / static_cast<double>(width);
    return {.left = static_cast<float>(x - span / 2),
            .top = static_cast<float>(y - step * static_cast<double>(height) / 2),
            .step = static_cast<float>(step),
            .width = static_cast<std::uint32_t>(width),
            .height = static_cast<std::uint32_t>(height),
            .iterations = static_cast<std::uint32_t>(iterations)};
}

Renderer::Renderer(const ferry::Device& device)
    : queue_(device), kernel_(ferry::Program{device, kernels::mandelbrot_cl}.kernel("mandelbrot")) {}

std::vector<std::uint32_t> Renderer::steps(const Frame& frame) {
    ferry::Buffer<std::uint32_t> steps{queue_.device(), std::size_t{frame.width} * frame.height};
    queue_.launch(kernel_, ferry::Grid::covering({frame.width, frame.height}, {16, 8}), steps, frame);
    return queue_.read(steps);
}

std::vector<std::uint32_t> Renderer::reference_steps(const Frame& frame) {
    std::vector<std::uint32_t> steps;
    for (std::size_t y = 0; y < frame.height; ++y) {
        for (std::size_t x = 0; x < frame.width; ++x) {
            steps.push_back(steps_at(frame, x, y));
        }
    }
    return steps;
}

sample::Image Renderer::coloured(const Frame& frame, const std::vector<std::uint32_t>& steps) {
    const auto palette = make_palette();
    sample::Image image{frame.width, frame.height, std::vector<sample::Pixel>(steps.size())};
    std::transform(steps.begin(), steps.end(), image.pixels.begin(), [&](std::uint32_t n) {
        return n < frame.iterations ? palette[n % palette.size()] : sample::Pixel{};
    });
    return image;
}
