// SPDX-License-Identifier: Apache-2.0
#include "lifetime.hpp"

#include "host/host_backend.hpp"
#include "lane.hpp"
#include "queue_state.hpp"
#include "staging/workers.hpp"
#include "trace/trace.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace ferry {

namespace {
std::atomic<bool> exiting{false};
std::atomic<int> calls_in_flight{0};

void let_calls_return() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (calls_in_flight != 0 && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
}
} // namespace

bool backend::process_is_exiting() noexcept {
    return exiting.load(std::memory_order_relaxed);
}

namespace detail {

// The order matters: a call is counted before it looks whether it may be made.
VendorCall::VendorCall() noexcept {
    calls_in_flight.fetch_add(1);
    allowed_ = !exiting;
}

VendorCall::~VendorCall() {
    calls_in_flight.fetch_sub(1);
}

void VendorCall::check(SourceLocation where) const {
    if (!allowed_) {
        throw Error(Code::invalid_state, "The process is ending; its devices cannot be used any more", where);
    }
}

void register_exit_handler() noexcept {
    // A failure to register leaves an unclean exit possible; there is nobody to tell.
    static_cast<void>(std::atexit([] {
        trace::finish_at_exit(); // the vendors can still be asked
        if (exiting.exchange(true)) {
            return;
        }
        host::stop_at_exit(); // first: calls that wait for it return then
        staging::Workers::stop();
        Lane::stop_all();
        QueueState::let_calls_return();
        let_calls_return();
    }));
}

} // namespace detail
} // namespace ferry
