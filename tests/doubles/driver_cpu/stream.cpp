// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include "device.hpp"

#include <cfenv>
#include <thread>
#include <utility>

namespace ferry_double {

std::shared_ptr<Queue> Queue::start(DeviceState& device) {
    std::shared_ptr<Queue> queue(new Queue(device));
    // The thread owns the queue too, so that a destroyed stream can finish its commands.
    queue->thread_ = std::thread([queue] {
        std::fesetenv(FE_DFL_ENV); // the program's rounding mode does not affect a GPU
        queue->work();
    });
    return queue;
}

Queue::~Queue() {
    while (free_ != nullptr) {
        delete std::exchange(free_, free_->next);
    }
}

Command* Queue::take() {
    if (free_ == nullptr) {
        return new Command;
    }
    Command* node = std::exchange(free_, free_->next);
    node->always = false;
    node->later = 0;
    node->later_once = false;
    return node;
}

std::uint64_t Queue::link(Command* node) {
    node->next = nullptr;
    node->sequence = ++sequence_;
    (first_ == nullptr ? first_ : last_->next) = node;
    last_ = node;
    pushed_.notify_one();
    return sequence_;
}

void Queue::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        pushed_.wait(lock, [this] { return first_ != nullptr || closed_; });
        if (first_ == nullptr) {
            return;
        }
        Command* node = std::exchange(first_, first_->next);
        const bool skip = (error_ != 0 || device_.lost != 0) && !node->always;
        lock.unlock();
        int code = 0;
        if (!skip) {
            const bool injected = node->later != 0;
            code = injected ? node->later : node->run();
            if (injected ? !node->later_once : is_sticky(code)) {
                device_.lost = code;
            }
        }
        const std::uint64_t sequence = node->sequence;
        node->drop();
        lock.lock();
        if (code != 0 && error_ == 0) {
            error_ = code;
        }
        node->next = std::exchange(free_, node);
        completed_ = sequence;
        finished_.notify_all();
    }
}

void Queue::wait(std::uint64_t sequence) {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return completed_ >= sequence; });
}

std::uint64_t Queue::last() {
    const std::lock_guard lock(mutex_);
    return sequence_;
}

bool Queue::done(std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    return completed_ >= sequence;
}

int Queue::take_error() {
    const std::lock_guard lock(mutex_);
    const int once = std::exchange(error_, 0);
    return device_.lost != 0 ? device_.lost.load() : once;
}

int Queue::peek_error() {
    const std::lock_guard lock(mutex_);
    return device_.lost != 0 ? device_.lost.load() : error_;
}

std::shared_ptr<Capture> Queue::capture() {
    const std::lock_guard lock(mutex_);
    return capture_;
}

void Queue::set_capture(std::shared_ptr<Capture> capture) {
    const std::lock_guard lock(mutex_);
    capture_ = std::move(capture);
}

void Mark::record(std::shared_ptr<Capture> capture, std::size_t position) {
    const std::lock_guard lock(mutex_);
    capture_ = std::move(capture);
    position_ = position;
}

std::shared_ptr<Capture> Mark::captured(std::size_t& position) {
    const std::lock_guard lock(mutex_);
    position = position_;
    return capture_;
}

void Queue::close() {
    bool idle = false;
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        idle = completed_ == sequence_;
        pushed_.notify_one();
    }
    // A child of fork() waits for ever in the allocator of AddressSanitizer if a thread was in it at the
    // fork. So the thread of a stream without commands does not outlive it.
    idle ? thread_.join() : thread_.detach();
}

void Mark::record(const std::shared_ptr<Queue>& queue, const std::shared_ptr<Mark>& self) {
    const std::lock_guard lock(mutex_);
    capture_.reset();
    queue_ = queue;
    sequence_ = queue->push([&](Command& command) {
        command.always = true;
        command.set([self, queue = queue.get(), node = &command] {
            const int error = queue->peek_error();
            const std::lock_guard inner(self->mutex_);
            if (self->queue_.get() == queue) {
                self->time_ = std::chrono::steady_clock::now();
                self->result_ = error;
                self->recorded_ = node->sequence;
            }
            return 0;
        });
    });
}

std::shared_ptr<Queue> Mark::target(std::uint64_t& sequence) {
    const std::lock_guard lock(mutex_);
    sequence = sequence_;
    return queue_;
}

int Mark::result(std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    return recorded_ == sequence ? result_ : 0;
}

int Mark::query() {
    std::uint64_t sequence = 0;
    const std::shared_ptr<Queue> queue = target(sequence);
    if (queue == nullptr) {
        return success;
    }
    return queue->done(sequence) ? result(sequence) : not_ready;
}

int Mark::synchronize() {
    std::uint64_t sequence = 0;
    const std::shared_ptr<Queue> queue = target(sequence);
    if (queue == nullptr) {
        return success;
    }
    queue->wait(sequence);
    return result(sequence);
}

bool Mark::time(std::chrono::steady_clock::time_point& time) {
    const std::lock_guard lock(mutex_);
    time = time_;
    return queue_ != nullptr && recorded_ == sequence_;
}

} // namespace ferry_double
