// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/no_destructor.hpp"

#include <ferry/error.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace ferry::host {

/// Distributes the units of a job (work-groups, pieces of a copy) over the processors. One for the process.
///
/// It replaces oneTBB: it has only the required functions, a program needs no extra library, and jobs of a
/// few microseconds run without waking another thread.
///
/// The thread that submits a job also works on it, so jobs of several queues cannot wait for each other. The
/// other threads join the job that has the fewest of them.
class Pool {
public:
    static Pool& get();

    /// Calls work(first, last) for ranges that together are 0 .. units, from several threads if it takes
    /// longer than some microseconds. Returns when all are done. If one fails, throws the first error, as an
    /// Error (command_failed); ranges not begun then are omitted. They are also omitted once stopping() is
    /// true. `stack`: bytes that the work needs; more than usual creates threads for this job only.
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
        int processor = -1; ///< The processor of the submitting thread.
        // Relaxed: it only hands out units. Helpers find and leave the job under the pool's mutex, which
        // orders the work itself.
        std::atomic<std::size_t> begun{0};
        std::atomic<std::uint32_t> helpers{0}; // Changed under the mutex. Without it only a hint.
        std::optional<Error> error;            // Protected by the pool's mutex.
        Job* next = nullptr;                   // The same.
    };

    friend class detail::NoDestructor<Pool>;
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
    std::condition_variable wake_; // There is a job that needs help.
    std::condition_variable left_; // The last helper has left a job.
    Job* jobs_ = nullptr;
    // Number of jobs so far. Relaxed: it changes under the mutex. Without it, it is only a hint to look
    // there.
    std::atomic<std::uint32_t> published_{0};
    // Number of awake threads that look for a job. Relaxed: it changes under the mutex. Without it, it only
    // chooses a time limit, or a wake-up that the mutex makes needless.
    std::atomic<std::uint32_t> looking_{0};
};

} // namespace ferry::host
