// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"

#include <chrono>
#include <optional>

namespace ferry::null {

/// Complete at once, because the queues have no work.
class NullEvent final : public backend::Event {
public:
    bool ready() override { return true; }
    using backend::Event::wait;
    void wait(WaitPolicy) override {}
    std::optional<std::chrono::nanoseconds> since(backend::Event&) override { return std::nullopt; }
};

} // namespace ferry::null
