// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/serial_thread.hpp"
#include "check/clock.hpp"
#include "device/device_state.hpp"
#include "device/queue_interface.hpp"
#include "device/timeline.hpp"
#include "hal/backend.hpp"
#include "queue/command.hpp"
#include "queue/command_log.hpp"
#include "queue/event_state.hpp"
#include "queue/queue_trace.hpp"
#include "staging/policy.hpp"
#include "system/fork.hpp"
#include "system/mutex.hpp"

#include <ferry/batch.hpp>
#include <ferry/queue.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace ferry::detail {

namespace staging {
struct Leg;
}

class RecordedCommands;
class RecordingState;

/// Implementation of Queue: the vendor's queue, a log of its commands, and their host part.
///
/// Commands go directly to the vendor's queue while no host work is pending. Host work is, for example, a
/// wait for a foreign event or a copy between backends. It goes to the backlog, which is one thread that runs
/// tasks in order. All later commands go to the backlog too, until it is empty again. This keeps commands in
/// order on every backend without user events, whose failures are not reported reliably
/// (docs/design/queues.md).
class alignas(64) QueueState final : public QueueInterface, public std::enable_shared_from_this<QueueState> {
public:
    /// `native`: the vendor's handle of an existing queue owned by the caller. Null: a queue is created.
    QueueState(DeviceState& device, const QueueOptions& options, void* native);
    QueueState(const QueueState&) = delete;
    QueueState& operator=(const QueueState&) = delete;
    ~QueueState();

    /// Call once a shared pointer owns the queue.
    void attach();

    DeviceState& device() const noexcept { return *device_; }
    /// race::host if the race check is off.
    race::Actor race() const noexcept { return race_; }
    backend::Queue& native() const noexcept { return *native_; }
    Staging staging() const noexcept { return staging_; }
    WaitPolicy wait_policy() const noexcept { return wait_policy_; }
    unsigned forks() const noexcept { return forks_; }

    /// Enqueues a command in the best way. It has been checked.
    template <class C>
    void submit(const C& command) {
        enqueue(command);
    }
    void submit(const WriteCommand& command);
    void submit(const ReadCommand& command);
    void submit(const CopyCommand& command);
    void submit(const BoxCommand& command);
    /// A copy to or from `region` that the backlog's thread performs in order. `run` enqueues commands on the
    /// leg and may throw staging::Failure. The number is that of the command.
    using Carry = std::function<void(const staging::Leg& leg, std::uint64_t number)>;
    void carry(const Region& region, Carry run,
               const SourceLocation& where); ///< In src/queue/staged_copy.cpp
    void replay(const RecordingState& recording, const SourceLocation& where);
    void* map(const Region& region, Map access, MappedElements elements, const SourceLocation& where);

    EventRef record(const SourceLocation& where);
    void wait(EventRef event, const SourceLocation& where);
    /// Waits for an event that Ferry did not create.
    void wait(std::shared_ptr<backend::Event> foreign, const SourceLocation& where);
    void on_complete(std::function<void(EventStatus)> callback, const SourceLocation& where);
    /// For internal use: calls `then` on the callback thread; `well` says whether all work before the event
    /// succeeded. Unlike on_complete() it is not a wait of the host for the race check, because the program
    /// has ordered nothing. `then` must not throw and must not block.
    void when_done(EventRef event, std::function<void(bool well)> then, const SourceLocation& where);
    void finish(const SourceLocation& where);
    /// Calls finish() on each queue of the device. Throws the first error at the end; each other error is
    /// thrown by the next finish() of its queue.
    static void finish_all(const DeviceState& device, const SourceLocation& where);
    void flush(const SourceLocation& where);
    bool idle(const SourceLocation& where);
    /// Like finish(), but ignores errors; also runs the pending callbacks and releases the events. For
    /// ~Queue().
    void close() noexcept;

    /// Called by events: this command and all earlier ones are done. Returns the failure that affects it, if
    /// any.
    std::optional<Error> completed(std::uint64_t number);
    /// Called by events: the vendor reported an error at or before that command. Returns the error attributed
    /// to a command, and keeps it for finish(). Returns nothing if the command is known to be done, because a
    /// vendor that has lost its context reports everything as failed.
    std::optional<Error> command_failed(const Error& error, std::uint64_t upto) override;
    /// The same for an error of the event itself, which comes after that command.
    std::optional<Error> event_failed(const Error& error, std::uint64_t upto);

