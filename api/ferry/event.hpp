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

/// A point in a queue's work, made by Queue::record(): complete when every command enqueued on that queue
/// before it is. A handle, cheap to copy; all copies are the same event. A default-made event is complete.
/// Thread-safe.
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

    /// Whether it is complete, well or with an error. Does not block; it also sees to it that the work
    /// before it has been handed to the device, so polling alone makes progress. Does not throw a failed
    /// command's error; wait() and status() tell. A child process (fork) can ask or wait for none of its
    /// parent's events (Error, invalid_state).
    bool ready() const;

    /// Blocks until complete. Throws the Error of a command that failed before it, naming that command.
    void wait(SourceLocation where = SourceLocation::current()) const;

    /// Blocks until complete and returns how the commands before it ended.
    EventStatus status() const;

    /// For the library itself. Takes over one reference.
    explicit Event(detail::EventState* state) noexcept : state_(state) {}
    detail::EventState* state() const noexcept { return state_; }
    /// Gives up the reference to the caller.
    detail::EventState* leave() noexcept { return std::exchange(state_, nullptr); }

private:
    detail::EventState* state_ = nullptr;
};

/// The device time between two events, by the device's own clock. Blocks until both are complete.
/// Nothing if the device has no clock (DeviceInfo::timing) or a queue was made with timing off.
/// Throws Error (invalid_argument) if the events belong to different devices, whose clocks do not compare,
/// or if one was never recorded; and the error of a command that failed before `end`.
FERRY_API std::optional<std::chrono::nanoseconds> elapsed(const Event& start, const Event& end,
                                                          SourceLocation where = SourceLocation::current());

} // namespace ferry
