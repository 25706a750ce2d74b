// SPDX-License-Identifier: Apache-2.0
#include "queue/queue_trace.hpp"

#include "base/no_destructor.hpp"
#include "program/kernel_state.hpp"
#include "system/pause.hpp"
#include "trace/trace.hpp"
#include "trace/writer.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace ferry::trace {
namespace {

constexpr std::size_t most_marks = 4096; // In flight; drivers' own limits have this order of magnitude.
constexpr std::int64_t ms = 1'000'000;

struct Registry {
    std::mutex mutex;
    std::set<QueueTrace*> queues;
    std::set<std::uint64_t> devices; ///< Devices with named rows.
    std::uint64_t last_row = 0;
};

Registry& registry() {
    static detail::NoDestructor<Registry> r;
    return *r;
}

// Devices are groups of rows next to the process's own; their numbers are above those of processes.
std::uint64_t group_of(const DeviceInfo& info) {
    return (std::uint64_t{1} << 24) * (1 + static_cast<std::uint64_t>(info.backend)) + info.index;
}

std::string name_of(const detail::CommandLog::Latest& command) {
    if (command.kernel != nullptr) {
        return command.kernel->info().name;
    }
    const std::string name = detail::command_text(command.kind).name;
    return command.label != nullptr ? name + " " + *command.label : name;
}

std::string arguments_of(const detail::CommandLog::Latest& command) {
    std::string text = "\"command\": " + std::to_string(command.number);
    if (command.kernel != nullptr) {
        text += ", \"grid\": " + json_string(detail::describe(command.grid));
    } else if (command.bytes != 0) {
        text += ", \"bytes\": " + std::to_string(command.bytes);
    }
    return text + ", \"enqueued at\": " + json_string(place(command.where));
}

std::string microseconds(std::int64_t ns) {
    return std::to_string(ns / 1000) + "." + std::to_string(1000 + ns % 1000).substr(1);
}

} // namespace

std::unique_ptr<QueueTrace> QueueTrace::make(backend::Device& device, backend::Queue& queue,
                                             detail::Mutex& mutex) {
    return active() ? std::unique_ptr<QueueTrace>(new QueueTrace(device, queue, mutex)) : nullptr;
}

QueueTrace::QueueTrace(backend::Device& device, backend::Queue& queue, detail::Mutex& mutex)
    : device_(device), queue_(queue), mutex_(mutex), process_(group_of(device.info())) {
    finish_queues = &finish_all_at_exit;
    const DeviceInfo& info = device.info();
    Registry& r = registry();
    bool first_of_device = false;
    {
        const std::lock_guard lock(r.mutex);
        row_ = ++r.last_row;
        first_of_device = r.devices.insert(process_).second;
    }
    if (first_of_device) {
        name_row("process_name", process_, 0,
                 std::string(to_string(info.backend)) + ":" + std::to_string(info.index) + " " + info.name);
    }
    name_row("thread_name", process_, row_, "queue " + std::to_string(row_));
    calibrate();
    const std::lock_guard lock(r.mutex);
    r.queues.insert(this);
}

QueueTrace::~QueueTrace() {
    {
        Registry& r = registry();
        const std::lock_guard lock(r.mutex);
        r.queues.erase(this);
    }
    if (!backend::process_is_exiting()) {
        harvest(pending_.size());
        write_unfinished();
    }
}

// The queue is empty, so an event recorded now occurs between the two readings of the host's clock.
void QueueTrace::calibrate() {
    constexpr int attempts = 5;
    std::int64_t best = 0;
    auto event = device_.create_event(true);
    for (int i = 0; i < attempts; ++i) {
        const std::int64_t before = now();
        queue_.record(*event);
        queue_.flush();
        event->wait();
        const std::int64_t after = now();
        if (reference_ == nullptr || i == 0 || after - before < best) {
            best = after - before;
            reference_time_ = before + best / 2;
            if (reference_ == nullptr) {
                reference_ = device_.create_event(true);
            }
            std::swap(reference_, event);
        }
    }
    calibrated_ = now();
    if (Writer* const file = writer()) {
        file->add(head("clock calibration", 'i', process_, row_, calibrated_) +
                  ", \"s\": \"t\", \"args\": {\"error_us\": " + microseconds(best / 2) + "}}");
    }
}

std::unique_ptr<QueueTrace::Mark> QueueTrace::take_mark() {
    if (!free_marks_.empty()) {
        auto mark = std::move(free_marks_.back());
        free_marks_.pop_back();
        return mark;
    }
    if (marks_made_ == most_marks) {
        return nullptr;
    }
    auto mark = std::make_unique<Mark>(Mark{device_.create_event(true), device_.create_event(true)});
    ++marks_made_;
    return mark;
}

void QueueTrace::begin() noexcept {
    try {
        if (active()) {
            current_ = take_mark();
            enqueued_ = now();
            if (current_) {
                queue_.record(*current_->before);
            }
        }
    } catch (const std::exception&) { // The command's own call reports the error.
        cancel();
    }
}

