// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <set>

namespace ferry::detail {

class QueueState;

/// The queues of this process.
struct QueueRegistry {
    std::mutex mutex;
    std::set<QueueState*> queues;

    static QueueRegistry& get() {
        static QueueRegistry* const r = new QueueRegistry; // Queues may outlive static destruction.
        return *r;
    }
};

} // namespace ferry::detail
