// SPDX-License-Identifier: Apache-2.0
#include "bench.cl.hpp"
#include "subject_of.hpp"

#include <array>
#include <utility>

namespace bench {

namespace {

using ferry::Buffer;
using ferry::MemoryKind;

class FerrySubject final : public SubjectOf<FerrySubject> {
public:
    FerrySubject(const Setup& setup, const ferry::Program& program)
        : device_(setup.device),
          queue_(setup.device, {.timing = setup.timing}),
          other_(setup.device, {.timing = setup.timing}),
          pinned_kind_(setup.device.has(MemoryKind::host) ? MemoryKind::host : MemoryKind::shared),
          up_(setup.device, setup.bytes, pinned_kind_),
          down_(setup.device, setup.bytes, pinned_kind_),
          pageable_up_(setup.bytes),
          pageable_down_(setup.bytes),
          first_(setup.device, setup.bytes),
          second_(setup.device, setup.bytes),
          third_(setup.device, setup.bytes),
          data_(setup.device, bump_items * sizeof(std::uint32_t)),
          more_(setup.device, bump_items * sizeof(std::uint32_t)),
          sums_(setup.device, dot_groups * sizeof(float)) {
        if (const std::size_t bytes = shared_bytes(setup); bytes != 0) {
            shared_ = Buffer<std::byte>(setup.device, bytes, MemoryKind::shared);
        }
        for (std::size_t i = 0; i < kernel_count; ++i) {
            kernels_[i] = program.kernel(kernel_names[i]);
        }
        std::vector<std::uint32_t> more(bump_items);
        for (std::size_t i = 0; i < more.size(); ++i) {
            more[i] = bump_more(i);
        }
        queue_.copy_and_wait(std::as_bytes(std::span(more)), more_);
    }

    void launch_bump() { queue_.launch(kernels_[bump], {1, bump_items}, data_, more_, bump_add, bump_items); }
    void finish() { queue_.finish(); }
    void up(std::size_t bytes) { queue_.copy(up_.first(bytes), first_.first(bytes)); }
    void down(std::size_t bytes) { queue_.copy(first_.first(bytes), down_.first(bytes)); }
    void up_pageable(std::size_t bytes) {
        queue_.copy(std::span(pageable_up_).first(bytes), first_.first(bytes));
    }
    void down_pageable(std::size_t bytes) {
        queue_.copy(first_.first(bytes), std::span(pageable_down_).first(bytes));
    }
    void both(std::size_t bytes) {
        queue_.copy(up_.first(bytes), first_.first(bytes));
        other_.copy(second_.first(bytes), down_.first(bytes));
    }
    void between(std::size_t bytes) { queue_.copy(first_.first(bytes), second_.first(bytes)); }
    void fill(std::size_t bytes) {
        queue_.fill_bytes(first_.first(bytes), std::as_bytes(std::span(&pattern_, 1)));
    }
    void allocate(std::size_t bytes) { const Buffer<std::byte> buffer(device_, bytes); }
    void allocate_pinned(std::size_t bytes) { const Buffer<std::byte> buffer(device_, bytes, pinned_kind_); }
    void allocate_shared(std::size_t bytes) {
        const Buffer<std::byte> buffer(device_, bytes, MemoryKind::shared);
    }
    void touch_on_device(std::size_t bytes) {
        queue_.launch(kernels_[touch], ferry::Grid::covering(bytes / 16, stream_group), shared_);
    }
    void record() { queue_.record(); }
    void record_wait_other() { other_.wait(queue_.record()); }
    void record_wait_host() { queue_.record().wait(); }

    void stream(KernelIndex kernel, std::size_t bytes) {
        const std::size_t items = bytes / 16;
        const ferry::Grid grid = ferry::Grid::covering(items, stream_group);
        switch (kernel) {
        case copy:
            return queue_.launch(kernels_[copy], grid, first_, third_);
        case mul:
            return queue_.launch(kernels_[mul], grid, second_, third_);
        case dot:
            return queue_.launch(kernels_[dot], {dot_groups, stream_group}, first_, second_, sums_,
                                 static_cast<std::uint32_t>(items));
        default:
            return queue_.launch(kernels_[kernel], grid, first_, second_, third_);
        }
    }

    void hold(std::uint32_t rounds) {
        queue_.launch(kernels_[KernelIndex::hold], {1, 1}, sums_, rounds);
        queue_.flush();
    }
    void stamp(std::size_t i) { stamps_[i] = queue_.record(); }
    bool stamped(std::size_t i) { return stamps_[i].ready(); }
    std::optional<double> stamped_time() {
        const auto time = ferry::elapsed(stamps_[0], stamps_[1]);
        return time ? std::optional(std::chrono::duration<double, std::nano>(*time).count()) : std::nullopt;
    }

    void finish_all() override {
        queue_.finish();
        other_.finish();
    }
    std::span<std::byte> host(HostArray array) override {
        switch (array) {
        case HostArray::up:
            return up_.span();
        case HostArray::down:
            return down_.span();
        case HostArray::pageable_up:
            return pageable_up_;
        case HostArray::shared:
            return shared_.empty() ? std::span<std::byte>() : shared_.span();
        default:
            return pageable_down_;
        }
    }
    void set_pattern(std::uint32_t pattern) override { pattern_ = pattern; }
    void write(Array array, std::span<const std::byte> from) override {
        queue_.copy_and_wait(from, buffer(array).first(from.size()));
    }
    void read(Array array, std::span<std::byte> to) override {
        queue_.copy_and_wait(buffer(array).first(to.size()), to);
    }

private:
    Buffer<std::byte>& buffer(Array array) {
        Buffer<std::byte>* const all[] = {&first_, &second_, &third_, &data_, &sums_};
        return *all[static_cast<std::size_t>(array)];
    }

    ferry::Device device_;
    ferry::Queue queue_;
    ferry::Queue other_;
    MemoryKind pinned_kind_;
    Buffer<std::byte> up_;
    Buffer<std::byte> down_;
    std::vector<std::byte> pageable_up_;
    std::vector<std::byte> pageable_down_;
    Buffer<std::byte> first_;
    Buffer<std::byte> second_;
    Buffer<std::byte> third_;
    Buffer<std::byte> data_;
    Buffer<std::byte> more_;
    Buffer<std::byte> sums_;
    Buffer<std::byte> shared_; ///< Empty if the device has no such memory.
    std::array<ferry::Kernel, kernel_count> kernels_;
    std::array<ferry::Event, 2> stamps_;
    std::uint32_t pattern_ = 0;
};

} // namespace

ferry::Program bench_program(const ferry::Device& device) {
    return {device, kernels::bench_cl};
}

std::string bench_text() {
    return std::string(kernels::bench_cl.text);
}

std::unique_ptr<Subject> ferry_subject(const Setup& setup, const ferry::Program& program) {
    return std::make_unique<FerrySubject>(setup, program);
}

} // namespace bench
