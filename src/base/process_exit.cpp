// SPDX-License-Identifier: Apache-2.0
#include "base/process_exit.hpp"

#include "base/copy_threads.hpp"
#include "base/serial_thread.hpp"
#include "system/fork.hpp"
#include "system/pause.hpp"
#include "system/thread.hpp"

#include <cxxabi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <thread>

namespace ferry {

namespace {
std::atomic<bool> handled{false}; ///< The exit handler has returned.
std::atomic<std::thread::id> exit_thread;
std::atomic<int> exit_thread_clock{std::numeric_limits<int>::max()}; ///< Invalid: stands still.
std::atomic<unsigned> last_registered{0};                            ///< fork_count() at that time.

/// fork_count() when the first handler was registered: of the process that began to use Ferry.
unsigned first_registered() noexcept {
    static const unsigned forks = detail::fork_count();
    return forks;
}

/// Calls in flight. Threads count separately, so that concurrently waiting threads share no cache line.
struct alignas(64) Count {
    std::atomic<int> calls{0};
};
std::array<Count, 32> counts;

thread_local int calls_here = 0; ///< Of this thread.

constinit std::array<std::atomic<void (*)() noexcept>, static_cast<std::size_t>(detail::ExitTask::count)>
    tasks{};
constinit std::atomic<bool (*)() noexcept> queue_call_query{nullptr};

void run_task(detail::ExitTask task) noexcept {
    if (const auto run = tasks[static_cast<std::size_t>(task)].load()) {
        run();
    }
}

std::atomic<int>& my_count() noexcept {
    static std::atomic<std::size_t> threads{0}; // Relaxed: distributes threads, orders nothing.
    thread_local const std::size_t mine = threads.fetch_add(1, std::memory_order_relaxed) % counts.size();
    return counts[mine].calls;
}

void let_calls_return() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    const std::atomic<int>& mine = my_count();
    for (const Count& count : counts) {
        const int own = &count.calls == &mine ? calls_here : 0;
        detail::poll_until(deadline, std::chrono::microseconds(50), [&] { return count.calls == own; });
    }
}

/// An object of the main thread. Its thread-local objects are destroyed before any exit handler runs, and
/// therefore before those that a driver's compiler registers while it compiles, which no handler of Ferry can
/// precede.
struct MainThread {
    unsigned forks = detail::fork_count();
    ~MainThread() {
        if (forks == detail::fork_count()) {
            run_task(detail::ExitTask::drivers);
        }
    }
};

/// While the exiting thread uses processor time, it runs exit handlers. If it uses none for as long as this,
/// it may be joining a thread that waits for the end of the process.
constexpr std::chrono::seconds longest_idle_exit(1);

std::chrono::nanoseconds exit_thread_time() noexcept {
    return detail::time_of_thread(exit_thread_clock.load());
}

void watch_main_thread() {
    if (detail::thread_number() == detail::process_number()) {
        thread_local const MainThread main_thread;
        static_cast<void>(main_thread);
    }
}
} // namespace

constinit std::atomic<bool> backend::exiting{false};

namespace detail {

// The order matters: a call is counted before it checks whether it is allowed. Sequentially consistent, like
// the exchange of `exiting` and the loads of the counts after it: one of the two threads sees the other.
VendorCall::VendorCall() noexcept : count_(&my_count()) {
    count_->fetch_add(1);
    ++calls_here;
    allowed_ = !backend::exiting;
}

VendorCall::~VendorCall() {
    --calls_here;
    count_->fetch_sub(1);
}

void VendorCall::check(const SourceLocation& where) const {
    if (!allowed_) {
        keep_thread_at_exit();
        throw Error(Code::invalid_state, "The process is ending; its devices cannot be used any more", where);
    }
}

void at_process_exit(ExitTask task, void (*run)() noexcept) noexcept {
    tasks[static_cast<std::size_t>(task)] = run;
}

void set_queue_call_query(bool (*query)() noexcept) noexcept {
    queue_call_query = query;
}

bool is_inside_vendor_call() noexcept {
    const auto query = queue_call_query.load();
    return calls_here != 0 || (query != nullptr && query());
}

void keep_thread_at_exit() noexcept {
    if (!backend::exiting || exit_thread.load() == std::this_thread::get_id() || Thread::on_any()) {
        return;
    }
    my_count().fetch_sub(calls_here); // None of them is inside the vendor's library.
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds step(1);
    detail::poll_until(Clock::now() + std::chrono::seconds(30), step, [] { return handled.load(); });
    auto used = exit_thread_time();
    for (auto end = Clock::now() + longest_idle_exit; Clock::now() < end;) {
        detail::sleep_thread(step);
        if (const auto now = exit_thread_time(); now != used) {
            used = now;
            end = Clock::now() + longest_idle_exit;
        }
    }
    my_count().fetch_add(calls_here);
}

WaitAtExit::~WaitAtExit() {
    keep_thread_at_exit();
}

namespace {

void stop_all() noexcept {
    run_task(ExitTask::leaks);
    run_task(ExitTask::host_work);
    staging::Workers::stop();
    SerialThread::stop_all();
    run_task(ExitTask::queue_calls);
    let_calls_return();
    run_task(ExitTask::pages);
}

/// In a child process with its own queues. Work of the parent's threads at the fork is never completed here,
/// and locks that they held are never released. Nothing that is shared with the parent may therefore be used.
void stop_own() noexcept {
    run_task(ExitTask::host_work);
    SerialThread::stop_all();
    run_task(ExitTask::queue_calls);
    run_task(ExitTask::pages);
}

void at_exit() noexcept {
    run_task(ExitTask::traces);
    if (backend::exiting.exchange(true)) {
        return;
    }
    exit_thread = std::this_thread::get_id();
    if (const auto clock = detail::thread_clock()) {
        exit_thread_clock = *clock;
    }
    if (first_registered() == fork_count()) {
        stop_all();
    } else if (last_registered == fork_count()) {
        stop_own();
    } // Otherwise only a parent has used Ferry.
    handled = true;
}

/// The owner of the handler in its registration, so that it alone can be removed from the system's list.
char key;
thread_local bool is_moving = false;
std::atomic<bool> move_in_progress{false};

void at_exit_unless_moving(void*) noexcept {
    if (!is_moving) {
        at_exit();
    }
}

/// The system runs the handlers that it removes.
void take_out() noexcept {
    is_moving = true;
    abi::__cxa_finalize(&key);
    is_moving = false;
}

/// Stays at its place: for an exit() during a move, and for unloading of the library, which runs its handlers
/// and after which the other one must not run.
void register_last_handler() noexcept {
    static const int registered = std::atexit([] {
        at_exit();
        take_out();
    });
    static_cast<void>(registered); // A failure only makes an unclean exit possible.
}

} // namespace

// The system's list is a stack. A removed handler at its top leaves a place for the next one. Moves therefore
// allocate memory only if other handlers are registered in between.
void register_exit_handler() noexcept {
    watch_main_thread();
    static_cast<void>(first_registered());
    last_registered = fork_count();
    register_last_handler();
    if (backend::exiting) {
        return;
    }
    if (!move_in_progress.exchange(true)) { // Otherwise it is registered twice, and the next move removes
                                            // both.
        take_out();
        static_cast<void>(abi::__cxa_atexit(at_exit_unless_moving, nullptr, &key));
        move_in_progress = false;
    } else {
        static_cast<void>(abi::__cxa_atexit(at_exit_unless_moving, nullptr, &key));
    }
}

} // namespace detail
} // namespace ferry
