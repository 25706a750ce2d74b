// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

namespace ferry::detail {

/// A thread that runs tasks one after the other, started with the first task. Queues use one for work that
/// needs the host between two commands and one for completion callbacks.
class Lane {
public:
    explicit Lane(const char* name);
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;
    ~Lane(); ///< runs what was pushed, then ends the thread; from the lane's own thread it only detaches

    /// Tasks do not throw, except Ending. Throws Error (out_of_memory) if the system gives no thread; then
    /// nothing was pushed.
    void push(std::function<void()> task);
    /// Throws as push() would, which after it only fails for want of memory.
    void prepare();
    /// Blocks until every task pushed so far has run. On the lane's own thread it returns at once.
    void drain();
    bool on_this_thread() const noexcept;

    /// Thrown through a task by pause() when the process ends.
    struct Ending {};
    /// One step of a polling wait, for tasks: spins at first, then sleeps longer and longer, up to 200 us.
    /// Polling, unlike a vendor's blocking wait, can be given up when the process ends.
    static void pause(unsigned& round);

    /// Ends all lanes of the process (not of a parent), waiting at most about a second for tasks that do not
    /// end.
    static void stop_all() noexcept;

private:
    struct Core;
    void start(); ///< unless it is
    static void run(const std::shared_ptr<Core>& core);
    static void run_tasks(const std::shared_ptr<Core>& core);
    const std::shared_ptr<Core> core_;
};

} // namespace ferry::detail
