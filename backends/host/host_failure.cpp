// SPDX-License-Identifier: Apache-2.0
#include "host_failure.hpp"

namespace ferry::host {

void Failure::set(const CommandError& error, Ticket end) {
    const std::lock_guard lock(mutex_);
    error_ = error;
    first_ = end;
    last_ = end;
    stands_.store(true);
}

std::optional<CommandError> Failure::skips(Ticket end) {
    if (!stands_.load()) {
        return std::nullopt;
    }
    const std::lock_guard lock(mutex_);
    if (error_) {
        last_ = end;
    }
    return error_;
}

void Failure::raise(Ticket place) {
    if (!stands_.load()) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (!error_ || before(place, first_)) {
        return;
    }
    const Error error = error_->error;
    if (!before(place, last_)) {
        error_.reset();
        stands_.store(false);
    }
    throw Error(error);
}

} // namespace ferry::host
