// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fork.hpp"
#include "base/mutex.hpp"
#include "base/serial_thread.hpp"
#include "check/clock.hpp"
#include "device/device_state.hpp"
#include "device/queue_interface.hpp"
#include "device/timeline.hpp"
#include "hal/backend.hpp"
#include "queue/box_layout.hpp"
#include "queue/command_log.hpp"
#include "queue/event_state.hpp"
#include "queue/host_writes.hpp"
#include "queue/queue_trace.hpp"
#include "staging/policy.hpp"

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

/// What stands behind a Queue: the vendor's queue, a record of its commands, and the host's part of it.
///
/// Commands go straight to the vendor's queue while no host work is pending. Once there is some (a wait
/// for a foreign event, a copy between backends), it and every command after it go through the backlog, a
/// lane of one thread, until the backlog is empty again. So in-order semantics hold on every backend
/// without user events, whose failures are not reported reliably (docs/design/queues.md).
class alignas(64) QueueState : public QueueInterface, public std::enable_shared_from_this<QueueState> {
public:
    /// `native`: the caller's own queue, by the vendor's handle, or null to create one.
    QueueState(DeviceState& device, const QueueOptions& options, void* native);
    QueueState(const QueueState&) = delete;
    QueueState& operator=(const QueueState&) = delete;
    ~QueueState();

    /// To be called once it is shared.
    void attach();

    DeviceState& device() const noexcept { return *device_; }
    /// race::host if races are not looked for.
    race::Actor race() const noexcept { return race_; }
    backend::Queue& native() const noexcept { return *native_; }
    Staging staging() const noexcept { return staging_; }
    WaitPolicy wait_policy() const noexcept { return wait_policy_; }
    unsigned forks() const noexcept { return forks_; }

    void write(const void* from, const Region& to, const SourceLocation& where);
    void read(const Region& from, void* to, const SourceLocation& where);
    void copy(const Region& from, const Region& to, const SourceLocation& where);      ///< within the device
    void copy_peer(const Region& from, const Region& to, const SourceLocation& where); ///< within the backend
    void copy_by_host(const Region& from, const Region& to, const SourceLocation& where);
    /// A copy to or from `region` that the backlog's thread carries out when its turn comes: `run` puts
    /// commands on the leg and may throw staging::Failure. The number is the command's.
    using Carry = std::function<void(const staging::Leg& leg, std::uint64_t number)>;
    void carry(const Region& region, Carry run,
               const SourceLocation& where); ///< in src/queue/staged_copy.cpp
    void copy_box(const BoxSide& from, const BoxSide& to, const BoxCopy& copy, const SourceLocation& where);
    void copy_batch(std::span<const BatchedCopy> copies, std::size_t bytes, const SourceLocation& where);
    void fill(const Region& to, const void* pattern, std::size_t size, const SourceLocation& where);
    void launch(const std::shared_ptr<KernelState>& kernel, const Grid& grid,
                std::span<const Argument> arguments, const SourceLocation& where);
    void replay(const RecordingState& recording, const SourceLocation& where);
    void* map(const Region& region, Map access, const SourceLocation& where);
    void unmap(const Region& region, Map access, void* host, const SourceLocation& where);

    EventRef record(const SourceLocation& where);
    void wait(EventRef event, const SourceLocation& where);
    /// The same for an event that is not Ferry's.
    void wait(std::shared_ptr<backend::Event> foreign, const SourceLocation& where);
    void on_complete(std::function<void(EventStatus)> callback, const SourceLocation& where);
    /// For the library itself: on the callbacks' thread, with whether all before the event went well; not a
    /// wait of the host's, which would order what the program did not. `then` throws nothing and waits for
    /// nothing.
    void when_done(EventRef event, std::function<void(bool well)> then, const SourceLocation& where);
    void finish(const SourceLocation& where);
    /// finish() of each queue of the device; the first error is thrown at the end, the others stay with their
    /// queues.
    static void finish_all(const DeviceState& device, const SourceLocation& where);
    void flush(const SourceLocation& where);
    bool idle(const SourceLocation& where);
    /// finish() without its errors, and the end of the lanes. For the destructor of Queue.
    void close() noexcept;

    /// From events: the command of that number and all before it are done. Returns the failure that stands
    /// against it, if any.
    std::optional<Error> completed(std::uint64_t number);
    /// From events: the vendor reported an error at or before that command. Returns it in the words of the
    /// command to blame, and remembers it for finish(). Nothing if the command is known to be done: a vendor
    /// that has lost its context reports everything as failed.
    std::optional<Error> command_failed(const Error& error, std::uint64_t upto) override;
    /// The same for an error of an event's own, behind that command.
    std::optional<Error> event_failed(const Error& error, std::uint64_t upto);

