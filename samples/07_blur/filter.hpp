// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "image.hpp"

#include <ferry/ferry.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// The results of the filter for one picture.
struct Filtered {
    std::vector<sample::Pixel> blurred;
    std::vector<std::uint8_t> edges; ///< grey levels
    friend bool operator==(const Filtered&, const Filtered&) = default;
};

/// A gaussian blur and the Sobel edges of the blurred picture, on one device. Several queues may use one
/// filter.
class Filter {
public:
    Filter(const ferry::Device& device, std::size_t radius);

    const ferry::Device& device() const { return device_; }

    /// Enqueues three kernels and returns. All of `in`, `half` (scratch), `blurred` and `edges` have
    /// width x height elements.
    void enqueue(ferry::Queue& queue, std::size_t width, std::size_t height,
                 ferry::View<const sample::Pixel> in, ferry::View<sample::Pixel> half,
                 ferry::View<sample::Pixel> blurred, ferry::View<std::uint8_t> edges) const;

    /// The same result, computed by the processor without Ferry.
    static Filtered reference(const sample::Image& image, std::size_t radius);

private:
    ferry::Device device_;
    std::int32_t radius_;
    ferry::Buffer<std::uint32_t> weights_;
    ferry::Kernel blur_;
    ferry::Kernel edges_;
};
