// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"
#include "command_log.hpp"
#include "mutex.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace ferry::trace {

/// The commands of one queue in the trace. Each is put between two events of the device; once it is done
/// their times, moved to the host's clock, make its slice. All calls with the queue's mutex held.
class QueueTrace {
public:
    /// Null while nothing is traced. `mutex` is the queue's.
    static std::unique_ptr<QueueTrace> make(backend::Device& device, backend::Queue& queue,
                                            detail::Mutex& mutex);
    QueueTrace(const QueueTrace&) = delete;
    QueueTrace& operator=(const QueueTrace&) = delete;
    ~QueueTrace(); ///< the queue is finished, or the process ends

    /// Around the vendor's call that enqueues a command.
    void begin() noexcept;
    /// `name` instead of what the log calls it, if given.
    void end(const detail::CommandLog::Latest& command, const char* name = nullptr) noexcept;
    void cancel() noexcept; ///< instead of end(): the call failed
    void undo() noexcept;   ///< after end(): the vendor did not take the command
    /// The queue was found to be finished.
    void finished() noexcept;

    static void finish_all_at_exit() noexcept;

private:
    struct Mark {
        std::unique_ptr<backend::Event> before;
        std::unique_ptr<backend::Event> after;
    };
    struct Entry {
        detail::CommandLog::What what{};
        std::string name;
        std::string arguments; ///< JSON members
        std::uint64_t number = 0;
        std::uint64_t thread = 0;
        std::int64_t enqueued = 0;
        std::unique_ptr<Mark> mark; ///< null: too many are in flight
    };

    QueueTrace(backend::Device& device, backend::Queue& queue, detail::Mutex& mutex);

    void calibrate();
    std::unique_ptr<Mark> take_mark();
    void harvest(std::size_t most) noexcept; ///< writes what is done
    void write(Entry& entry);
    void write_slice(const Entry& entry, std::int64_t start, std::int64_t end, const std::string& more);
    void write_unfinished() noexcept;

    backend::Device& device_;
    backend::Queue& queue_;
    detail::Mutex& mutex_;
    std::uint64_t process_;
    std::uint64_t row_;
    std::unique_ptr<backend::Event> reference_; ///< whose time on the host's clock is known
    std::int64_t reference_time_ = 0;
    std::int64_t calibrated_ = 0; ///< when
    std::int64_t last_end_ = 0;   ///< of this queue's slices
    std::vector<std::unique_ptr<Mark>> free_marks_;
    std::size_t marks_made_ = 0;
    std::unique_ptr<Mark> current_;
    std::int64_t enqueued_ = 0;
    std::deque<Entry> pending_;
};

} // namespace ferry::trace
