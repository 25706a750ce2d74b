// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "vulkan_memory.hpp"
#include "vulkan_stream.hpp"

#include <array>
#include <span>

namespace ferry::vulkan {

class VulkanQueue final : public backend::Queue {
public:
    VulkanQueue(VulkanDevice& device, Stream& stream) : device_(device), stream_(stream) {}
    ~VulkanQueue() override;

    void write(const void* from, backend::Place to, std::size_t bytes) override;
    void read(backend::Place from, void* to, std::size_t bytes) override;
    void copy(backend::Place from, backend::Place to, std::size_t bytes) override;
    void write_box(const void* from, backend::Pitch from_pitch, backend::Place to, backend::Pitch to_pitch,
                   const backend::Box& box) override; // vulkan_box.cpp
    void read_box(backend::Place from, backend::Pitch from_pitch, void* to, backend::Pitch to_pitch,
                  const backend::Box& box) override;
    void copy_box(backend::Place from, backend::Pitch from_pitch, backend::Place to, backend::Pitch to_pitch,
                  const backend::Box& box) override;
    void copy_batch(std::span<const backend::BatchCopy> copies) override;
    void fill(backend::Place to, std::size_t bytes, const void* pattern, std::size_t size) override;
    void launch(backend::Kernel& kernel, const Grid& grid,
                std::span<const backend::Argument> arguments) override;
    void replay(backend::Graph& graph) override;

    void record(backend::Event& event) override;
    bool can_wait(const backend::Event& event) const override;
    void wait(backend::Event& event) override;

    void* map(backend::Place place, std::size_t bytes, Map access) override;
    void unmap(backend::Place place, std::size_t bytes, Map access, void* host) override;
    bool maps_in_place(backend::Place place) const override { return memory_of(place).mapped() != nullptr; }

    void flush() override;
    using backend::Queue::finish;
    void finish(WaitPolicy policy) override { stream_.finish(policy); }
    bool idle() override { return stream_.idle(); }
    /// A wait or a query may also fail because memory is exhausted, while the commands run on.
    bool is_end(const Error& error) const noexcept override {
        return error.code() == Code::device_lost || stream_.is_lost(error);
    }
    bool prove_done() noexcept override;
    void* native() override;

private:
    /// How a range of the program's memory is reached.
    backend::Place find(const void* memory, std::size_t bytes);
    void write_staged(const std::byte* from, backend::Place to, std::size_t bytes);
    void read_staged(backend::Place from, std::byte* to, std::size_t bytes);
    template <class Rows>
    void for_pieces(const backend::Box& box, const Rows& rows);

    static constexpr std::size_t most_regions = 256;

    VulkanDevice& device_;
    Stream& stream_;
    std::array<BufferCopy, most_regions> regions_{};
};

} // namespace ferry::vulkan
