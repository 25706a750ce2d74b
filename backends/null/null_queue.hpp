// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"

#include <span>

namespace ferry::null {

class NullQueue final : public backend::Queue {
public:
    void write(const void* from, backend::Place to, std::size_t bytes) override;
    void read(backend::Place from, void* to, std::size_t bytes) override;
    void copy(backend::Place from, backend::Place to, std::size_t bytes) override;
    void fill(backend::Place to, std::size_t bytes, const void* pattern, std::size_t size) override;
    void launch(backend::Kernel& kernel, const Grid& grid,
                std::span<const backend::Argument> arguments) override;

    void record(backend::Event&) override {}
    bool can_wait(const backend::Event&) const override { return true; }
    void wait(backend::Event&) override {}

    void* map(backend::Place place, std::size_t bytes, Map access) override;
    void unmap(backend::Place place, std::size_t bytes, Map access, void* host) override;

    void flush() override {}
    using backend::Queue::finish;
    void finish(WaitPolicy) override {}
    bool idle() override { return true; }
};

} // namespace ferry::null