    /// Call when the program may start to enqueue commands directly on the vendor's queue. Relaxed, because
    /// the caller that got the handle orders its use before later calls.
    void expose() noexcept { exposed_.store(true, std::memory_order_relaxed); }
    /// Whether commands of this queue may still write pageable host memory. Callable from any thread.
    bool may_write_to_host() const noexcept {
        return host_writes_.may_be_left(timeline()) || exposed_.load(std::memory_order_relaxed) ||
               device_->has_imports();
    }

    /// For a destructor that must not throw: finish() throws this error, and events recorded from now on
    /// report it. An earlier failure that finish() has not thrown yet takes precedence.
    void leave_to_finish(const std::exception& error) noexcept;

    /// Whether finish() has thrown a failure of that command or of an earlier one.
    bool has_reported_failure(std::uint64_t number) const;

    /// Orders later commands after that command of another queue, even if it fails.
    void wait_for(const Mark& mark, const SourceLocation& where) override;
    /// Determines which commands are done. Does not block.
    void look_for_progress() noexcept override;
    /// Whether the calling thread runs this queue's backlog, possibly inside a function of the caller.
    bool is_on_backlog() const noexcept override { return backlog_.on_this_thread(); }
    /// The last command that was completely submitted to the vendor's queue. Locks the mutex.
    std::uint64_t issued() const noexcept override;

    /// Called when main() returns, before any exit handler. Waits for a limited time for enqueued work of
    /// drivers that run kernels on threads of this process, because their compilers may still be running.
    static void let_drivers_finish() noexcept;
    /// Called at process exit: waits for a limited time until no other thread is inside a vendor call of a
    /// queue.
    static void let_calls_return() noexcept;
    /// Whether this thread has called exit() inside a vendor call made for a queue.
    static bool in_call_of_this_thread() noexcept;

private:
    struct Failure {
        Error error;
        std::uint64_t from; ///< Events recorded after this command report the error, earlier ones do not.
        /// Once finish() has thrown the error, events recorded after this command do not report it.
        std::uint64_t upto;
    };
    /// A command in the backlog. `failed` is the earlier failure of this queue, or null.
    using Task = std::function<void(const Error* failed)>;
    using Lock = std::unique_lock<Mutex>;

    // All functions below require mutex_.
    //
    // Like DeviceState::check_alive(), but releases the mutex while it blocks.
    void check_alive(const SourceLocation& where) {
        if (device_->is_unusable()) [[unlikely]] {
            refuse(where);
        }
    }
    [[noreturn]] void refuse(const SourceLocation& where);
    EventState* acquire_event();                             ///< With one reference.
    bool has_passed(const EventState& event) const noexcept; ///< The device has passed it.
    EventState* make_event();                                ///< A new one, with one reference.
    void record_later(const EventRef& event);
    void wait_later(EventRef event);
    void look_for_progress(const Lock& held) noexcept;
    /// The last command that was completely submitted to the vendor's queue.
    std::uint64_t last_issued() const noexcept { return in_progress_ != 0 ? in_progress_ - 1 : log_.last(); }
    /// Logs the command that a task of the backlog is about to start, and notes its use of memory.
    template <class C>
    std::uint64_t begin_task(const C& command, CommandKind kind = C::kind);
    /// Logs the command and runs it, or makes the vendor's calls of `run` for it.
    template <class C>
    void issue(const C& command);
    template <class C, class Run>
    void issue(const C& command, const Run& run);
    void defer(Task task);
    /// Notes that the task just deferred will use this memory, which must have admitted the queue.
    template <class C>
    void note_deferred(const C& command) noexcept;
    Error remember(const Error& error, std::uint64_t upto,
                   const std::optional<Error>& foreign = std::nullopt);
    void fail_after(const Error& error, std::uint64_t command);
    /// Throws the failure that has not been reported yet, if any; finish() does not throw it again. `done`:
    /// the last command known to be done.
    void throw_failure(std::uint64_t done);
    void mark_reported(std::uint64_t done); ///< Call when reported_ is thrown.
    void sync_if_asked() {
        if (sync_) [[unlikely]] {
            sync();
        }
    }
    void sync();
    /// Ends the trace entry of a command run by the backlog. A null `name` means that it failed. Locks the
    /// mutex.
    void end_traced(const char* name) noexcept;