    /// Others put commands into the vendor's queue from now on, past Ferry. Relaxed: who asked for the handle
    /// orders its use before later calls.
    void expose() noexcept { exposed_.store(true, std::memory_order_relaxed); }
    /// Whether commands of this queue may still write to ordinary memory of the host. By any thread.
    bool may_write_to_host() const noexcept {
        return host_writes_.may_be_left(timeline()) || exposed_.load(std::memory_order_relaxed) ||
               device_->has_imports();
    }

    /// For a destructor that must not throw: finish() throws this error, and events recorded from now on
    /// deliver it. An earlier failure that finish() has yet to throw stays.
    void leave_to_finish(const std::exception& error) noexcept;

    /// Whether finish() has thrown a failure that may be of that command or of an earlier one.
    bool has_told_failure(std::uint64_t number) const;

    /// Commands enqueued from now on come after that one of another queue, whether or not it fails.
    void wait_for(const Mark& mark, const SourceLocation& where) override;
    /// Finds out which commands are done, without waiting.
    void look_for_progress() noexcept override;
    /// Whether the calling thread carries out this queue's backlog, perhaps in a function of the caller's.
    bool is_on_backlog() const noexcept override { return backlog_.on_this_thread(); }
    /// The last command that the vendor's queue has in full. Locks.
    std::uint64_t issued() const noexcept override;

    /// When main() ends, before any exit handler runs: waits (bounded) until drivers that run kernels on
    /// threads of this process have done what was enqueued. Their compilers may be at work there.
    static void let_drivers_finish() noexcept;
    /// At the end of the process: waits (bounded) until no other thread is inside a vendor call of a queue.
    static void let_calls_return() noexcept;
    /// Whether the calling thread has called exit() from inside a vendor's call that it makes for a queue.
    static bool in_call_of_this_thread() noexcept;

private:
    struct Failure {
        Error error;
        std::uint64_t from; ///< events recorded after this command deliver it, those before do not
        std::uint64_t upto; ///< once thrown by finish(): those recorded after this command do not either
    };
    /// A command in the backlog. `failed` is what went wrong before it on this queue, or null.
    using Task = std::function<void(const Error* failed)>;
    using Lock = std::unique_lock<Mutex>;
    struct Regions {
        const Region &first, &second;
    };

    // All of these are called with mutex_ held.
    /// DeviceState::check_alive(); does not hold the mutex while it blocks.
    void check_alive(const SourceLocation& where) {
        if (device_->is_unusable()) [[unlikely]] {
            refuse(where);
        }
    }
    [[noreturn]] void refuse(const SourceLocation& where);
    EventState* acquire_event();                             ///< with one reference
    bool has_passed(const EventState& event) const noexcept; ///< the device has come to it
    EventState* make_event();                                ///< the same, a new one
    void record_later(const EventRef& event);
    void wait_later(EventRef event);
    void look_for_progress(const Lock& held) noexcept;
    /// The last command that the vendor's queue has in full.
    std::uint64_t last_issued() const noexcept { return in_progress_ != 0 ? in_progress_ - 1 : log_.last(); }
    /// Logs what a task of the backlog is about to do, which uses this memory.
    std::uint64_t begin_task(const Regions& used, CommandLog::What what, std::size_t bytes,
                             const SourceLocation& where);
    template <class Log, class Run>
    void issue(Log&& log, Run&& run);
    void launch_now(KernelState& kernel, const Grid& grid, std::span<const Argument> arguments);
    /// Behind each launch that the vendor got, also a replayed one: the last command.
    void note_launched(KernelState& kernel) noexcept;
    void defer(Task task);
    /// Notes that the task just deferred will use this memory, which has admitted the queue.
    template <class Used>
    void note_deferred(const Used& used) noexcept;
    Error remember(const Error& error, std::uint64_t upto,
                   const std::optional<Error>& foreign = std::nullopt);
    void fail_after(const Error& error, std::uint64_t command);
    /// Throws the failure that nobody was told of, if there is one; finish() does not throw it again.
    /// `done`: the last command that is known to be done.
    void tell_failure(std::uint64_t done);
    void told(std::uint64_t done); ///< reported_ has just been thrown, or is about to be
    void sync_if_asked() {
        if (sync_) [[unlikely]] {
            sync();
        }
    }
    void sync();
    /// The end of a command that a lane carries, for the trace; no name: it failed. Locks.
    void end_traced(const char* name) noexcept;

