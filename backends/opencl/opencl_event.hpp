// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/backend.hpp"
#include "opencl_api.hpp"

#include <atomic>

namespace ferry::opencl {

class OpenclDevice;

class OpenclEvent final : public backend::Event {
public:
    explicit OpenclEvent(OpenclDevice& device) : device_(device) {}
    ~OpenclEvent() override;

    bool ready() override;
    void wait() override;
    std::optional<std::chrono::nanoseconds> since(backend::Event& start) override;

    /// Takes over the event, a marker on `queue`. What was recorded before is forgotten.
    void set(cl_event event, cl_command_queue queue) noexcept;
    /// Sees to it that the work before the event has been handed to the device: several drivers do nothing
    /// for an event that is only waited for or asked about.
    void flush();

    const OpenclDevice& device() const noexcept { return device_; }
    cl_event native() const noexcept { return event_; }
    cl_command_queue queue() const noexcept { return queue_; }

private:
    OpenclDevice& device_;
    cl_event event_ = nullptr;
    cl_command_queue queue_ = nullptr;
    std::atomic<bool> flushed_{false};
};

/// Throws command_failed for a negative execution status.
void check_status(cl_int status);
/// Waits for an event that was flushed, and throws the status it ended with.
void wait_for(const Api& api, cl_event event);

} // namespace ferry::opencl
