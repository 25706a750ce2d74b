// SPDX-License-Identifier: Apache-2.0
#include "lifetime.hpp"

#include "host/host_backend.hpp"
#include "lane.hpp"
#include "queue_state.hpp"

#include <atomic>
#include <cstdlib>

namespace ferry {

namespace {
std::atomic<bool> exiting{false};
} // namespace

bool backend::process_is_exiting() noexcept {
    return exiting.load(std::memory_order_relaxed);
}

namespace detail {

void register_exit_handler() noexcept {
    // A failure to register leaves an unclean exit possible; there is nobody to tell.
    static_cast<void>(std::atexit([] {
        if (exiting.exchange(true)) {
            return;
        }
        host::stop_at_exit(); // first: calls that wait for it return then
        Lane::stop_all();
        QueueState::let_calls_return();
    }));
}

} // namespace detail
} // namespace ferry