    /// Logs and runs a command now, or puts what `later()` returns into the backlog. `used` is a Regions or
    /// the arguments of a launch.
    template <class Used, class Log, class Run, class Later>
    void enqueue(const Used& used, const SourceLocation& where, Log&& log, Run&& run, Later&& later);
    template <class F>
    static void for_each_memory(const Regions& used, F&& f);
    template <class F>
    static void for_each_memory(std::span<const Argument> used, F&& f);
    template <class F>
    static void for_each_memory(std::span<const BatchedCopy> used, F&& f);
    template <class F>
    static void for_each_memory(const RecordedCommands& used, F&& f); ///< in src/queue/replay.cpp
    template <class Used>
    bool is_admitted(const Used& used) const noexcept;
    /// Waits until the memories admit this queue, with mutex_ held before and after, not meanwhile.
    template <class Used>
    void admit(const Used& used, const SourceLocation& where);
    /// Notes the command about to be logged, and does nothing else, if the memories have admitted this queue.
    template <class Used>
    bool note(const Used& used) noexcept;
    /// enqueue() for what is described by one or two regions.
    template <class Run>
    void submit(CommandLog::What what, const Region& region, const Region& other, const SourceLocation& where,
                const Run& run);
    void run_task(Task task);
    /// After an error of a wait: the commands up to that one are done, or, if the driver refuses to prove it,
    /// abandoned. Blocks until the driver proves it. False: they are abandoned.
    bool settle(const Error& error, std::uint64_t number) noexcept;
    /// The error, with a note that memory is kept if commands are abandoned.
    Error with_kept_memory(const Error& error) const;
    void release_events() noexcept; ///< the queue is closed from then on
    /// The error of an event of another queue that this queue waits for, if one failed. Locks that queue.
    std::optional<Error> foreign_failure();
    /// Keeps what failed for finish(). Returns the last command that is done.
    std::uint64_t finish_commands(const SourceLocation& where);
    void transfer(const Region& from, const Region& to,
                  const SourceLocation& where); ///< in src/queue/transfer.cpp
    // In src/queue/staged_copy.cpp
    enum class Way : bool { up, down };
    bool stages(const void* host, const Region& region);
    Carry staged_copy(void* host, const Region& region, Way way);
    /// carry() with mutex_ held, for memory that has admitted the queue.
    void carry_later(const Region& region, Carry run, const SourceLocation& where);
    void stage(void* host, const Region& region, Way way, const SourceLocation& where);
    /// Whether the host's memory may be written to by commands that the vendor's queue has not come to.
    bool may_be_written(const void* host, std::size_t bytes) const noexcept;
    /// For the backlog's thread, without the mutex: blocks until the vendor's queue has done all that it has.
    /// Throws staging::Failure.
    void wait_for_earlier(const staging::Leg& leg);
    bool copy_box_peer(const BoxSide& from, const BoxSide& to, const BoxCopy& copy,
                       const SourceLocation& where);
    void copy_box_by_host(const BoxSide& from, const BoxSide& to, const BoxCopy& copy,
                          const SourceLocation& where);
    void transfer_box(const BoxSide& from, const BoxSide& to, const BoxCopy& copy, std::uint64_t number);
    // In src/queue/replay.cpp. All but the first one are called with mutex_ held.
    std::vector<std::size_t> staged_commands(const RecordedCommands& commands);
    void replay_part(const std::shared_ptr<RecordedCommands>& commands, std::size_t first, std::size_t end);
    void replay_staged(const RecordedCommands& commands, std::size_t index);
    void replay_commands(const RecordedCommands& commands, std::size_t first, std::size_t end);
    void run_recorded(const RecordedCommands& commands, std::size_t index);

    // What every call reads comes first, in as few cache lines as it takes: between two calls the driver's
    // own work has put most of them out of the nearest cache.
    DeviceState* device_;
    mutable Mutex mutex_; // all that follows and is not const
    std::unique_ptr<backend::Queue> native_;
    std::uint64_t pending_ = 0;                ///< backlog tasks not finished
    EventState* event_ = nullptr;              ///< the last one used, in the ring of all
    std::size_t events_ = 0;                   ///< in it
    std::unique_ptr<trace::QueueTrace> trace_; ///< null while nothing is traced
    const bool timing_;
    const std::size_t enough_events_; ///< more are not made because the device has not come to one
    const bool sync_;
    bool closed_ = false;
    const Staging staging_;
    const WaitPolicy wait_policy_;
    const unsigned forks_ = fork_count(); ///< when it was made
    // These two are given back by the destructor, so what may refuse a setting comes before them.
    const race::Actor race_;
    const std::size_t straight_up_; ///< bytes: copies of ordinary memory up to here are the driver's
    const std::size_t straight_down_;
    staging::HostWrites host_writes_;
    std::atomic<bool> exposed_;
    std::uint64_t in_progress_ = 0; ///< the command of the backlog's task that is running, or 0
    std::size_t waited_count_ = 0;
    std::array<EventRef, 8> waited_; ///< the last events of other queues that the vendor's queue waits for
    CommandLog log_;
    std::optional<Failure> failure_;             ///< not yet thrown by finish()
    std::optional<Failure> reported_;            ///< thrown; events of those commands still deliver it
    std::optional<Error> thrown_;                ///< by a callback; for finish() alone
    std::unique_ptr<backend::Event> checkpoint_; ///< behind the command checkpoint_number_
    std::uint64_t checkpoint_number_ = 0;        ///< 0: none
    std::vector<backend::BatchCopy> batched_;    ///< room for copies on their way to native_
    Lane backlog_;
    Lane callbacks_;
};

} // namespace ferry::detail
