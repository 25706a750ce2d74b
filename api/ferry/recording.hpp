// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/argument.hpp>
#include <ferry/device.hpp>
#include <ferry/error.hpp>
#include <ferry/export.hpp>
#include <ferry/grid.hpp>
#include <ferry/queue.hpp>
#include <ferry/source_location.hpp>
#include <ferry/standard.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace ferry {

class Recorder;

namespace detail {
class RecordingState;
}

/// One command of a recording: what its Recorder gave for it. Says which command Recording::set() changes and
/// what Recorder::wait() waits for. A default-made one is no command of any recording.
class Step {
public:
    Step() noexcept = default;
    std::size_t index() const noexcept { return index_; } ///< in the order of recording, from 0

    /// For the library itself.
    Step(std::uintptr_t recording, std::size_t index) noexcept : recording_(recording), index_(index) {}
    std::uintptr_t recording() const noexcept { return recording_; }

private:
    std::uintptr_t recording_ = 0; ///< its number: one that is gone may leave its address to another
    std::size_t index_ = 0;
};

/// Commands recorded once, to be enqueued as often as wanted with Queue::replay(): one call in place of many.
///
///     ferry::Step scale;
///     ferry::Recording frame{device, [&](ferry::Recorder& record) {
///         record.copy(input, d);
///         scale = record.launch(kernel, grid, d, 1.0f);
///         record.copy(d, output);
///     }};
///     for (float factor : factors) {
///         frame.set(scale, 1, factor);
///         queue.replay(frame);
///     }
///
/// A replay does what enqueueing the same commands one by one would, on every backend, and behaves on its
/// queue as one command: it starts after what was enqueued before and ends before what comes after.
/// Commands of one line (a Recorder) run in order; those of different branches may overlap.
///
/// How it is done is the backend's affair and explain() tells: a CUDA or HIP graph where the driver has them
/// and all ends of the copies are buffers, which makes many small kernels several times as fast; else Ferry
/// enqueues the commands one after the other from a list that has been checked already.
///
/// Arguments are checked when they are recorded or set; a replay checks only what can have changed (whether a
/// buffer is mapped, whether the device is alive). Values are captured when they are recorded or set, host
/// ranges of copies are read and written by each replay.
///
/// Keeps alive the buffers and kernels of its commands; host ranges of copies must stay valid until the last
/// replay is done. Destroying it while replays run is fine. A handle, cheap to copy; all copies are the same
/// recording. Thread-safe. A default-made or moved-from one is empty: every call on it throws Error
/// (invalid_state).
class FERRY_API Recording {
public:
    Recording() noexcept = default;

    /// Calls `record(Recorder&)`, which gives the commands; nothing runs yet. An exception that leaves it
    /// goes on to the caller. A recording without commands can be replayed and does nothing.
    ///
    /// Blocks, on CUDA and HIP, while another thread ends an Imported or a Shared on the device, or frees
    /// memory that may be used past Ferry, for that waits for all of the device's work, in a call which these
    /// drivers refuse (and CUDA's may crash at) while a graph is captured, however briefly; on HIP also while
    /// another recording ends.
    template <std::invocable<Recorder&> F>
    Recording(const Device& device, F&& record, SourceLocation where = SourceLocation::current());

    /// From the next replay() on, argument number `index` (from 0) of the launch `step` is `argument`: a
    /// value, a buffer or view, or local memory, as launch() takes it. Replays already enqueued keep what
    /// they had. Does not block for them.
    ///
    /// Throws Error: invalid_argument (the step is not a launch of this recording; there is no such argument;
    /// what Queue::launch() refuses; a value of another size than the one recorded, or an argument of another
    /// kind), invalid_state (a buffer of that launch, also one of its other arguments, is mapped for
    /// writing). Then nothing has changed.
    template <class T>
    void set(const Step& step, std::size_t index, const T& argument,
             SourceLocation where = SourceLocation::current()) {
        set_packed(step, index, detail::argument(argument), where);
    }
    /// The same for the shape of the launch.
    void set_grid(const Step& step, const Grid& grid, SourceLocation where = SourceLocation::current());

    std::size_t size(SourceLocation where = SourceLocation::current()) const; ///< commands
    Device device(SourceLocation where = SourceLocation::current()) const;
    explicit operator bool() const noexcept { return state_ != nullptr; }

    /// One sentence on how it is replayed and why: "One CUDA graph of 100 commands."
    std::string explain(SourceLocation where = SourceLocation::current()) const;

