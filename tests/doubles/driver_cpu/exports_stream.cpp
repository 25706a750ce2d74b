// SPDX-License-Identifier: Apache-2.0
#include "exports.hpp"

namespace ferry_double {

namespace {

// The code reported by a call on a stream: the failure of an earlier command.
int report(const std::shared_ptr<Queue>& queue) {
    return queue->take_error();
}

} // namespace

Result Rows::stream_create(Stream* stream, unsigned int flags) {
    FERRY_DOUBLE_ENTER(stream_create)
    // a stream with flag 0 waits for the default stream; Ferry makes none
    constexpr unsigned int non_blocking = 1;
    if (stream == nullptr || flags != non_blocking) {
        return invalid_value;
    }
    *stream = world().queues.add(Queue::start(current()));
    return success;
}

// The drivers move a priority outside the range into it; Ferry passes none.
Result Rows::stream_create_with_priority(Stream* stream, unsigned int flags, int priority) {
    FERRY_DOUBLE_ENTER(stream_create_with_priority)
    constexpr unsigned int non_blocking = 1;
    if (stream == nullptr || flags != non_blocking || priority > lowest_priority ||
        priority < highest_priority) {
        return invalid_value;
    }
    *stream = world().queues.add(Queue::start(current()));
    site_of_this.note(priority);
    return success;
}

Result Rows::priority_range(int* lowest, int* highest) {
    FERRY_DOUBLE_ENTER(priority_range)
    *lowest = lowest_priority;
    *highest = highest_priority;
    return success;
}

// Pending commands are still executed, as in HIP.
Result Rows::stream_destroy(Stream stream) {
    FERRY_DOUBLE_COUNT(stream_destroy)
    const std::shared_ptr<Queue> queue = world().queues.remove(stream);
    if (queue == nullptr) {
        return invalid_handle;
    }
    queue->close();
    return success;
}

Result Rows::stream_synchronize(Stream stream) {
    FERRY_DOUBLE_COUNT(stream_synchronize)
    const std::shared_ptr<Queue> queue = find_queue(stream);
    if (queue == nullptr) {
        return invalid_handle;
    }
    if (queue->capture() != nullptr) {
        return capture_unsupported;
    }
    queue->wait(queue->last());
    return report(queue);
}

Result Rows::stream_query(Stream stream) {
    FERRY_DOUBLE_COUNT(stream_query)
    const std::shared_ptr<Queue> queue = find_queue(stream);
    if (queue == nullptr) {
        return invalid_handle;
    }
    return queue->done(queue->last()) ? report(queue) : static_cast<int>(not_ready);
}

// Waits for commands recorded before this call. An event that was never recorded causes no wait.
Result Rows::stream_wait(Stream stream, Event event, unsigned int flags) {
    FERRY_DOUBLE_ENTER(stream_wait)
    const std::shared_ptr<Queue> queue = find_queue(stream);
    const std::shared_ptr<Mark> mark = world().marks.find(event);
    if (queue == nullptr || mark == nullptr || flags != 0) {
        return invalid_handle;
    }
    std::size_t position = 0;
    if (const std::shared_ptr<Capture> captured = mark->captured(position)) {
        const std::shared_ptr<Capture> own = queue->capture();
        if (own != nullptr && own != captured) {
            return capture_isolation;
        }
        captured->wait(queue.get(), position);
        queue->set_capture(captured);
        return success;
    }
    if (queue->capture() != nullptr) {
        return capture_isolation;
    }
    std::uint64_t sequence = 0;
    std::shared_ptr<Queue> other = mark->target(sequence);
    if (other != nullptr && other != queue) {
        queue->push([&](Command& command) {
            command.always = true;
            command.set([other = std::move(other), mark, sequence] {
                other->wait(sequence);
                return mark->result(sequence); // after a failed command, commands that wait for it fail too
            });
        });
    }
    return success;
}

Result Rows::event_create(Event* event, unsigned int flags) {
    FERRY_DOUBLE_ENTER(event_create)
    constexpr unsigned int disable_timing = 2;
    if (event == nullptr) {
        return invalid_value;
    }
    *event = world().marks.add(std::make_shared<Mark>(current().ordinal, (flags & disable_timing) == 0));
    return success;
}

Result Rows::event_destroy(Event event) {
    FERRY_DOUBLE_COUNT(event_destroy)
    return world().marks.remove(event) != nullptr ? success : invalid_handle;
}

Result Rows::event_record(Event event, Stream stream) {
    FERRY_DOUBLE_ENTER(event_record)
    const std::shared_ptr<Queue> queue = find_queue(stream);
    const std::shared_ptr<Mark> mark = world().marks.find(event);
    if (queue == nullptr || mark == nullptr || queue->device().ordinal != mark->device) {
        return invalid_handle;
    }
    if (const std::shared_ptr<Capture> capture = queue->capture()) {
        mark->record(capture, capture->record(queue.get()));
    } else {
        mark->record(queue, mark);
    }
    return success;
}

Result Rows::event_query(Event event) {
    FERRY_DOUBLE_COUNT(event_query)
    const std::shared_ptr<Mark> mark = world().marks.find(event);
    return mark != nullptr ? mark->query() : static_cast<int>(invalid_handle);
}

Result Rows::event_synchronize(Event event) {
    FERRY_DOUBLE_COUNT(event_synchronize)
    const std::shared_ptr<Mark> mark = world().marks.find(event);
    return mark != nullptr ? mark->synchronize() : static_cast<int>(invalid_handle);
}

Result Rows::event_elapsed(float* milliseconds, Event start, Event end) {
    FERRY_DOUBLE_ENTER(event_elapsed)
    const std::shared_ptr<Mark> first = world().marks.find(start);
    const std::shared_ptr<Mark> second = world().marks.find(end);
    if (first == nullptr || second == nullptr || !first->timing || !second->timing ||
        first->device != second->device) {
        return invalid_handle;
    }
    std::chrono::steady_clock::time_point from;
    std::chrono::steady_clock::time_point to;
    if (!first->time(from) || !second->time(to)) {
        std::uint64_t sequence = 0;
        const bool recorded = first->target(sequence) != nullptr && second->target(sequence) != nullptr;
        return recorded ? not_ready : invalid_handle;
    }
    *milliseconds = std::chrono::duration<float, std::milli>(to - from).count();
    return success;
}

} // namespace ferry_double
