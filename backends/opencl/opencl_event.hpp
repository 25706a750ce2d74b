// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "hal/poll.hpp"
#include "opencl_api.hpp"

#include <atomic>
#include <chrono>

namespace ferry::opencl {

class OpenclDevice;

/// The known progress of a queue: the number of its commands that are done.
class Progress {
public:
    void reached(std::uint64_t command) noexcept {
        std::uint64_t known = done_.load(std::memory_order_relaxed); // A first guess; the exchange decides.
        while (known < command && !done_.compare_exchange_weak(known, command, std::memory_order_release)) {
        }
    }
    bool covers(std::uint64_t command) const noexcept {
        return done_.load(std::memory_order_acquire) >= command;
    }

    /// For waits for the queue and for its events.
    backend::WaitForecast& forecast() noexcept { return forecast_; }

private:
    std::atomic<std::uint64_t> done_{0};
    backend::WaitForecast forecast_;
};

/// Waits for something on a device: polls `done` according to the policy, and calls `block`, which returns
/// when it is done. `automatic` sleeps first, because many drivers keep the processor busy in their own
/// waits. It polls only where the price of polling, a marker (8 us with NVIDIA's driver), is below 1 % of the
/// time. A device on the processor needs no sleeps, and all of the processor's time. `flush` hands the work
/// over.
template <class Done, class Flush, class Block>
void poll_or_block(const DeviceInfo& device, WaitPolicy policy, backend::WaitForecast& forecast,
                   const Done& done, const Flush& flush, const Block& block) {
    constexpr auto polls_from = std::chrono::microseconds(800);
    if (policy == WaitPolicy::block || (policy == WaitPolicy::automatic && device.kind == DeviceKind::cpu)) {
        block();
    } else if (policy != WaitPolicy::automatic || forecast.expected() > polls_from) {
        backend::poll(policy, forecast, done);
        block(); // also for its errors
    } else {
        backend::Wait wait(forecast);
        if (wait.sleeps()) {
            flush();
            wait.sleep();
        }
        block();
        wait.end_of_block();
    }
}

class OpenclEvent final : public backend::Event {
public:
    explicit OpenclEvent(OpenclDevice& device) : device_(device) {}
    /// A borrowed event, retained with its queue as long as this object lives. Throws Error
    /// (invalid_argument) if it belongs to another context.
    OpenclEvent(OpenclDevice& device, cl_event borrowed);
    ~OpenclEvent() override;

    bool ready() override;
    /// Like ready(), but a failure is not an error: commands that wait for the event then fail.
    bool succeeded();
    using backend::Event::wait;
    void wait(WaitPolicy policy) override;
    std::optional<std::chrono::nanoseconds> since(backend::Event& start) override;

    /// Takes ownership of the event, which marks command number `command` of `queue`. The previous recording
    /// is discarded.
    void set(cl_event event, cl_command_queue queue, const std::shared_ptr<Progress>& progress,
             std::uint64_t command) noexcept;
    /// Submits the work before the event to the device. Several drivers do nothing for an event that is only
    /// waited for or queried.
    void flush();

    backend::NativeEvent native_handle() override { return {event_}; }
    const OpenclDevice& device() const noexcept { return device_; }
    cl_event native() const noexcept { return event_; }
    cl_command_queue queue() const noexcept { return queue_; }

private:
    bool complete();

    OpenclDevice& device_;
    cl_event event_ = nullptr;
    cl_command_queue queue_ = nullptr;
    bool keeps_queue_ = false;           ///< This event owns a reference to it.
    std::shared_ptr<Progress> progress_; // Outlives the queue.
    std::uint64_t command_ = 0;
    std::atomic<bool> flushed_{false}; ///< Relaxed: a repeated flush is harmless, and no data depends on it.
};

/// The name in errors of the call that queries the status of an event.
constexpr const char* status_call = "clGetEventInfo(CL_EVENT_COMMAND_EXECUTION_STATUS)";
/// The execution status of an event. Throws Error (internal) if it is not one.
cl_int status_of(const Api& api, cl_event event);
/// Throws command_failed for a negative execution status.
void check_status(cl_int status);
/// Waits for a flushed event, and throws the error it ended with.
void wait_for(const Api& api, cl_event event);

} // namespace ferry::opencl
