// SPDX-License-Identifier: Apache-2.0
#include "slot.hpp"

#include <algorithm>

void Slot::start(const sample::Image& image) {
    width_ = image.width;
    height_ = image.height;
    const std::size_t pixels = width_ * height_;
    make_room(pixels);

    std::copy(image.pixels.begin(), image.pixels.end(), host_in_.span().begin());
    queue_.copy(host_in_.span().first(pixels), in_.first(pixels));
    filter_->enqueue(queue_, width_, height_, in_, half_, blurred_, edges_);
    queue_.copy(blurred_.first(pixels), host_blurred_.span().first(pixels));
    queue_.copy(edges_.first(pixels), host_edges_.span().first(pixels));
    done_ = queue_.record();
    queue_.flush(); // wait() may be called much later
}

void Slot::make_room(std::size_t pixels) {
    if (in_.size() >= pixels) {
        return;
    }
    const ferry::Device& device = filter_->device();
    host_in_ = {device, pixels};
    host_blurred_ = {device, pixels};
    host_edges_ = {device, pixels};
    in_ = {device, pixels};
    half_ = {device, pixels};
    blurred_ = {device, pixels};
    edges_ = {device, pixels};
}
