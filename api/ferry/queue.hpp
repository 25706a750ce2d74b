// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/argument.hpp>
#include <ferry/batch.hpp>
#include <ferry/box.hpp>
#include <ferry/buffer.hpp>
#include <ferry/copy_end.hpp>
#include <ferry/error.hpp>
#include <ferry/event.hpp>
#include <ferry/export.hpp>
#include <ferry/grid.hpp>
#include <ferry/kernel.hpp>
#include <ferry/source_location.hpp>
#include <ferry/standard.hpp>
#include <ferry/view.hpp>
#include <ferry/wait_policy.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace ferry {

class Recording;

struct QueueOptions {
    bool timing = true; ///< events of this queue can be given to elapsed()
    /// How finish(), and wait() of this queue's events, wait.
    WaitPolicy wait = WaitPolicy::automatic;
};

/// The longest pattern of Queue::fill() and fill_bytes(), in bytes.
inline constexpr std::size_t largest_fill_pattern = std::size_t{64} << 10;

namespace detail {

class QueueState;

/// A kernel together with the line that launches it.
struct LaunchSite {
    const Kernel& kernel;
    SourceLocation where;
    LaunchSite(const Kernel& k, SourceLocation w = SourceLocation::current()) : kernel(k), where(w) {}
};

} // namespace detail

/// An in-order command queue of one device (CUDA, HIP: a stream). Commands of one queue run one after the
/// other; those of different queues may overlap. Every call returns once the command is enqueued, unless
/// its doc says that it blocks. Thread-safe: calls from several threads are enqueued in some order.
///
/// Work that needs the host between two commands (a copy between backends, a wait for another backend's
/// event) is carried by a thread of the library; commands enqueued behind it are held on the host until it
/// is done, in order, without blocking the caller.
///
/// Errors. What can be checked is checked before anything is enqueued: such a call throws and changes
/// nothing. A failure that the device reports later names its command and is delivered to every event
/// recorded after the command, to callbacks, and to finish(), which throws it; so do copy_and_wait(), read()
/// and map() of a buffer or view, which wait for the queue's commands. Once one of them has thrown it, the
/// queue can be used again if the device survived; if not, every call throws Error (device_lost).
///
/// Once the process has begun to end (exit(), return from main()), a call on another thread than the one that
/// ends it blocks until the process is gone. Where an exit handler of the program joins such a thread, the
/// call throws Error (invalid_state) after a second. pthread_cancel() of a thread that waits in a call takes
/// effect after the call.
///
/// Moves, does not copy. The destructor waits for the queue's work and callbacks, and drops errors nobody
/// asked for; it never throws. In a child process (fork), which cannot use the queue, it does nothing. A
/// moved-from queue throws Error (invalid_state) at every call.
class FERRY_API Queue {
public:
    explicit Queue(const Device& device, QueueOptions options = {},
                   SourceLocation where = SourceLocation::current());
    Queue(Queue&&) noexcept;
    Queue& operator=(Queue&&) noexcept;
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;
    ~Queue();

    Device device(SourceLocation where = SourceLocation::current()) const;

    /// Copies all elements of `source` to `destination`; both have the same element type and the same number
    /// of elements. Any mix of host ranges, buffers and views: on this queue's device, on another device of
    /// the same backend, or on another backend (then through page-locked memory). At least one end
    /// belongs to this queue's device.
    ///
    /// Asynchronous: a host range must stay valid, the source unchanged and the destination untouched, until
    /// the command is done (an event behind it, or finish()); a temporary that owns its elements does not
    /// compile. Large ranges of ordinary memory go through the
    /// library's page-locked slots (ferry/staging.hpp); for small ones some drivers block inside this call.
    /// Pages that are not there, or must not be read or written: a staged copy fails with Error
    /// (invalid_argument) that names the address. For others nobody looks: the driver refuses them, or the
    /// thread that copies, the library's or the driver's, faults, and the program's handler of SIGSEGV runs
    /// there.
    ///
    /// Throws Error: invalid_argument (sizes differ; overlapping ranges of one buffer; no end is on this
    /// device; a null range), invalid_state (a buffer is mapped, or was moved from). Zero elements are a
    /// no-op.
    template <class S, class D>
        requires detail::RangeEnds<S, D>
    void copy(S&& source, D&& destination, SourceLocation where = SourceLocation::current()) {
        if constexpr (detail::check_ends<S, D>()) {
            if constexpr (detail::DeviceElements<S> && detail::DeviceElements<D>) {
                copy_regions(detail::region_of(source), detail::region_of(destination),
                             sizeof(detail::element_t<S>), where);
            } else if constexpr (detail::DeviceElements<S>) {
                copy_to_host(detail::region_of(source), detail::host_range(destination),
                             sizeof(detail::element_t<S>), where);
            } else {
                copy_from_host(detail::host_range(source), detail::region_of(destination),
                               sizeof(detail::element_t<S>), where);
            }
        }
    }

