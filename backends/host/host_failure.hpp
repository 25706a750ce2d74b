// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host_progress.hpp"

#include <ferry/error.hpp>

#include <atomic>
#include <mutex>
#include <optional>

namespace ferry::host {

/// The error that stands in a queue. From the command that failed on, commands are skipped, because what
/// they need is missing, until a finish() has thrown the error. Commands that were enqueued behind the
/// place which that finish() waited for, and were skipped too, leave the error standing for the next one.
class Failure {
public:
    /// The command that ends at that place failed.
    void set(const Error& error, Ticket end);
    /// The error if the command that ends at that place must be skipped; remembers that it was.
    std::optional<Error> skips(Ticket end);
    /// Throws the error if a command before that place failed.
    void raise(Ticket place);

private:
    std::atomic<bool> stands_{false};
    std::mutex mutex_; // all that follows
    std::optional<Error> error_;
    Ticket first_ = 0; ///< end of the command that failed
    Ticket last_ = 0;  ///< end of the last one skipped
};

} // namespace ferry::host
