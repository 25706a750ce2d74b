// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace ferry::detail::staging {

/// The copy threads of the process, shared by all queues. Started as work comes, ended when there was none
/// for some seconds.
class Workers {
public:
    static Workers& get();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// `work` runs on one of the threads, first come first served. It does not throw.
    void push(std::function<void()> work);
    /// Runs one piece of waiting work on the calling thread. False if there is none.
    bool help();

    unsigned most() const noexcept { return most_.load(std::memory_order_relaxed); }
    unsigned running() const;
    /// Ends the threads as they find nothing to do. Waits for them while there is no work, at most a second.
    void end_idle();

    /// The function that returns the limit of their number, instead of usual_copy_threads or the processors.
    static void set_limit_source(unsigned (*source)()) noexcept;
    /// How many there may be has been measured. Those that run stay until they are idle.
    static void look_again();

    /// At the end of the process: no work is begun any more; waits at most a second for what is being done.
    static void stop() noexcept;

private:
    struct State;
    explicit Workers(unsigned most);
    void start();
    void run(std::uint64_t requests);

    std::atomic<unsigned> most_; ///< relaxed: a number that orders nothing
    State& state_;
};

} // namespace ferry::detail::staging