    /// Copies a box of elements, a part of an image or of a volume, between buffers (Box) or between a buffer
    /// and host memory (HostBox), each end with its own pitches. Bytes between the rows are neither read nor
    /// written. Both ends have the same element type and the same extent. Devices, times and errors as for
    /// copy() of ranges; boxes of one buffer may interleave, but not overlap. An empty box is a no-op.
    ///
    /// One call of the vendor where it has one for boxes. Rows much shorter than 64 bytes are slow over a
    /// bus.
    template <BoxEnd S, BoxEnd D>
    void copy(const S& source, const D& destination, SourceLocation where = SourceLocation::current()) {
        static_assert(detail::IsBox<S>::value || detail::IsBox<D>::value,
                      "one end of a copy must be a Box of a buffer");
        static_assert(std::is_same_v<typename S::value_type, typename D::value_type>,
                      "both ends of a copy must have the same element type");
        static_assert(!detail::IsReadOnlyBox<D>::value, "the destination of a copy must be writable");
        copy_boxes(side_of(source), side_of(destination), sizeof(typename S::value_type), where);
    }

    /// Enqueues all copies of a batch as one command; see Batch. An empty batch is a no-op.
    void copy(Batch& batch, SourceLocation where = SourceLocation::current());

    /// As copy(), and blocks until the copy, and with it everything enqueued before, is done. Throws the
    /// error of a command that failed. The source may be a temporary.
    template <class S, class D>
        requires detail::RangeEnds<S, D>
    void copy_and_wait(S&& source, D&& destination, SourceLocation where = SourceLocation::current()) {
        copy(source, destination, where); // as lvalues, whatever they are
        finish(where);
    }

    template <BoxEnd S, BoxEnd D>
    void copy_and_wait(const S& source, const D& destination,
                       SourceLocation where = SourceLocation::current()) {
        copy(source, destination, where);
        finish(where);
    }

    /// The elements of a buffer or view in a vector. Blocks as copy_and_wait(). Not of bool, of which a
    /// vector keeps bits: copy_and_wait() into an array of bool.
    template <detail::DeviceElements S>
    std::vector<detail::element_t<S>> read(const S& source,
                                           SourceLocation where = SourceLocation::current()) {
        detail::check_vector<detail::element_t<S>>();
        std::vector<detail::element_t<S>> result(source.size());
        copy_and_wait(source, result, where);
        return result;
    }

    /// The elements of a box in a vector, row after row without gaps. Blocks as copy_and_wait().
    template <class T>
    std::vector<std::remove_const_t<T>> read(const Box<T>& source,
                                             SourceLocation where = SourceLocation::current()) {
        detail::check_vector<std::remove_const_t<T>>();
        std::vector<std::remove_const_t<T>> result(source.size());
        copy_and_wait(source, HostBox<std::remove_const_t<T>>(result, source.extent(), {}, where), where);
        return result;
    }

    /// Sets every element of `destination`, which is on this queue's device, to `value`. The element may have
    /// any size up to largest_fill_pattern, 64 KiB; else Error (invalid_argument). Throws as copy().
    template <class D>
        requires detail::DeviceElements<D>
    void fill(D&& destination, const std::type_identity_t<detail::element_t<D>>& value,
              SourceLocation where = SourceLocation::current()) {
        detail::check_writable<D>();
        fill_region(detail::region_of(destination), &value, sizeof value, where);
    }

    /// Repeats `pattern` over `destination`, beginning at its first byte. The pattern may have any size, up
    /// to largest_fill_pattern, that divides the size of the destination; else Error (invalid_argument). It
    /// is captured during the call.
    template <class D>
        requires detail::DeviceElements<D>
    void fill_bytes(D&& destination, std::span<const std::byte> pattern,
                    SourceLocation where = SourceLocation::current()) {
        detail::check_writable<D>();
        fill_region(detail::region_of(destination), pattern.data(), pattern.size(), where);
    }

