// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "host_work.hpp"

#include <memory>

namespace ferry::host {

/// A queue with its own thread, which takes commands from a ring and runs them in order.
class HostQueue final : public backend::Queue {
public:
    void write(const void* from, backend::Place to, std::size_t bytes) override;
    void read(backend::Place from, void* to, std::size_t bytes) override;
    void copy(backend::Place from, backend::Place to, std::size_t bytes) override;
    void write_box(const void* from, backend::Pitch from_pitch, backend::Place to, backend::Pitch to_pitch,
                   const backend::Box& box) override;
    void read_box(backend::Place from, backend::Pitch from_pitch, void* to, backend::Pitch to_pitch,
                  const backend::Box& box) override;
    void copy_box(backend::Place from, backend::Pitch from_pitch, backend::Place to, backend::Pitch to_pitch,
                  const backend::Box& box) override;
    void fill(backend::Place to, std::size_t bytes, const void* pattern, std::size_t size) override;
    void launch(backend::Kernel& kernel, const Grid& grid,
                std::span<const backend::Argument> arguments) override;

    void record(backend::Event& event) override;
    bool can_wait(const backend::Event&) const override { return true; }
    void wait(backend::Event& event) override;

    void* map(backend::Place place, std::size_t bytes, Map access) override;
    void unmap(backend::Place, std::size_t, Map, void*) override {}

    void flush() override {}
    using backend::Queue::finish;
    void finish(WaitPolicy policy) override { work_->finish(policy); }
    bool idle() override { return work_->idle(); }

private:
    const std::shared_ptr<Work> work_ = std::make_shared<Work>();
    WorkThread thread_{work_};
};

} // namespace ferry::host
