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
#include <ferry/hints.hpp>
#include <ferry/kernel.hpp>
#include <ferry/queue_options.hpp>
#include <ferry/source_location.hpp>
#include <ferry/standard.hpp>
#include <ferry/view.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ferry {

class Recording;

/// The maximum size of a pattern of Queue::fill() and fill_bytes(), in bytes.
inline constexpr std::size_t largest_fill_pattern = std::size_t{64} << 10;

namespace detail {

class QueueState;

/// A kernel, and the line that launches it.
struct LaunchSite {
    const Kernel& kernel;
    SourceLocation where;
    LaunchSite(const Kernel& k, SourceLocation w = SourceLocation::current()) : kernel(k), where(w) {}
};

} // namespace detail

/// An in-order command queue of one device (CUDA, HIP: a stream). Commands of one queue run one after the
/// other. Commands of different queues may overlap. Every call returns once the command is enqueued, unless
/// its documentation states that it blocks. Thread-safe: calls from several threads are enqueued in some
/// order.
///
/// Some commands need the host: a copy between backends, or a wait for an event of another backend. A thread
/// of the library carries them out. Later commands of the queue are held on the host until then. They stay in
/// order, and the caller is not blocked.
///
/// Errors. A call checks everything that can be checked before it enqueues anything; if it throws, nothing
/// has changed. A failure that the device reports later names its command. It is delivered to every event
/// recorded after the command, to callbacks, and to finish(), which throws it. copy_and_wait(), read(), and
/// map() of a buffer or view also throw it, because they wait for the commands of the queue. After that the
/// queue can be used again if the device survived. If the device was lost, every call throws Error
/// (device_lost).
///
/// Process exit. After exit() or the return from main(), a call on a thread other than the exiting one blocks
/// until the process has ended. If an exit handler of the program joins such a thread, or blocks for another
/// reason, the call throws Error (invalid_state) after one second. pthread_cancel() of a thread that waits in
/// a call takes effect after the call.
///
/// Movable, not copyable. Every call on a moved-from queue throws Error (invalid_state). The destructor waits
/// for the commands and callbacks of the queue, discards errors that were not collected, and never throws. A
/// child process (fork) cannot use the queue; the destructor does nothing there.
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

    /// Copies all elements of `source` to `destination`. Both must have the same element type and the same
    /// number of elements. Each end is a host range, a buffer or a view, on this queue's device, on another
    /// device of the same backend, or on another backend (through page-locked memory). At least one end must
    /// be on this queue's device. Zero elements are a no-op.
    ///
    /// Asynchronous. Until the command is done (an event after it, or finish()), a host range must stay
    /// valid, the source must not change, and the destination must not be accessed. A temporary that owns its
    /// elements does not compile. Large ranges of pageable memory are copied through the library's
    /// page-locked slots (ferry/staging.hpp). For small ranges some drivers block in this call.
    ///
    /// If pages of a host range are not mapped or not accessible, a staged copy fails with Error
    /// (invalid_argument) that names the address. Other copies are not checked: the driver rejects them, or
    /// the copying thread of the library or the driver faults, and the program's SIGSEGV handler runs on it.
    ///
    /// Throws Error: invalid_argument (the sizes differ; the ranges overlap in one buffer; no end is on this
    /// device; a null range), invalid_state (a buffer is mapped or was moved from).
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
    /// and host memory (HostBox). Each end has its own pitches. Bytes between the rows are neither read nor
    /// written. Both ends must have the same element type and the same extent. An empty box is a no-op.
    /// Devices, blocking and errors are those of copy() of ranges. Boxes of one buffer may interleave, but
    /// must not overlap.
    ///
    /// Uses one vendor call if the vendor has a call for boxes. Rows much shorter than 64 bytes are slow over
    /// a bus.
    template <BoxEnd S, BoxEnd D>
    void copy(const S& source, const D& destination, SourceLocation where = SourceLocation::current()) {
        static_assert(detail::IsBox<S>::value || detail::IsBox<D>::value,
                      "one end of a copy must be a Box of a buffer");
        static_assert(std::is_same_v<typename S::value_type, typename D::value_type>,
                      "both ends of a copy must have the same element type");
        static_assert(!detail::IsReadOnlyBox<D>::value, "the destination of a copy must be writable");
        copy_boxes(side_of(source), side_of(destination), sizeof(typename S::value_type), where);
    }

    /// Enqueues all copies of a batch as one command. See Batch. An empty batch is a no-op.
    void copy(Batch& batch, SourceLocation where = SourceLocation::current());

    /// Like copy(), but blocks until the copy and everything enqueued before it are done. Throws the error of
    /// a command that failed. The source may be a temporary.
    template <class S, class D>
        requires detail::RangeEnds<S, D>
    void copy_and_wait(S&& source, D&& destination, SourceLocation where = SourceLocation::current()) {
        copy(source, destination, where); // Passed as lvalues, so temporaries are accepted.
        finish(where);
    }

    template <BoxEnd S, BoxEnd D>
    void copy_and_wait(const S& source, const D& destination,
                       SourceLocation where = SourceLocation::current()) {
        copy(source, destination, where);
        finish(where);
    }

    /// Returns the elements of a buffer or view in a vector. Blocks like copy_and_wait(). Not for bool,
    /// because std::vector<bool> is bit-packed; use copy_and_wait() into an array of bool.
    template <detail::DeviceElements S>
    std::vector<detail::element_t<S>> read(const S& source,
                                           SourceLocation where = SourceLocation::current()) {
        detail::check_vector<detail::element_t<S>>();
        std::vector<detail::element_t<S>> result(source.size());
        copy_and_wait(source, result, where);
        return result;
    }

    /// Returns the elements of a box in a vector, row after row without gaps. Blocks like copy_and_wait().
    template <class T>
    std::vector<std::remove_const_t<T>> read(const Box<T>& source,
                                             SourceLocation where = SourceLocation::current()) {
        detail::check_vector<std::remove_const_t<T>>();
        std::vector<std::remove_const_t<T>> result(source.size());
        copy_and_wait(source, HostBox<std::remove_const_t<T>>(result, source.extent(), {}, where), where);
        return result;
    }

    /// Sets every element of `destination` to `value`. `destination` must be on this queue's device. The
    /// element size must be at most largest_fill_pattern, 64 KiB; otherwise throws Error (invalid_argument).
    /// Throws the errors of copy().
    template <class D>
        requires detail::DeviceElements<D>
    void fill(D&& destination, const std::type_identity_t<detail::element_t<D>>& value,
              SourceLocation where = SourceLocation::current()) {
        detail::check_writable<D>();
        fill_region(detail::region_of(destination), &value, sizeof value, where);
    }

    /// Fills `destination` with repetitions of `pattern`, starting at its first byte. The size of the pattern
    /// must divide the size of the destination and be at most largest_fill_pattern; otherwise throws Error
    /// (invalid_argument). The pattern is captured during the call.
    template <class D>
        requires detail::DeviceElements<D>
    void fill_bytes(D&& destination, std::span<const std::byte> pattern,
                    SourceLocation where = SourceLocation::current()) {
        detail::check_writable<D>();
        fill_region(detail::region_of(destination), pattern.data(), pattern.size(), where);
    }

    /// Moves a range of shared memory (MemoryKind::shared) to the device or to the processor before it is
    /// used there, so that later accesses do not wait for page faults. Asynchronous and in order, like a
    /// copy. Moves whole pages, so the bytes around the range may move too. Changes no bytes.
    ///
    /// A hint: it has no effect on memory of another kind, on an empty range, or if DeviceInfo::prefetch is
    /// false. Throws Error: invalid_argument (the memory is not on this device), invalid_state (the buffer
    /// was moved from), and the error of a driver that rejects the call.
    template <class D>
        requires detail::DeviceElements<D>
    void prefetch(const D& range, Prefetch to = Prefetch::to_device,
                  SourceLocation where = SourceLocation::current()) {
        prefetch_region(detail::region_of(range), to, where);
    }

    /// Tells the driver how a range of shared memory will be used. In order with commands that are held on
    /// the host, but not with commands that the driver already has. Applies to whole pages. Several pieces of
    /// advice on one range hold together. Advice stays with the pages until Advice::none, even after the end
    /// of the buffer, because the pool gives the pages to later buffers; withdraw it before the end of the
    /// buffer.
    ///
    /// A hint, with the exceptions and errors of prefetch(). OpenCL has no advice and ignores it.
    template <class D>
        requires detail::DeviceElements<D>
    void advise(const D& range, Advice advice, SourceLocation where = SourceLocation::current()) {
        advise_region(detail::region_of(range), advice, where);
    }

    /// Runs a kernel over a grid. Grid::covering(items) lets the launch choose the group size. The number of
    /// arguments must match the parameters, at most max_arguments, 128. An argument is one of:
    ///
    /// - a buffer or view of this device that is not mapped for writing;
    /// - a Shared or a part of one (ferry/share.hpp);
    /// - local<T>(count);
    /// - a plain value (scalar, vector, struct without pointers), which is captured during the call.
    ///
    /// A view of const elements, or a share with Access::device_reads, declares that this kernel does not
    /// write to the memory, even if the parameter is not a pointer to const. FERRY_CHECK=races relies on this
    /// declaration. The strict host device detects a kernel that violates it.
    ///
    /// Throws Error before any vendor call:
    ///
    /// - invalid_argument: an argument has the wrong kind, size or element type, or their count is wrong, as
    ///   far as the backend knows the kernel.
    /// - invalid_argument: the grid has zero groups, only groups or only local, more work-items than 64 bits
    ///   can count, or groups larger than the device or the kernel allows.
    /// - invalid_argument: more local memory than the device has, or a buffer or kernel of another device.
    /// - invalid_argument: the grid has an offset, but the program was not built for offsets.
    /// - invalid_state: a buffer is mapped for writing or was moved from.
    /// - unsupported: the grid has an offset, but the kernel is native code.
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
    /// The same with arguments that are known only at run time. See Argument.
    void launch(detail::LaunchSite kernel, const Grid& grid, std::span<const Argument> arguments);

    /// Enqueues all commands of a recording, made for this queue's device, as one command. See Recording.
    ///
    /// Throws Error: invalid_argument (the recording belongs to another device), invalid_state (the recording
    /// is empty, or one of its buffers is mapped). An error of a command names the command and the line that
    /// recorded it.
    void replay(const Recording& recording, SourceLocation where = SourceLocation::current());

    /// Enqueues a mark: a name for this position in the order of the queue, which has no other effect. In a
    /// trace (FERRY_TRACE) it is a slice "mark NAME" in the row of the queue, at the time when all earlier
    /// commands are done. Without a trace it makes no call of the driver.
    ///
    /// The name may have any length and is copied. Throws Error: invalid_argument (the name is empty).
    void mark(std::string_view name, SourceLocation where = SourceLocation::current());

    /// Returns an event that completes when everything enqueued on this queue so far is done.
    Event record(SourceLocation where = SourceLocation::current());

    /// Commands enqueued on this queue after this call start only after `event` is complete. The event may
    /// belong to any queue, device or backend. If a command before the event failed, this queue fails too.
    void wait(const Event& event, SourceLocation where = SourceLocation::current());
    /// The same for an event that is not used elsewhere, `queue.wait(other.record())`. It is slightly faster.
    void wait(Event&& event, SourceLocation where = SourceLocation::current());

    /// Calls `callback` on a thread of the library once everything enqueued so far is done, and passes the
    /// result. Callbacks of one queue run one at a time, in order. Commands enqueued later do not wait for
    /// them.
    ///
    /// A callback may enqueue on any queue and may wait for other queues, but not in a cycle. finish() called
    /// outside of the callbacks of its queue waits for these callbacks too. If a callback of one queue waits
    /// for finish() of a second queue, and a callback of the second for finish() of the first, both wait
    /// forever. Waiting for an event does not wait for callbacks.
    ///
    /// An exception that leaves the callback is thrown by the next finish() of this queue, unless a command
    /// has failed; nothing else reports it. A callback must return. If it ends its thread (pthread_exit()),
    /// this is reported in the same way, and later callbacks still run.
    void on_complete(std::function<void(EventStatus)> callback,
                     SourceLocation where = SourceLocation::current());

    /// Blocks until every command enqueued so far is done and every callback registered so far has returned.
    /// If called from a callback of this queue, it waits for the commands only. Throws the first error since
    /// the last finish().
    void finish(SourceLocation where = SourceLocation::current());

    /// Submits everything enqueued so far to the device. Needed only before a wait that does not go through
    /// Ferry; events, finish() and waits of other queues submit automatically. Does not block.
    void flush(SourceLocation where = SourceLocation::current());

    /// True if everything enqueued so far is done. Does not block.
    bool idle(SourceLocation where = SourceLocation::current());

    /// For the interop headers: wraps the caller's own queue, given by its vendor handle, unless the handle
    /// is null.
    Queue(const Device& device, void* native, QueueOptions options, SourceLocation where);
    /// For use by the library and the interop headers. Throws Error (invalid_state) if moved from.
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
    void prefetch_region(const detail::Region& range, Prefetch to, SourceLocation where);
    void advise_region(const detail::Region& range, Advice advice, SourceLocation where);
    void launch_shared(const detail::LaunchSite& site, const Grid& grid, std::span<detail::Argument> args,
                       std::span<const detail::ShareUse> uses);
    void launch_packed(const detail::LaunchSite& site, const Grid& grid,
                       std::span<const detail::Argument> args);

    std::shared_ptr<detail::QueueState> state_;
};

} // namespace ferry
