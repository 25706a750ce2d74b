// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "queue/command_log.hpp"
#include "system/mutex.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace ferry::trace {

/// The commands of one queue in the trace. Each is enclosed by two events of the device. Once it is done,
/// their times, converted to the host's clock, make its slice. All calls are under the queue's mutex.
class QueueTrace {
public:
    /// Null while there is no trace. `mutex` is the queue's.
    static std::unique_ptr<QueueTrace> make(backend::Device& device, backend::Queue& queue,
                                            detail::Mutex& mutex);
    QueueTrace(const QueueTrace&) = delete;
    QueueTrace& operator=(const QueueTrace&) = delete;
    ~QueueTrace(); ///< The queue is finished, or the process ends.

    /// Call around the vendor's call that enqueues a command.
    void begin() noexcept;
    /// `name` replaces the name in the log, if given.
    void end(const detail::CommandLog::Latest& command, const char* name = nullptr) noexcept;
    void cancel() noexcept; ///< Instead of end(): the call failed.
    void undo() noexcept;   ///< After end(): the vendor did not accept the command.
    /// The queue was found to be finished.
    void finished() noexcept;

    static void finish_all_at_exit() noexcept;

private:
    struct Mark {
        std::unique_ptr<backend::Event> before;
        std::unique_ptr<backend::Event> after;
    };
    struct Entry {
        std::string name;
        std::string arguments; ///< JSON members.
        std::uint64_t number = 0;
        std::uint64_t thread = 0;
        std::int64_t enqueued = 0;
        std::unique_ptr<Mark> mark; ///< Null: too many are in flight.
    };

    QueueTrace(backend::Device& device, backend::Queue& queue, detail::Mutex& mutex);

    void calibrate();
    std::unique_ptr<Mark> take_mark();
    void harvest(std::size_t most) noexcept; ///< Writes the completed commands.
    void write(Entry& entry);
    void write_slice(const Entry& entry, std::int64_t start, std::int64_t end, const std::string& more);
    void write_unfinished() noexcept;

    backend::Device& device_;
    backend::Queue& queue_;
    detail::Mutex& mutex_;
    std::uint64_t process_;
    std::uint64_t row_;
    std::unique_ptr<backend::Event> reference_; ///< Its time on the host's clock is known.
    std::int64_t reference_time_ = 0;
    std::int64_t calibrated_ = 0; ///< The time of the calibration.
    std::int64_t last_end_ = 0;   ///< Of this queue's slices.
    std::vector<std::unique_ptr<Mark>> free_marks_;
    std::size_t marks_made_ = 0;
    std::unique_ptr<Mark> current_;
    std::int64_t enqueued_ = 0;
    std::deque<Entry> pending_;
};

} // namespace ferry::trace
