// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "host/host_work.hpp"
#include "strict/strict_chance.hpp"
#include "strict/strict_command.hpp"
#include "strict/strict_fence.hpp"
#include "strict/strict_order.hpp"
#include "strict/strict_unwritten.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace ferry::host {

/// The queue of the strict device. Its commands keep their data on the heap; otherwise it is a host queue.
class StrictQueue final : public backend::Queue {
public:
    void write(const void* from, backend::Place to, std::size_t bytes) override;
    void read(backend::Place from, void* to, std::size_t bytes) override;
    void copy(backend::Place from, backend::Place to, std::size_t bytes) override;
    void fill(backend::Place to, std::size_t bytes, const void* pattern, std::size_t size) override;
    void launch(backend::Kernel& kernel, const Grid& grid,
                std::span<const backend::Argument> arguments) override;

    void record(backend::Event& event) override;
    bool can_wait(const backend::Event&) const override { return true; }
    void wait(backend::Event& event) override;

    /// A copy of the bytes on separate pages, for every memory kind.
    void* map(backend::Place place, std::size_t bytes, Map access) override;
    /// See backend::MistakeHooks::mapping_has_elements().
    void set_elements(void* host, const detail::MappedElements& elements);
    void unmap(backend::Place place, std::size_t bytes, Map access, void* host) override;

    void flush() override {}
    using backend::Queue::finish;
    void finish(WaitPolicy policy) override { work_->finish(policy); }
    bool idle() override { return work_->idle(); }

private:
    struct Mapped {
        std::unique_ptr<Fence> fence;
        std::vector<std::byte> before; ///< Of a mapping for reading.
        std::uint64_t key = 0;         ///< Of the pattern of a discarding mapping.
        detail::MappedElements elements;
    };
    Origin origin() noexcept { return {chance_, order_}; }

    Order order_; // Outlives the thread.
    const std::shared_ptr<Work> work_ = std::make_shared<Work>();
    WorkThread thread_{work_};
    Chance chance_;
    std::map<void*, Mapped> mapped_;
};

} // namespace ferry::host
