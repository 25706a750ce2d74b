// SPDX-License-Identifier: Apache-2.0
#include "host_pool.hpp"

#include "host_exit.hpp"
#include "host_module.hpp"
#include "host_thread.hpp"
#include "system/float_environment.hpp"
#include "system/fork.hpp"
#include "system/thread.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ferry::host {
namespace {

using Clock = std::chrono::steady_clock;

// About the cost of waking another thread: a job that ends within this time is better done alone. Less if an
// awake thread looks for work.
constexpr auto patience = std::chrono::microseconds(10);
constexpr auto patience_with_help = std::chrono::microseconds(3);

// Part of a thread's stack: the frames below a kernel, functions of the C library, and room for a signal
// handler of the program.
constexpr std::size_t frames_below = std::size_t{256} << 10;

// Copied where the exception is caught: an exception object that moves to another thread would use the C++
// library's own counts, which the thread sanitizer cannot see.
Error error_in_flight() {
    try {
        throw;
    } catch (const std::exception& exception) {
        return {Code::command_failed,
                std::string("The kernel function threw an exception: ") + exception.what(), SourceLocation{}};
    } catch (const Stopped& stopped) {
        return {Code::command_failed, stopped.why, SourceLocation{}};
    } catch (...) {
        return {Code::command_failed, "The kernel function threw something that is not a std::exception",
                SourceLocation{}};
    }
}

} // namespace

Pool& Pool::get() {
    static detail::NoDestructor<Pool> pool;
    return *pool;
}

// A child process has none of the threads. Their jobs are on stacks that it may reuse. It would wait forever
// for the mutex if one of them held it, or in a condition variable that they sleep on. It therefore runs its
// work alone.
void Pool::watch_forks() noexcept {
    static std::atomic<Pool*> pool;
    pool = this;
    static_cast<void>(ferry::detail::at_fork([] { pool.load()->mutex_.lock(); },
                                             [] { pool.load()->mutex_.unlock(); },
                                             [] {
                                                 pool.load()->jobs_ = nullptr;
                                                 pool.load()->looking_ = 0;
                                                 pool.load()->threads_ = 0;
                                                 pool.load()->mutex_.unlock();
                                             }));
}

Pool::Pool() {
    watch_forks();
    try {
        while (threads_ + 1 < thread_count()) {
            ferry::detail::Thread("ferry-pool", [this] { help(); }).detach();
            ++threads_;
        }
    } catch (const Error&) { // Then there are fewer threads.
    }
}

void Pool::run(Job& job, std::size_t stack) {
    bool published = false;
    if (stack + frames_below > ferry::detail::least_stack_size) {
        run_on_large_stacks(job, stack + frames_below);
    } else {
        const InHand in_hand;
        std::optional<ferry::detail::DefaultFloatEnvironment> floats;
        if (!ferry::detail::Thread::on_any()) { // the library's threads have it
            floats.emplace();
        }
        if (!finish_alone(job)) {
            publish(job);
            published = true;
            work_on(job);
        }
    }
    if (published) {
        withdraw(job);
    }
    if (job.error) {
        throw Error(*job.error);
    }
}

// A stack that large costs more than the start of its thread, and few kernels need one.
void Pool::run_on_large_stacks(Job& job, std::size_t stack) {
    const std::uint64_t room = std::max<std::uint64_t>(free_memory().value_or(total_memory()) / stack, 1);
    const std::size_t count =
        static_cast<std::size_t>(std::min<std::uint64_t>({thread_count(), job.units, room}));
    job.chunk = std::max<std::size_t>(job.units / (4 * count), 1);
    std::vector<ferry::detail::Thread> threads;
    try {
        while (threads.size() < count) {
            threads.emplace_back(
                "ferry-large",
                [this, &job] {
                    const InHand in_hand;
                    work_on(job);
                },
                stack);
        }
    } catch (const std::exception& refused) {
        if (threads.empty()) {
            job.error = Error(Code::out_of_memory,
                              "A kernel needs up to " + std::to_string(stack) +
                                  " bytes of stack for its private variables. " + refused.what(),
                              SourceLocation{});
        } // Then fewer threads do the work.
    }
    for (ferry::detail::Thread& thread : threads) {
        thread.join();
    }
}