    /// Runs a kernel over a grid. Grid::covering(items) leaves the group size to the kernel. Arguments, one
    /// for each parameter: buffers and views (of this device, not mapped for writing), Shared and parts of
    /// one (see there), local<T>(count), and plain values (scalars, vectors, structs without pointers), which
    /// are captured during the call. At most max_arguments, 128. A view of const elements, or what is shared
    /// for the device to read, says that this kernel does not write to it, also where the parameter is no
    /// pointer to const: FERRY_CHECK=races goes by that, the strict host device finds a kernel that does.
    ///
    /// Throws Error before the vendor sees anything: invalid_argument (count, kind, size or element type of
    /// an argument, as far as the backend knows the kernel; zero groups; a grid with only groups or only
    /// local; more work-items than 64 bits count; a group larger than the device, or the kernel on it, takes;
    /// local memory beyond the device's; a buffer or kernel of another device; an offset of the grid, for a
    /// program that was not built for it), invalid_state (a buffer is mapped for writing, or was moved from),
    /// unsupported (an offset, for native code).
    template <class... Args>
        requires(!detail::argument_list<Args...>)
    void launch(detail::LaunchSite kernel, const Grid& grid, const Args&... arguments) {
        if constexpr ((detail::is_shared<Args> || ...)) {
            std::array<detail::Argument, sizeof...(Args)> packed{detail::argument(arguments)...};
            const std::array<detail::ShareUse, sizeof...(Args)> uses{detail::share_use(arguments)...};
            launch_shared(kernel, grid, packed, uses);
        } else {
            const std::array<detail::Argument, sizeof...(Args)> packed{detail::argument(arguments)...};
            launch_packed(kernel, grid, packed);
        }
    }
    /// The same with arguments that are known at run time only; see Argument.
    void launch(detail::LaunchSite kernel, const Grid& grid, std::span<const Argument> arguments);

    /// Enqueues all commands of a recording, made for this queue's device, as one; see Recording.
    ///
    /// Throws Error: invalid_argument (a recording of another device), invalid_state (the recording is empty;
    /// one of its buffers is mapped). An error of a command names it with the line that recorded it.
    void replay(const Recording& recording, SourceLocation where = SourceLocation::current());

    /// An event that completes when everything enqueued on this queue so far has.
    Event record(SourceLocation where = SourceLocation::current());

    /// Commands enqueued on this queue from now on start only after `event` is complete. It may come from
    /// any queue, device or backend. If the command before the event failed, so does this queue.
    void wait(const Event& event, SourceLocation where = SourceLocation::current());
    /// The same for an event that nobody else needs, `queue.wait(other.record())`; a little cheaper.
    void wait(Event&& event, SourceLocation where = SourceLocation::current());

    /// Calls `callback` on a thread of the library once everything enqueued so far is done, with how it
    /// ended. Callbacks of one queue run one at a time in order; commands enqueued later do not wait for
    /// them. A callback may enqueue on any queue and may wait for other queues, but not in a circle:
    /// finish() of a queue, from outside of its callbacks, waits for these too. Where a callback of one queue
    /// waits for finish() of a second, and a callback of the second for finish() of the first, both wait for
    /// ever; to wait for an event knows no callbacks. An exception that leaves it is delivered by this
    /// queue's next finish(), unless a command has failed, and by nothing else. A callback returns: one that
    /// ends its thread (pthread_exit()) is reported in the same way, and the later callbacks still run.
    void on_complete(std::function<void(EventStatus)> callback,
                     SourceLocation where = SourceLocation::current());

    /// Blocks until every command enqueued so far is done and every callback registered so far has returned
    /// (called from within a callback of this queue: the commands only). Throws the first error since the
    /// last finish().
    void finish(SourceLocation where = SourceLocation::current());

    /// Hands everything enqueued to the device. Needed only before waiting by means Ferry does not see;
    /// events, finish() and waits of other queues do it themselves. Does not block.
    void flush(SourceLocation where = SourceLocation::current());

    /// Whether everything enqueued so far is done. Does not block.
    bool idle(SourceLocation where = SourceLocation::current());

    /// For the interop headers: over the caller's own queue, by the vendor's handle, if that is not null.
    Queue(const Device& device, void* native, QueueOptions options, SourceLocation where);
    /// For the library itself and the interop headers. Throws invalid_state if moved from.
    detail::QueueState& state(SourceLocation where) const;
    const std::shared_ptr<detail::QueueState>& handle() const noexcept { return state_; }

private:
    template <class T>
    static detail::BoxSide side_of(const Box<T>& box) noexcept {
        return {box.region(), nullptr, box.layout()};
    }
    template <class T>
    static detail::BoxSide side_of(const HostBox<T>& box) noexcept {
        return {{}, const_cast<std::remove_const_t<T>*>(box.data()), box.layout()};
    }

    void copy_boxes(const detail::BoxSide& from, const detail::BoxSide& to, std::size_t element,
                    SourceLocation where);
    void copy_regions(const detail::Region& from, const detail::Region& to, std::size_t element,
                      SourceLocation where);
    void copy_to_host(const detail::Region& from, const detail::HostRange& to, std::size_t element,
                      SourceLocation where);
    void copy_from_host(const detail::HostRange& from, const detail::Region& to, std::size_t element,
                        SourceLocation where);
    void fill_region(const detail::Region& to, const void* pattern, std::size_t size, SourceLocation where);
    void launch_shared(const detail::LaunchSite& site, const Grid& grid, std::span<detail::Argument> args,
                       std::span<const detail::ShareUse> uses);
    void launch_packed(const detail::LaunchSite& site, const Grid& grid,
                       std::span<const detail::Argument> args);

    std::shared_ptr<detail::QueueState> state_;
};

} // namespace ferry
