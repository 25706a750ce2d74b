// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/pause.hpp"

#include <functional>
#include <memory>

namespace ferry::detail {

/// A thread that runs tasks one after the other, started with the first task. Queues use one for work that
/// needs the host between two commands, and one for completion callbacks.
class SerialThread {
public:
    explicit SerialThread(const char* name);
    SerialThread(const SerialThread&) = delete;
    SerialThread& operator=(const SerialThread&) = delete;
    ~SerialThread(); ///< Runs the pushed tasks, then ends the thread. On the thread itself it only detaches
                     ///< it.

    /// Tasks do not throw, except Ending. Throws Error (out_of_memory) if the system creates no thread; then
    /// nothing was pushed.
    void push(std::function<void()> task);
    /// Throws the errors of push(); after that, push() can fail only when memory is exhausted.
    void prepare();
    /// Blocks until every task pushed so far has run. On the thread itself it returns at once.
    void drain();
    bool on_this_thread() const noexcept;

    /// Thrown through a task by pause() at process exit.
    struct Ending {};
    /// One pause of a polling wait, for tasks. Polling, unlike a vendor's blocking wait, can be aborted at
    /// process exit: it throws Ending.
    static void pause(Backoff& backoff);

    /// Ends all these threads of the process (not of a parent). Waits at most about a second for tasks that
    /// do not end.
    static void stop_all() noexcept;

private:
    struct Core;
    void start(); ///< Unless it is running.
    static void run(const std::shared_ptr<Core>& core);
    static void run_tasks(const std::shared_ptr<Core>& core);
    const std::shared_ptr<Core> core_;
};

} // namespace ferry::detail
