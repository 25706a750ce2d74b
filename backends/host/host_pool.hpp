// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/error.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace ferry::host {

/// Spreads the units of a job (work-groups, pieces of a copy) over the processors. One for the process.
///
/// Not oneTBB: this is all that is needed of it, a program need not bring a library for it, and jobs of a
/// few microseconds are run without waking anybody.
///
/// The thread that brings a job works on it itself, so jobs of several queues cannot wait for each other.
/// The other threads go to the job that has the fewest of them.
class Pool {
public:
    static Pool& get();

    /// Calls work(first, last) for ranges that together are 0 .. units, from several threads if it takes
    /// longer than some microseconds, and returns when all are done. Throws what the first one to fail threw,
    /// as an Error (command_failed); ranges not begun then are left out. So they are once stopping() is true.
    /// `stack`: bytes that the work needs; more than usual makes threads for this job alone.
    template <class Work>
    void run(std::size_t units, const Work& work, std::size_t stack = 0) {
        Job job(units, &work, [](const void* w, std::size_t first, std::size_t last) {
            (*static_cast<const Work*>(w))(first, last);
        });
        run(job, stack);
    }

private:
    using Call = void(const void* work, std::size_t first, std::size_t last);
    struct Job {
        Job(std::size_t n, const void* w, Call* c) noexcept : units(n), work(w), call(c) {}

        const std::size_t units;
        const void* const work;
        Call* const call;
        std::size_t chunk = 1;
        int processor = -1; ///< on which whoever brings it runs
        // Relaxed: units are only handed out by it. Helpers find the job, and leave it, with the pool's
        // mutex, which orders the work itself.
        std::atomic<std::size_t> begun{0};
        std::atomic<std::uint32_t> helpers{0}; // changed with the mutex; without it only a hint
        std::optional<Error> error;            // under the pool's mutex
        Job* next = nullptr;                   // the same
    };

    Pool();
    void watch_forks() noexcept;
    void run(Job& job, std::size_t stack);
    void run_on_large_stacks(Job& job, std::size_t stack);
    bool finish_alone(Job& job);
    void work_on(Job& job);
    void attempt(Job& job, std::size_t first, std::size_t last);
    void publish(Job& job);
    void withdraw(Job& job);
    Job* neediest();
    void look_for_work(std::unique_lock<std::mutex>& lock);
    [[noreturn]] void help();

    void leave_processor_of(const Job& job) noexcept;

    std::uint32_t threads_ = 0;
    std::mutex mutex_;
    std::condition_variable wake_; // there is a job to help with
    std::condition_variable left_; // a job's last helper has left it
    Job* jobs_ = nullptr;
    std::atomic<std::uint32_t> published_{0}; // jobs so far; relaxed: a hint to look with the mutex
    std::atomic<std::uint32_t> looking_{0};   // threads that are awake and look for one
};

} // namespace ferry::host
