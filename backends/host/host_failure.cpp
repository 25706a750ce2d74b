// SPDX-License-Identifier: Apache-2.0
#include "host_failure.hpp"

namespace ferry::host {

void Failure::set(const Error& error, Ticket ticket) {
    const std::lock_guard lock(mutex_);
    error_ = error;
    first_ = ticket;
    last_ = ticket;
    stands_.store(true);
}

std::optional<Error> Failure::skips(Ticket ticket) {
    if (!stands_.load()) {
        return std::nullopt;
    }
    const std::lock_guard lock(mutex_);
    if (error_) {
        last_ = ticket;
    }
    return error_;
}

void Failure::raise(Ticket ticket) {
    if (!stands_.load()) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (!error_ || Ring::before(ticket, first_)) {
        return;
    }
    const Error error = *error_;
    if (!Ring::before(ticket, last_)) {
        error_.reset();
        stands_.store(false);
    }
    throw Error(error);
}

} // namespace ferry::host