void QueueTrace::cancel() noexcept {
    if (current_) {
        free_marks_.push_back(std::move(current_));
    }
}

void QueueTrace::undo() noexcept {
    if (!pending_.empty()) {
        current_ = std::move(pending_.back().mark);
        pending_.pop_back();
        cancel();
    }
}

void QueueTrace::end(const detail::CommandLog::Latest& command, const char* name) noexcept {
    if (!active()) {
        return;
    }
    try {
        if (current_) {
            queue_.record(*current_->after);
        }
        const std::uint64_t thread = this_thread();
        pending_.push_back({name != nullptr ? name : name_of(command), arguments_of(command), command.number,
                            thread, enqueued_, std::move(current_)});
        if (Writer* const file = writer()) {
            file->add(head("enqueue", 's', this_process(), thread, enqueued_) +
                      ", \"cat\": \"enqueue\", \"id\": \"" + std::to_string(row_) + "." +
                      std::to_string(command.number) + "\"}");
        }
    } catch (const std::exception&) { // Out of memory, or a lost device: this command is not in the trace.
        cancel();
    }
    constexpr std::size_t enough = 256;
    if (pending_.size() > enough) {
        harvest(2);
    }
}

void QueueTrace::finished() noexcept {
    harvest(pending_.size());
    // Two clocks drift apart; they are calibrated again while the queue is empty.
    if (active() && pending_.empty() && now() - calibrated_ > 500 * ms) {
        try {
            calibrate();
        } catch (const std::exception&) {
        }
    }
}

void QueueTrace::harvest(std::size_t most) noexcept {
    for (; most > 0 && !pending_.empty(); --most) {
        Entry& entry = pending_.front();
        try {
            if (entry.mark && !entry.mark->after->ready()) {
                return;
            }
            write(entry);
        } catch (const std::exception&) { // The command failed.
            try {
                write_slice(entry, std::max(entry.enqueued, last_end_), std::max(entry.enqueued, last_end_),
                            ", \"failed\": true");
            } catch (const std::exception&) {
            }
        }
        if (entry.mark) {
            free_marks_.push_back(std::move(entry.mark));
        }
        pending_.pop_front();
    }
}

void QueueTrace::write(Entry& entry) {
    const std::int64_t earliest = std::max(entry.enqueued, last_end_);
    std::optional<std::chrono::nanoseconds> since;
    std::optional<std::chrono::nanoseconds> took;
    if (entry.mark) {
        since = entry.mark->before->since(*reference_);
        took = entry.mark->after->since(*entry.mark->before);
    }
    if (!since || !took) {
        write_slice(entry, earliest, earliest, ", \"no device time\": true");
        return;
    }
    const std::int64_t before = reference_time_ + since->count();
    // An event in an idle queue occurs at once, but the command only when it arrives; clocks also have
    // errors.
    const std::int64_t start = std::max(before, earliest);
    const std::int64_t end = std::max(start, std::min(before + took->count(), now()));
    write_slice(entry, start, end,
                ", \"device_us\": " + microseconds(std::max<std::int64_t>(took->count(), 0)));
    if (since->count() > 1000 * ms) { // CUDA returns times as float, so only for close events.
        std::swap(reference_, entry.mark->before);
        reference_time_ = before;
    }
}

void QueueTrace::write_slice(const Entry& entry, std::int64_t start, std::int64_t end,
                             const std::string& more) {
    last_end_ = end;
    Writer* const file = writer();
    if (file == nullptr) {
        return;
    }
    file->add(head(entry.name, 'X', process_, row_, start) + ", \"dur\": " + microseconds(end - start) +
              ", \"cat\": \"command\", \"args\": {" + entry.arguments +
              ", \"by thread\": " + std::to_string(entry.thread) + more + "}}");
    file->add(head("enqueue", 'f', process_, row_, start) +
              ", \"bp\": \"e\", \"cat\": \"enqueue\", \"id\": \"" + std::to_string(row_) + "." +
              std::to_string(entry.number) + "\"}");
}

void QueueTrace::write_unfinished() noexcept {
    try {
        for (const Entry& entry : pending_) {
            const std::int64_t start = std::max(entry.enqueued, last_end_);
            write_slice(entry, start, start, ", \"unfinished\": true");
        }
    } catch (const std::exception&) {
    }
    pending_.clear();
}

void QueueTrace::finish_all_at_exit() noexcept {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    const auto lock = [&](auto& mutex) {
        return detail::poll_until(deadline, std::chrono::nanoseconds(0), [&] { return mutex.try_lock(); });
    };
    Registry& r = registry();
    if (!lock(r.mutex)) {
        return;
    }
    for (QueueTrace* const queue : r.queues) {
        if (lock(queue->mutex_)) {
            queue->harvest(queue->pending_.size());
            queue->write_unfinished();
            queue->mutex_.unlock();
        }
    }
    r.mutex.unlock();
}

} // namespace ferry::trace
