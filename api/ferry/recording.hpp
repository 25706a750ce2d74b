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
#include <string_view>
#include <type_traits>
#include <utility>

namespace ferry {

class Recorder;

namespace detail {
class RecordingState;
}

/// Identifies one command of a recording. The Recorder returns it. It selects the command for
/// Recording::set() and Recorder::wait(). A default-constructed Step belongs to no recording.
class Step {
public:
    Step() noexcept = default;
    std::size_t index() const noexcept { return index_; } ///< Index in the order of recording, from 0.

    /// For use by the library only.
    Step(std::uintptr_t recording, std::size_t index) noexcept : recording_(recording), index_(index) {}
    std::uintptr_t recording() const noexcept { return recording_; }

private:
    std::uintptr_t recording_ = 0; ///< The number of the recording. An address would not be unique, because
                                   ///< it is reused after destruction.
    std::size_t index_ = 0;
};

/// Commands that are recorded once and can be enqueued many times with Queue::replay(), in one call.
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
/// A replay has the same effect as enqueueing the commands one by one, on every backend. It behaves as one
/// command of its queue: it starts after all earlier commands and ends before all later ones. Commands
/// recorded through one Recorder run in order; commands of different branches may overlap.
///
/// The backend chooses the implementation, and explain() reports it. If all ends of the copies are buffers,
/// CUDA and HIP use a graph of the driver (many small kernels are several times as fast), and Vulkan uses
/// command buffers. Otherwise Ferry enqueues the commands one by one from a list that is already checked.
///
/// Arguments are checked when they are recorded or set. A replay checks only conditions that can change:
/// whether a buffer is mapped, and whether the device is alive. Values are captured when they are recorded or
/// set. Host ranges of copies are read and written by each replay.
///
/// A recording keeps the buffers and kernels of its commands alive. Host ranges of copies must stay valid
/// until the last replay is done. The recording may be destroyed while replays run. A handle that is cheap to
/// copy; all copies are the same recording. Thread-safe. A default-constructed or moved-from recording is
/// empty, and every call on it throws Error (invalid_state).
class FERRY_API Recording {
public:
    Recording() noexcept = default;

    /// Calls `record(Recorder&)`, which records the commands; none of them runs. An exception that leaves
    /// `record` is passed to the caller. A recording without commands can be replayed and does nothing.
    ///
    /// May block. On CUDA and HIP, it waits while another thread ends an Imported or a Shared on the device,
    /// or frees memory that other code may also use. These operations wait for all work of the device, and
    /// the drivers reject such a wait during a graph capture (CUDA's may crash). On HIP it also waits while
    /// another recording ends.
    template <std::invocable<Recorder&> F>
    Recording(const Device& device, F&& record, SourceLocation where = SourceLocation::current());

    /// Sets argument `index` (from 0) of the launch `step` for all later replays. `argument` is a value, a
    /// buffer or view, or local memory, as for launch(). Replays that are already enqueued keep the old
    /// argument; the call does not wait for them.
    ///
    /// Throws Error: invalid_argument (`step` is not a launch of this recording; there is no such argument;
    /// Queue::launch() would reject the argument; the size of a value or the kind of the argument differs
    /// from the recorded one), invalid_state (any buffer of the launch is mapped for writing). If it throws,
    /// nothing has changed.
    template <class T>
    void set(const Step& step, std::size_t index, const T& argument,
             SourceLocation where = SourceLocation::current()) {
        set_packed(step, index, detail::argument(argument), where);
    }
    /// Sets the grid of the launch `step`, under the same rules.
    void set_grid(const Step& step, const Grid& grid, SourceLocation where = SourceLocation::current());

    std::size_t size(SourceLocation where = SourceLocation::current()) const; ///< Number of commands.
    Device device(SourceLocation where = SourceLocation::current()) const;
    explicit operator bool() const noexcept { return state_ != nullptr; }

    /// One sentence that describes the implementation and the reason for it: "One CUDA graph of 100
    /// commands."
    std::string explain(SourceLocation where = SourceLocation::current()) const;

    /// For use by the library only.
    const std::shared_ptr<detail::RecordingState>& state() const noexcept { return state_; }

private:
    void begin(const Device& device, SourceLocation where);
    void end(SourceLocation where);
    void set_packed(const Step& step, std::size_t index, const detail::Argument& argument,
                    SourceLocation where);

    std::shared_ptr<detail::RecordingState> state_;
};

/// Records the commands of one line of a recording; each command runs after the previous one. Its functions
/// have the meaning and the checks of the functions of Queue with the same names. Not thread-safe. Usable
/// only while the function passed to Recording runs; later every call throws Error (invalid_state).
class FERRY_API Recorder {
public:
    /// Like Queue::copy(), within the recording's device or between it and host memory. Copies to other
    /// devices cannot be recorded (unsupported).
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

    /// Like Queue::fill().
    template <class D>
        requires detail::DeviceElements<D> Step fill(D&& destination,
                                                     const std::type_identity_t<detail::element_t<D>>& value,
                                                     SourceLocation where = SourceLocation::current()) {
            detail::check_writable<D>();
            return fill_region(destination.region(), &value, sizeof value, where);
        }
    /// Like Queue::fill_bytes().
    template <class D>
        requires detail::DeviceElements<D> Step fill_bytes(D&& destination,
                                                           std::span<const std::byte> pattern,
                                                           SourceLocation where = SourceLocation::current()) {
            detail::check_writable<D>();
            return fill_region(destination.region(), pattern.data(), pattern.size(), where);
        }

    /// Like Queue::launch(), but without shares, because the memory of a share can move and a recording keeps
    /// its memory.
    template <class... Args>
        requires(!detail::argument_list<Args...>)
    Step launch(detail::LaunchSite kernel, const Grid& grid, const Args&... arguments) {
        static_assert((!detail::is_shared<Args> && ...),
                      "a share cannot be an argument of a recorded launch; use a Buffer or an Imported");
        const std::array<detail::Argument, sizeof...(Args)> packed{detail::argument(arguments)...};
        return launch_packed(kernel, grid, packed);
    }
    /// The same with arguments that are known only at run time. See Argument. Throws Error (unsupported) if a
    /// share is among them.
    Step launch(detail::LaunchSite kernel, const Grid& grid, std::span<const Argument> arguments);

    /// Like Queue::mark(). While a trace is written, a replay enqueues the commands of a recording with marks
    /// one by one, because commands of a graph have no times.
    Step mark(std::string_view name, SourceLocation where = SourceLocation::current());

    /// Creates another line. It starts after all commands recorded on this line so far, and may overlap with
    /// commands recorded on this line later. Its commands belong to the recording; a replay is done when all
    /// lines are done.
    Recorder branch(SourceLocation where = SourceLocation::current());

    /// Commands recorded on this line after this call start only after `step`, which may belong to any line.
    void wait(const Step& step, SourceLocation where = SourceLocation::current());
    /// The same for all commands recorded on another line so far.
    void wait(const Recorder& line, SourceLocation where = SourceLocation::current());

    /// For use by the library only.
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
