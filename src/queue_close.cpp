// SPDX-License-Identifier: Apache-2.0
// The end of a queue.
#include "queue_state.hpp"

#include <exception>
#include <utility>

namespace ferry::detail {

void QueueState::close() noexcept {
    if (backend::process_is_exiting()) {
        return;
    }
    try {
        finish_commands({});
    } catch (const std::exception&) { // nobody is left to tell
    }
    race::host_waits(race_);
    callbacks_.drain();
    decltype(waited_) waited; // two queues that waited for each other would keep each other alive
    {
        const Lock lock(mutex_);
        waited.swap(waited_);
        trace_.reset();
    }
    release_events();
}

} // namespace ferry::detail
