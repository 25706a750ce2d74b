// SPDX-License-Identifier: Apache-2.0
#include "filter.hpp"

#include "filter.cl.hpp"
#include "sample.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace {

using sample::Pixel;

// The weights as fractions of 65536, with this sum.
std::vector<std::uint32_t> gaussian(std::size_t radius) {
    const double sigma = std::max(0.5, static_cast<double>(radius) / 2.5);
    std::vector<double> exact(2 * radius + 1);
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const double distance = static_cast<double>(i) - static_cast<double>(radius);
        exact[i] = std::exp(-distance * distance / (2 * sigma * sigma));
    }
    const double sum = std::accumulate(exact.begin(), exact.end(), 0.0);
    std::vector<std::uint32_t> weights(exact.size());
    std::transform(exact.begin(), exact.end(), weights.begin(),
                   [&](double w) { return static_cast<std::uint32_t>(65536 * w / sum); });
    weights[radius] += 65536 - std::accumulate(weights.begin(), weights.end(), 0u);
    return weights;
}

struct Picture {
    const Pixel* pixels;
    std::int32_t width;
    std::int32_t height;

    Pixel at(std::int32_t x, std::int32_t y) const {
        return pixels[std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1)];
    }
    std::int32_t brightness(std::int32_t x, std::int32_t y) const {
        const Pixel p = at(x, y);
        return (77 * p.r + 150 * p.g + 29 * p.b) >> 8;
    }
};

Pixel blurred(const Picture& in, const std::uint32_t* weights, std::int32_t radius, std::int32_t x,
              std::int32_t y, std::int32_t dx, std::int32_t dy) {
    std::array<std::uint32_t, 4> sum{32768, 32768, 32768, 32768};
    for (std::int32_t k = -radius; k <= radius; ++k) {
        const Pixel p = in.at(x + k * dx, y + k * dy);
        const std::uint32_t w = weights[k + radius];
        sum[0] += w * p.r;
        sum[1] += w * p.g;
        sum[2] += w * p.b;
        sum[3] += w * p.a;
    }
    const auto byte = [](std::uint32_t value) { return static_cast<std::uint8_t>(value >> 16); };
    return {byte(sum[0]), byte(sum[1]), byte(sum[2]), byte(sum[3])};
}

std::uint8_t edge(const Picture& in, std::int32_t x, std::int32_t y) {
    const auto b = [&](std::int32_t i, std::int32_t j) { return in.brightness(x + i, y + j); };
    const std::int32_t across = b(1, -1) + 2 * b(1, 0) + b(1, 1) - b(-1, -1) - 2 * b(-1, 0) - b(-1, 1);
    const std::int32_t down = b(-1, 1) + 2 * b(0, 1) + b(1, 1) - b(-1, -1) - 2 * b(0, -1) - b(1, -1);
    return static_cast<std::uint8_t>(std::min(std::abs(across) + std::abs(down), 255));
}

} // namespace

Filter::Filter(const ferry::Device& device, std::size_t radius)
    : device_(device), radius_(static_cast<std::int32_t>(radius)), weights_(device, 2 * radius + 1) {
    const ferry::Program program{device, kernels::filter_cl};
    blur_ = program.kernel("blur");
    edges_ = program.kernel("edges");
    ferry::Queue{device}.copy_and_wait(gaussian(radius), weights_);
}

void Filter::enqueue(ferry::Queue& queue, std::size_t width, std::size_t height, ferry::View<const Pixel> in,
                     ferry::View<Pixel> half, ferry::View<Pixel> blurred,
                     ferry::View<std::uint8_t> edges) const {
    const auto w = static_cast<std::int32_t>(width);
    const auto h = static_cast<std::int32_t>(height);
    const ferry::Grid grid = ferry::Grid::covering({width, height}, {32, 4});
    queue.launch(blur_, grid, in, half, weights_, radius_, w, h, 1, 0);
    queue.launch(blur_, grid, half, blurred, weights_, radius_, w, h, 0, 1);
    queue.launch(edges_, grid, blurred, edges, w, h);
}

Filtered Filter::reference(const sample::Image& image, std::size_t radius) {
    const std::vector<std::uint32_t> weights = gaussian(radius);
    const auto r = static_cast<std::int32_t>(radius);
    const auto w = static_cast<std::int32_t>(image.width);
    const auto h = static_cast<std::int32_t>(image.height);
    std::vector<Pixel> half;
    Filtered result;
    const auto all = [&](auto body) {
        for (std::int32_t y = 0; y < h; ++y) {
            for (std::int32_t x = 0; x < w; ++x) {
                body(x, y);
            }
        }
    };
    all([&](auto x, auto y) {
        half.push_back(blurred({image.pixels.data(), w, h}, weights.data(), r, x, y, 1, 0));
    });
    all([&](auto x, auto y) {
        result.blurred.push_back(blurred({half.data(), w, h}, weights.data(), r, x, y, 0, 1));
    });
    all([&](auto x, auto y) { result.edges.push_back(edge({result.blurred.data(), w, h}, x, y)); });
    return result;
}
