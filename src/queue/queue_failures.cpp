// SPDX-License-Identifier: Apache-2.0
// Failures of a queue: the command to blame, and the calls that report them.
#include "device/runtime.hpp"
#include "queue/queue_state.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace ferry::detail {

void QueueState::fail_after(const Error& error, std::uint64_t command) {
    if (!failure_) {
        failure_ = Failure{error, command, std::numeric_limits<std::uint64_t>::max()};
    }
}

Error QueueState::remember(const Error& error, std::uint64_t upto, const std::optional<Error>& foreign) {
    if (failure_) {
        return failure_->error;
    }
    if (reported_ && upto <= reported_->upto) {
        return reported_->error;
    }
    CommandLog::Blame blame = log_.blame(error, upto);
    if (foreign) {
        blame.error = *foreign;
    }
    if (error.code() == Code::device_lost) {
        blame.error = lose(*device_, blame.error);
    }
    fail_after(blame.error, blame.command);
    return blame.error;
}

Error QueueState::with_kept_memory(const Error& error) const {
    if (!timeline().has_abandoned()) {
        return error;
    }
    return error.with_message(std::string(error.what()) +
                              "; the driver refuses to say whether earlier commands are done, so the memory "
                              "that they use stays allocated until a later wait succeeds");
}

void QueueState::throw_failure(std::uint64_t done) {
    if (failure_) {
        reported_ = std::exchange(failure_, std::nullopt);
        reported_->error = with_kept_memory(reported_->error);
        mark_reported(done);
        throw Error(reported_->error);
    }
}

// Commands enqueued after `done` may still run, so their events must still be waited for.
void QueueState::mark_reported(std::uint64_t done) {
    reported_->upto = last_issued();
    for (EventState* at = event_; at != nullptr; at = at->next != event_ ? at->next : nullptr) {
        if (at->phase() == EventState::Phase::recorded && at->sequence() >= reported_->from &&
            at->sequence() <= reported_->upto) {
            at->set_failure(reported_->error); // After the next failure it could not determine its own error.
        }
    }
    log_.completed(std::min(done, reported_->upto));
    if (in_progress_ == 0) { // Events recorded later get a later number than the failed commands.
        const std::uint64_t none = log_.add(CommandKind::none, 0, {});
        if (done >= reported_->upto) {
            log_.completed(none);
        }
    }
}

std::optional<Error> QueueState::completed(std::uint64_t number) {
    timeline().reach(number);
    const Lock lock(mutex_);
    if (failure_ && number >= failure_->from) {
        return failure_->error;
    }
    if (reported_ && number >= reported_->from && number <= reported_->upto) {
        return reported_->error;
    }
    log_.completed(number);
    if (log_.has_launches()) {
        device_->has_run_kernels();
    }
    return std::nullopt;
}

std::optional<Error> QueueState::foreign_failure() {
    // Limits the depth, because queues can wait for each other in circles.
    constexpr int most_queues = 4;
    thread_local int depth = 0;
    if (depth == most_queues) {
        return std::nullopt;
    }
    struct Deeper {
        Deeper() { ++depth; }
        ~Deeper() { --depth; }
    } const deeper;
    decltype(waited_) waited;
    {
        const Lock lock(mutex_);
        waited = waited_;
    }
    for (const EventRef& event : waited) {
        if (event && event->ready() && event->error()) {
            return event->error();
        }
    }
    return std::nullopt;
}

std::optional<Error> QueueState::event_failed(const Error& error, std::uint64_t upto) {
    if (error.code() == Code::device_lost || native_->is_end(error)) {
        timeline().reach(upto);
    } else {
        settle(error, upto);
    }
    const std::optional<Error> failed = command_failed(error, upto);
    return failed ? with_kept_memory(*failed) : failed;
}

std::optional<Error> QueueState::command_failed(const Error& error, std::uint64_t upto) {
    const std::optional<Error> foreign = foreign_failure();
    const Lock lock(mutex_);
    if (log_.is_completed(upto) && !(reported_ && upto >= reported_->from)) {
        return std::nullopt;
    }
    return remember(error, upto, foreign);
}

void QueueState::leave_to_finish(const std::exception& error) noexcept {
    try {
        const auto* const ours = dynamic_cast<const Error*>(&error);
        Error kept = ours != nullptr ? *ours
                                     : Error(Code::out_of_memory,
                                             std::string("The end of a mapping failed: ") + error.what(),
                                             SourceLocation());
        const Lock lock(mutex_);
        if (kept.code() == Code::device_lost) {
            kept = lose(*device_, kept);
        }
        fail_after(kept, log_.add(CommandKind::none, 0, kept.where()));
    } catch (const std::exception&) { // Out of memory for the message.
    }
}

bool QueueState::has_reported_failure(std::uint64_t number) const {
    const Lock lock(mutex_);
    return reported_ && number <= reported_->upto;
}

} // namespace ferry::detail
