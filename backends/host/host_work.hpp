// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host_failure.hpp"
#include "host_progress.hpp"
#include "host_ring.hpp"
#include "system/thread.hpp"

#include <atomic>
#include <memory>

namespace ferry::host {

/// The state of a queue's thread. It is shared, because the thread outlives the queue at process exit.
struct Work {
    Ring ring;
    Failure failure;
    Progress ran; ///< Ahead of the ring by the work that remains after a command.
    std::atomic<bool> over{false};

    /// For the queue's functions with these names.
    void finish(WaitPolicy policy);
    bool idle();
    /// For the thread: runs commands until `over`.
    void run();
};

/// The thread of a queue. Its destructor lets it finish the commands in the ring; at process exit it abandons
/// it.
class WorkThread {
public:
    explicit WorkThread(std::shared_ptr<Work> work);
    WorkThread(const WorkThread&) = delete;
    WorkThread& operator=(const WorkThread&) = delete;
    ~WorkThread();

private:
    const std::shared_ptr<Work> work_;
    ferry::detail::Thread thread_;
};

} // namespace ferry::host
