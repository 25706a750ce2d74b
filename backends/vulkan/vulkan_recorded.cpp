// SPDX-License-Identifier: Apache-2.0
#include "vulkan_recorded.hpp"

#include "vulkan_device.hpp"
#include "vulkan_stream.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ferry::vulkan {
namespace {

constexpr std::size_t block_bytes = std::size_t{16} << 10;

} // namespace

using Form = RecordedBuffers::Form;

void Form::begin() {
    block_ = taken_ = 0;
    separate_ = true; // After the work of the stream.
    barriers_.reset();
    CommandBufferBeginInfo info;
    info.flags = constant::submit_concurrently;
    call(device_.api().vkBeginCommandBuffer, buffer_, &info);
    is_recording_ = true;
}

void Form::end() {
    is_recording_ = false;
    call(device_.api().vkEndCommandBuffer, buffer_);
}

void Form::abandon() noexcept {
    if (std::exchange(is_recording_, false)) {
        static_cast<void>(device_.api().vkEndCommandBuffer(buffer_));
    }
    in_use = false;
}

CommandBuffer Form::begin_command(const Work& work) {
    if (separate_ || steps_ != 0) {
        // Commands of other kinds may follow this one without an order.
        barriers_.add(device_.api(), buffer_, separate_ ? device_work : work.side);
    } else {
        barriers_.join(work.side);
    }
    separate_ = false;
    ++steps_;
    return buffer_;
}

Piece Form::stage(std::size_t least, std::size_t most, std::size_t alignment) {
    const auto fits = [&] {
        taken_ = (taken_ + alignment - 1) / alignment * alignment;
        return taken_ < blocks_[block_].bytes && blocks_[block_].bytes - taken_ >= least;
    };
    while (block_ < blocks_.size() && !fits()) {
        ++block_;
        taken_ = 0;
    }
    if (block_ == blocks_.size()) {
        const std::size_t bytes = std::max(block_bytes, least);
        blocks_.push_back({allocate_staging(device_, bytes), bytes});
        taken_ = 0;
    }
    VulkanMemory& memory = *blocks_[block_].memory;
    const std::size_t bytes = std::min(most, blocks_[block_].bytes - taken_);
    const Piece piece{&memory, taken_, static_cast<std::byte*>(memory.host) + taken_, memory.address + taken_,
                      bytes};
    taken_ += bytes;
    return piece;
}

void Form::used_by(Stream& stream, std::uint64_t value) {
    const auto use =
        std::find_if(uses_.begin(), uses_.end(), [&](const Use& one) { return one.stream == &stream; });
    if (use != uses_.end()) {
        use->value = value;
    } else {
        uses_.push_back({&stream, value});
    }
}

bool Form::is_pending() {
    std::erase_if(uses_, [](const Use& use) { return use.stream->reached(use.value); });
    return !uses_.empty();
}

void Form::wait() {
    for (const Use& use : uses_) {
        if (!use.stream->reached(use.value)) {
            use.stream->block(use.value);
        }
    }
    uses_.clear();
}

RecordedBuffers::RecordedBuffers(VulkanDevice& device) : device_(device) {
    CommandPoolCreateInfo info;
    info.flags = constant::pool_resets_buffers;
    info.family = device.traits().family;
    call(device.api().vkCreateCommandPool, device.device(), &info, nullptr, &pool_);
    made("vkCreateCommandPool", pool_);
}

RecordedBuffers::~RecordedBuffers() {
    if (!backend::process_is_exiting()) {
        device_.api().vkDestroyCommandPool.function(device_.device(), pool_, nullptr);
    }
}

Form& RecordedBuffers::lease(std::size_t parts) {
    // For each part the present form and some older ones, which are pending.
    constexpr std::size_t pending = 8;
    const auto is_free = [](Form& form) { return !form.in_use && !form.is_pending(); };
    auto form = std::find_if(forms_.begin(), forms_.end(), is_free);
    if (form == forms_.end() && forms_.size() >= parts + pending) {
        form = std::find_if(forms_.begin(), forms_.end(), [](const Form& one) { return !one.in_use; });
    }
    if (form == forms_.end()) {
        CommandBufferAllocateInfo info;
        info.pool = pool_;
        info.count = 1;
        CommandBuffer buffer = nullptr;
        call(device_.api().vkAllocateCommandBuffers, device_.device(), &info, &buffer);
        forms_.emplace_back(device_, made("vkAllocateCommandBuffers", buffer));
        form = std::prev(forms_.end());
    }
    form->wait();
    form->in_use = true;
    return *form;
}

} // namespace ferry::vulkan
