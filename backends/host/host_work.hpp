// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/thread.hpp"
#include "host_failure.hpp"
#include "host_progress.hpp"
#include "host_ring.hpp"

#include <atomic>
#include <memory>

namespace ferry::host {

/// What a queue's thread works on. It is shared, because at the end of the process the thread outlives the
/// queue.
struct Work {
    Ring ring;
    Failure failure;
    Progress ran; ///< ahead of the ring by what is left to do after a command
    std::atomic<bool> over{false};

    /// For the queue's calls of those names.
    void finish(WaitPolicy policy);
    bool idle();
    /// For the thread: runs commands until `over`.
    void run();
};

/// The thread of a queue. Its destructor lets it finish what is in the ring; at the end of the process it
/// leaves it behind.
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
