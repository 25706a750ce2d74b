// SPDX-License-Identifier: Apache-2.0
#include "subject.hpp"

#include <optional>
#include <utility>

namespace bench {

namespace {

using ferry::Buffer;
using ferry::MemoryKind;

class FerrySubject final : public SubjectOf<FerrySubject> {
public:
    FerrySubject(const Setup& setup, ferry::Kernel kernel)
        : kernel_(std::move(kernel)),
          queue_(setup.device, {.timing = setup.timing}),
          other_(setup.device, {.timing = setup.timing}),
          upload_(setup.device, setup.large_bytes, MemoryKind::host),
          download_(setup.device, setup.large_bytes, MemoryKind::host),
          first_(setup.device, setup.large_bytes),
          second_(setup.device, setup.large_bytes),
          data_(setup.device, kernel_items),
          more_(setup.device, kernel_items) {
        std::vector<std::uint32_t> more(kernel_items);
        for (std::size_t i = 0; i < more.size(); ++i) {
            more[i] = kernel_more(i);
        }
        queue_.copy_and_wait(more, more_);
    }

    void launch() { queue_.launch(kernel_, grid, data_, more_, kernel_add, kernel_items); }
    void finish() { queue_.finish(); }
    void up(std::size_t bytes) { queue_.copy(upload_.first(bytes), first_.first(bytes)); }
    void down(std::size_t bytes) { queue_.copy(first_.first(bytes), download_.first(bytes)); }
    void between(std::size_t bytes) { queue_.copy(first_.first(bytes), second_.first(bytes)); }
    void record() { queue_.record(); }
    void record_wait_other() { other_.wait(queue_.record()); }
    void record_wait_host() { queue_.record().wait(); }

    void finish_all() override {
        queue_.finish();
        other_.finish();
    }
    std::span<std::byte> upload() override { return upload_.span(); }
    std::span<std::byte> download() override { return download_.span(); }
    void read_copy(std::span<std::byte> to) override { queue_.copy_and_wait(second_.first(to.size()), to); }
    void write_data(std::span<const std::uint32_t> values) override { queue_.copy_and_wait(values, data_); }
    void read_data(std::span<std::uint32_t> values) override { queue_.copy_and_wait(data_, values); }

private:
    static constexpr ferry::Grid grid{1, kernel_items};

    ferry::Kernel kernel_;
    ferry::Queue queue_;
    ferry::Queue other_;
    Buffer<std::byte> upload_;
    Buffer<std::byte> download_;
    Buffer<std::byte> first_;
    Buffer<std::byte> second_;
    Buffer<std::uint32_t> data_;
    Buffer<std::uint32_t> more_;
};

} // namespace

const char* const opencl_text = R"(
__kernel void bump(__global uint* data, __global const uint* more, uint add, uint n) {
    uint i = get_global_id(0);
    if (i < n) {
        data[i] += more[i] + add;
    }
}
)";

const char* const driver_text = R"(
extern "C" __global__ void bump(unsigned int* data, const unsigned int* more, unsigned int add, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] += more[i] + add;
    }
}
)";

std::unique_ptr<Subject> ferry_subject(const Setup& setup, const ferry::Kernel& kernel) {
    return std::make_unique<FerrySubject>(setup, kernel);
}

} // namespace bench
