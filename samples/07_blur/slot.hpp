// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "filter.hpp"
#include "sample.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

/// One picture on its way through the device, with its own queue, host memory and device memory. While one
/// slot's picture is on the device, the pictures of other slots are decoded and encoded.
class Slot {
public:
    explicit Slot(const Filter& filter) : filter_(&filter), queue_(filter.device()) {}

    /// Enqueues the upload, the kernels and the download, and returns. The slot must be idle.
    void start(const sample::Image& image);
    /// Blocks until the download is complete.
    void wait() { done_.wait(); }

    std::size_t width() const { return width_; }
    std::size_t height() const { return height_; }
    std::span<const sample::Pixel> blurred() const { return host_blurred_.span().first(width_ * height_); }
    std::span<const std::uint8_t> edges() const { return host_edges_.span().first(width_ * height_); }

private:
    void make_room(std::size_t pixels);

    const Filter* filter_;
    std::size_t width_ = 0;
    std::size_t height_ = 0;
    sample::HostArray<sample::Pixel> host_in_;
    sample::HostArray<sample::Pixel> host_blurred_;
    sample::HostArray<std::uint8_t> host_edges_;
    ferry::Buffer<sample::Pixel> in_;
    ferry::Buffer<sample::Pixel> half_;
    ferry::Buffer<sample::Pixel> blurred_;
    ferry::Buffer<std::uint8_t> edges_;
    ferry::Event done_;
    ferry::Queue queue_; // last member: destroyed first, waits for the commands that use the memory above
};
