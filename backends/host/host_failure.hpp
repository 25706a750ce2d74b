// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host_progress.hpp"

#include <ferry/error.hpp>

#include <atomic>
#include <mutex>
#include <optional>

namespace ferry::host {

/// The error of a failed command.
struct CommandError {
    Error error;
    bool of_other_queue = false; ///< The command waited for work of another queue, which failed.
};

/// The pending error of a queue. After a failed command, later commands are skipped, because their input is
/// missing, until a finish() has thrown the error. If commands enqueued after the place of that finish() were
/// skipped too, the error stays pending for the next one.
class Failure {
public:
    /// The command that ends at this place failed.
    void set(const CommandError& error, Ticket end);
    /// Returns the error if the command that ends at this place must be skipped, and stores that it was.
    std::optional<CommandError> skips(Ticket end);
    /// Throws the error if a command before this place failed.
    void raise(Ticket place);

private:
    std::atomic<bool> stands_{false};
    std::mutex mutex_; // Protects all members below.
    std::optional<CommandError> error_;
    Ticket first_ = 0; ///< End of the failed command.
    Ticket last_ = 0;  ///< End of the last skipped command.
};

} // namespace ferry::host