    /// For the library itself.
    const std::shared_ptr<detail::RecordingState>& state() const noexcept { return state_; }

private:
    void begin(const Device& device, SourceLocation where);
    void end(SourceLocation where);
    void set_packed(const Step& step, std::size_t index, const detail::Argument& argument,
                    SourceLocation where);

    std::shared_ptr<detail::RecordingState> state_;
};

/// Takes the commands of a recording, one line of them, each after the one before. Its commands have the
/// meaning and the checks of those of Queue with the same names. Not thread-safe, and usable only while the
/// function runs that was given to Recording; later every call throws Error (invalid_state).
class FERRY_API Recorder {
public:
    /// As Queue::copy(), within the recording's device or between it and host memory: copies to other devices
    /// cannot be recorded (unsupported).
    template <class S, class D>
    Step copy(S&& source, D&& destination, SourceLocation where = SourceLocation::current()) {
        if constexpr (!detail::check_ends<S, D>()) {
            return Step();
        } else if constexpr (detail::DeviceElements<S> && detail::DeviceElements<D>) {
            return copy_regions(source.region(), destination.region(), sizeof(detail::element_t<S>), where);
        } else if constexpr (detail::DeviceElements<S>) {
            return copy_to_host(source.region(), detail::host_range(destination),
                                sizeof(detail::element_t<S>), where);
        } else {
            return copy_from_host(detail::host_range(source), destination.region(),
                                  sizeof(detail::element_t<S>), where);
        }
    }

    /// As Queue::fill().
    template <class D>
        requires detail::DeviceElements<D> Step fill(D&& destination,
                                                     const std::type_identity_t<detail::element_t<D>>& value,
                                                     SourceLocation where = SourceLocation::current()) {
            detail::check_writable<D>();
            return fill_region(destination.region(), &value, sizeof value, where);
        }
    /// As Queue::fill_bytes().
    template <class D>
        requires detail::DeviceElements<D> Step fill_bytes(D&& destination,
                                                           std::span<const std::byte> pattern,
                                                           SourceLocation where = SourceLocation::current()) {
            detail::check_writable<D>();
            return fill_region(destination.region(), pattern.data(), pattern.size(), where);
        }

    /// As Queue::launch(), but without shares: a recording keeps the memory of its commands, and a share
    /// moves.
    template <class... Args>
        requires(!detail::argument_list<Args...>)
    Step launch(detail::LaunchSite kernel, const Grid& grid, const Args&... arguments) {
        static_assert((!detail::is_shared<Args> && ...),
                      "a share cannot be an argument of a recorded launch; use a Buffer or an Imported");
        const std::array<detail::Argument, sizeof...(Args)> packed{detail::argument(arguments)...};
        return launch_packed(kernel, grid, packed);
    }
    /// The same with arguments that are known at run time only; see Argument. A share among them is an Error
    /// (unsupported).
    Step launch(detail::LaunchSite kernel, const Grid& grid, std::span<const Argument> arguments);

    /// A line of its own, which starts after all that was recorded on this one so far and may overlap with
    /// what this one records from now on. What it holds is part of the recording; a replay is done when all
    /// lines are.
    Recorder branch(SourceLocation where = SourceLocation::current());

    /// What is recorded on this line from now on starts only after that command, of any line.
    void wait(const Step& step, SourceLocation where = SourceLocation::current());
    /// The same for all that was recorded on another line so far.
    void wait(const Recorder& line, SourceLocation where = SourceLocation::current());

    /// For the library itself.
    Step launch_packed(const detail::LaunchSite& site, const Grid& grid,
                       std::span<const detail::Argument> args);

private:
    friend class Recording;
    Recorder(std::shared_ptr<detail::RecordingState> state, std::size_t line) noexcept
        : state_(std::move(state)), line_(line) {}

    Step copy_regions(const detail::Region& from, const detail::Region& to, std::size_t element,
                      SourceLocation where);
    Step copy_to_host(const detail::Region& from, const detail::HostRange& to, std::size_t element,
                      SourceLocation where);
    Step copy_from_host(const detail::HostRange& from, const detail::Region& to, std::size_t element,
                        SourceLocation where);
    Step fill_region(const detail::Region& to, const void* pattern, std::size_t size, SourceLocation where);

    std::shared_ptr<detail::RecordingState> state_;
    std::size_t line_ = 0;
};

template <std::invocable<Recorder&> F>
Recording::Recording(const Device& device, F&& record, SourceLocation where) {
    begin(device, where);
    Recorder recorder(state_, 0);
    std::forward<F>(record)(recorder);
    end(where);
}

} // namespace ferry
