// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/no_destructor.hpp"

#include <mutex>
#include <set>

namespace ferry::detail {

class QueueState;

/// The queues of this process.
struct QueueRegistry {
    std::mutex mutex;
    std::set<QueueState*> queues;

    static QueueRegistry& get() {
        static NoDestructor<QueueRegistry> r;
        return *r;
    }
};

} // namespace ferry::detail
