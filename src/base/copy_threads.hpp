// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/no_destructor.hpp"

#include <atomic>
#include <cstdint>
#include <functional>

namespace ferry::detail::staging {

/// The copy threads of the process, shared by all queues. Threads start on demand and end after some seconds
/// without work.
class Workers {
public:
    static Workers& get();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// `work` runs on one of the threads, in order of arrival. It must not throw.
    void push(std::function<void()> work);
    /// Runs one pending task on the calling thread. False if there is none.
    bool help();

    unsigned most() const noexcept { return most_.load(std::memory_order_relaxed); }
    unsigned running() const;
    /// Asks idle threads to end. Waits for at most a second, and only while no task is pending.
    void end_idle();

    /// The function that returns the limit of their number, instead of usual_copy_threads or the processors.
    static void set_limit_source(unsigned (*source)()) noexcept;
    /// Call after the best number of threads was measured: updates the limit. Surplus threads end once they
    /// are idle.
    static void look_again();

    /// For process exit: drops pending tasks, and waits at most a second for running ones.
    static void stop() noexcept;

private:
    struct State;
    friend class NoDestructor<Workers>;
    explicit Workers(unsigned most);
    void start();
    void run(std::uint64_t requests);

    std::atomic<unsigned> most_; ///< Relaxed: the number orders no other data.
    State& state_;
};

} // namespace ferry::detail::staging
