// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/error.hpp>
#include <ferry/source_location.hpp>

#include <cstdint>
#include <optional>

namespace ferry::detail {

class Timeline;
struct Mark;

/// The functions of a queue that modules below src/queue call.
class QueueInterface {
public:
    QueueInterface(const QueueInterface&) = delete;
    QueueInterface& operator=(const QueueInterface&) = delete;

    Timeline& timeline() const noexcept { return timeline_; }
    /// Queries the progress without waiting, for the timeline. Locks the queue.
    virtual void look_for_progress() noexcept = 0;
    /// Whether the calling thread carries out the queue's backlog.
    virtual bool is_on_backlog() const noexcept = 0;
    /// The number of the last command that was handed to the vendor. Only on the backlog's own thread.
    virtual std::uint64_t issued() const noexcept = 0;
    /// The command, and all before it, are done, and one of them failed.
    virtual std::optional<Error> command_failed(const Error& error, std::uint64_t upto) = 0;
    /// The next command waits for the marked one, on the device if possible. Throws Error.
    virtual void wait_for(const Mark& mark, const SourceLocation& where) = 0;

protected:
    explicit QueueInterface(Timeline& timeline) noexcept : timeline_(timeline) {}
    /// If the queue was not completed, its timeline goes to a later queue.
    ~QueueInterface();
    /// Call when nothing can fail any more. From then on the queue itself ends its timeline.
    void complete() noexcept { is_complete_ = true; }

private:
    Timeline& timeline_;
    bool is_complete_ = false;
};

} // namespace ferry::detail