    /// Issues a command now, or adds it to the backlog. Locks the mutex.
    template <class C>
    void enqueue(const C& command);
    template <class C>
    bool is_admitted(const C& command) const noexcept;
    /// Waits until the memory objects admit this queue. Releases mutex_ while it waits.
    template <class C>
    void admit(const C& command, const SourceLocation& where);
    /// Notes the use of memory by the next command to be logged. False, with nothing noted: not admitted yet.
    template <class C>
    bool note(const C& command) noexcept;
    void run_task(Task task);
    /// After an error of a wait: waits until the driver proves that the commands up to that one are done.
    /// Returns false, and abandons them, if the driver cannot prove it.
    bool settle(const Error& error, std::uint64_t number) noexcept;
    /// Adds to the error that memory stays allocated, if commands are abandoned.
    Error with_kept_memory(const Error& error) const;
    void release_events() noexcept; ///< Also marks the queue as closed.
    /// The error of a failed event of another queue that this queue waits for. Locks that queue.
    std::optional<Error> foreign_failure();
    /// Keeps a failure for finish(). Returns the last command that is done.
    std::uint64_t finish_commands(const SourceLocation& where);
    // In src/queue/transfer.cpp
    void copy_by_host(const CopyCommand& command);
    void transfer(const CopyCommand& command);
    // In src/queue/staged_copy.cpp
    enum class Way : bool { up, down };
    bool stages(const void* host, const Region& region);
    Carry staged_copy(void* host, const Region& region, Way way);
    /// carry() with mutex_ held, for memory that has admitted the queue.
    void carry_later(const Region& region, Carry run, const SourceLocation& where);
    /// Whether the command goes through page-locked slots, and the way that it takes then.
    template <class C>
    bool is_staged(const C&) {
        return false;
    }
    bool is_staged(const WriteCommand& command);
    bool is_staged(const ReadCommand& command);
    template <class C>
    void stage_later(const C&) {}
    void stage_later(const WriteCommand& command);
    void stage_later(const ReadCommand& command);
    /// Whether commands of the vendor's queue that are not done may write this host memory.
    bool may_be_written(const void* host, std::size_t bytes) const noexcept;
    /// For the backlog's thread, without the mutex: waits until the vendor's queue has completed all its
    /// commands. Throws staging::Failure.
    void wait_for_earlier(const staging::Leg& leg);
    bool copy_box_peer(const BoxCommand& command);
    void copy_box_by_host(const BoxCommand& command);
    void transfer_box(const BoxSide& from, const BoxSide& to, const BoxCopy& copy, std::uint64_t number);
    // In src/queue/replay.cpp. All but the first one require mutex_.
    std::vector<std::size_t> staged_commands(const RecordedCommands& commands);
    void replay_part(const std::shared_ptr<RecordedCommands>& commands, std::size_t first, std::size_t end);
    void replay_commands(const RecordedCommands& commands, std::size_t first, std::size_t end);

    // Members read by every call come first, in as few cache lines as possible: between two calls the
    // driver's own work evicts most of them from the nearest cache.
    DeviceState* device_;
    mutable Mutex mutex_; // Protects all members below that are not const.
    std::unique_ptr<backend::Queue> native_;
    std::uint64_t pending_ = 0;                ///< Backlog tasks that are not finished.
    EventState* event_ = nullptr;              ///< The one used last, in the ring of all.
    std::size_t events_ = 0;                   ///< The number of events in the ring.
    std::unique_ptr<trace::QueueTrace> trace_; ///< Null if tracing is off.
    const bool timing_;
    /// At this number of events, an old one is used again even if the device has not passed it.
    const std::size_t enough_events_;
    const bool sync_;
    bool closed_ = false;
    const Staging staging_;
    const WaitPolicy wait_policy_;
    const unsigned forks_ = fork_count(); ///< The value at construction.
    // The destructor releases these two, so members whose initialization may throw precede them.
    const race::Actor race_;
    /// In bytes. Copies of pageable memory up to this size use the driver's own path.
    const std::size_t straight_up_;
    const std::size_t straight_down_;
    staging::HostWrites host_writes_;
    std::atomic<bool> exposed_; ///< Relaxed: the program orders its own use of the handle before later calls.
    std::uint64_t in_progress_ = 0; ///< The command of the backlog's running task, or 0.
    std::size_t waited_count_ = 0;
    std::array<EventRef, 8> waited_; ///< The last events of other queues that the vendor's queue waits for.
    CommandLog log_;
    std::optional<Failure> failure_; ///< Not thrown by finish() yet.
    /// Already thrown; events of those commands still report it.
    std::optional<Failure> reported_;
    std::optional<Error> thrown_;                ///< By a callback; only finish() throws it.
    std::unique_ptr<backend::Event> checkpoint_; ///< Recorded after the command checkpoint_number_.
    std::uint64_t checkpoint_number_ = 0;        ///< 0: none.
    std::vector<backend::BatchCopy> batched_;    ///< A buffer for the copies passed to native_.
    SerialThread backlog_;
    SerialThread callbacks_;
};

} // namespace ferry::detail