// Also determines how many units justify an access to the shared counter.
bool Pool::finish_alone(Job& job) {
    const bool help_is_near = looking_.load(std::memory_order_relaxed) != 0;
    const auto end = Clock::now() + (help_is_near ? patience_with_help : patience);
    std::size_t begun = 0;
    for (std::size_t chunk = 1; begun < job.units && !stopping() && !job.error; chunk *= 2) {
        const std::size_t last = begun + std::min(chunk, job.units - begun);
        attempt(job, begun, last);
        begun = last;
        if (begun < job.units && !job.error && Clock::now() > end) {
            const std::size_t shares = std::size_t{4} * thread_count();
            job.chunk = std::max<std::size_t>(std::min(chunk, (job.units - begun) / shares), 1);
            job.begun.store(begun, std::memory_order_relaxed);
            return false;
        }
    }
    return true;
}

void Pool::work_on(Job& job) {
    while (!stopping()) {
        const std::size_t first = job.begun.fetch_add(job.chunk, std::memory_order_relaxed);
        if (first >= job.units) {
            return;
        }
        attempt(job, first, first + std::min(job.chunk, job.units - first));
    }
}

void Pool::attempt(Job& job, std::size_t first, std::size_t last) {
    try {
        job.call(job.work, first, last);
    } catch (...) {
        Error error = error_in_flight();
        const std::lock_guard lock(mutex_);
        if (!job.error) {
            job.error = std::move(error);
        }
        job.begun.store(job.units, std::memory_order_relaxed);
    }
}

void Pool::publish(Job& job) {
    if (threads_ == 0) {
        return;
    }
    job.processor = current_processor();
    {
        const std::lock_guard lock(mutex_);
        job.next = jobs_;
        jobs_ = &job;
        published_.fetch_add(1, std::memory_order_relaxed);
    }
    // Relaxed: looking_ changes only under the mutex. A thread counted here stops looking after this section,
    // so it sees the job before it sleeps.
    if (looking_.load(std::memory_order_relaxed) == 0) {
        wake_.notify_one();
    }
}

void Pool::withdraw(Job& job) {
    spin_until([&] { return job.helpers.load(std::memory_order_relaxed) == 0; });
    std::unique_lock lock(mutex_);
    for (Job** link = &jobs_; *link != nullptr; link = &(*link)->next) {
        if (*link == &job) {
            *link = job.next;
            break;
        }
    }
    left_.wait(lock, [&] { return job.helpers.load(std::memory_order_relaxed) == 0; });
}

Pool::Job* Pool::neediest() {
    Job* found = nullptr;
    for (Job* job = jobs_; job != nullptr && !stopping(); job = job->next) {
        if (job->begun.load(std::memory_order_relaxed) < job->units &&
            (found == nullptr || job->helpers.load() < found->helpers.load())) {
            found = job;
        }
    }
    return found;
}

// Launches come in sequences, so a thread that has just worked looks for the next job for a while, because
// waking it would take as long as a large part of a job. It is counted while it looks until it holds the
// mutex again, so it sees all jobs published meanwhile.
void Pool::look_for_work(std::unique_lock<std::mutex>& lock) {
    const std::uint32_t seen = published_.load(std::memory_order_relaxed);
    looking_.fetch_add(1, std::memory_order_relaxed);
    lock.unlock();
    spin_until([&] { return published_.load(std::memory_order_relaxed) != seen; });
    lock.lock();
    looking_.fetch_sub(1, std::memory_order_relaxed);
}

// The system may wake a thread on the processor of the waking thread, where it then waits until that one is
// done. This happens on virtual machines whose processors are not known to share a cache, at every launch,
// while other processors are idle. A thread that has moved stays on its new processor and is woken there.
void Pool::leave_processor_of(const Job& job) noexcept {
    if (job.processor >= 0 && job.processor == current_processor()) {
        leave_processor(job.processor);
    }
}

void Pool::help() {
    std::unique_lock lock(mutex_);
    bool has_worked = false;
    bool has_slept = false;
    for (;;) {
        Job* const job = neediest();
        if (job == nullptr) {
            if (std::exchange(has_worked, false)) {
                look_for_work(lock);
            } else {
                wake_.wait(lock);
                has_slept = true;
            }
            continue;
        }
        has_worked = true;
        job->helpers.fetch_add(1, std::memory_order_relaxed);
        lock.unlock();
        // Each woken thread wakes two more, so that no single thread has to wake a hundred.
        wake_.notify_one();
        wake_.notify_one();
        if (std::exchange(has_slept, false)) {
            leave_processor_of(*job);
        }
        {
            const InHand in_hand;
            work_on(*job);
        }
        lock.lock();
        if (job->helpers.fetch_sub(1, std::memory_order_relaxed) == 1) {
            left_.notify_all();
        }
    }
}

} // namespace ferry::host
