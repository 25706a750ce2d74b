// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/device.hpp>
#include <ferry/error.hpp>
#include <ferry/export.hpp>
#include <ferry/source_location.hpp>
#include <ferry/standard.hpp>

#include <optional>
#include <utility>

namespace ferry {

namespace detail {
class EventState;
FERRY_API void retain(EventState* event) noexcept;
FERRY_API void release(EventState* event) noexcept;
} // namespace detail

/// A point in the work of a queue, made by Queue::record(). It is complete when every command that was
/// enqueued on the queue before it is done. A handle that is cheap to copy; all copies are the same event. A
/// default-constructed event is complete. Thread-safe.
class FERRY_API Event {
public:
    Event() noexcept = default;
    Event(const Event& other) noexcept : state_(other.state_) { detail::retain(state_); }
    Event(Event&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    Event& operator=(Event other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    ~Event() { detail::release(state_); }

    /// True if the event is complete, with or without an error. Does not block. It also submits the work
    /// before the event to the device, so polling alone makes progress. Does not throw the error of a failed
    /// command; wait() and status() report it. In a child process (fork), ready() and wait() of an event of
    /// the parent throw Error (invalid_state), and status() returns that error.
    bool ready() const;

    /// Blocks until the event is complete. Throws the Error of a command that failed before the event; the
    /// error names the command.
    void wait(SourceLocation where = SourceLocation::current()) const;

    /// Blocks until the event is complete, and returns the result of the commands before it.
    EventStatus status() const;

    /// For use by the library only. Takes ownership of one reference.
    explicit Event(detail::EventState* state) noexcept : state_(state) {}
    detail::EventState* state() const noexcept { return state_; }
    /// Transfers the reference to the caller.
    detail::EventState* leave() noexcept { return std::exchange(state_, nullptr); }

private:
    detail::EventState* state_ = nullptr;
};

/// The time between two events, measured by the clock of the device. Blocks until both are complete. Empty if
/// the device has no clock (DeviceInfo::timing), or if one of the queues was made with timing off.
///
/// Throws Error (invalid_argument) if an event was never recorded, or if the events belong to different
/// devices, because their clocks are not comparable. Throws the error of a command that failed before `end`.
FERRY_API std::optional<std::chrono::nanoseconds> elapsed(const Event& start, const Event& end,
                                                          SourceLocation where = SourceLocation::current());

} // namespace ferry
