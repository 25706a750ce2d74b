// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../codes.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>

namespace ferry_double {

class Capture;
class Queue;

/// One device: its state, and the memory that it can access.
struct DeviceState;

/// A command of a queue. Nodes are reused, so a steady state allocates nothing.
class Command {
public:
    template <class F>
    void set(F&& function) {
        using Stored = std::decay_t<F>;
        static_assert(sizeof(Stored) <= sizeof storage_ && alignof(Stored) <= alignof(std::max_align_t));
        new (static_cast<void*>(storage_.data())) Stored(std::forward<F>(function));
        run_ = [](void* stored) { return (*static_cast<Stored*>(stored))(); };
        drop_ = [](void* stored) { static_cast<Stored*>(stored)->~Stored(); };
    }
    int run() { return run_(storage_.data()); }
    void drop() { drop_(storage_.data()); }

    alignas(64) std::array<std::byte, 4096> parameters; ///< a kernel's arguments
    Command* next = nullptr;
    std::uint64_t sequence = 0;
    bool always = false; ///< is executed after a failure too (event records and waits)
    int later = 0;       ///< the injected failure
    bool later_once = false;

private:
    alignas(std::max_align_t) std::array<std::byte, 160> storage_;
    int (*run_)(void*) = nullptr;
    void (*drop_)(void*) = nullptr;
};

/// A stream: one worker thread that runs commands in order.
class Queue : public std::enable_shared_from_this<Queue> {
public:
    static std::shared_ptr<Queue> start(DeviceState& device);
    ~Queue();
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    /// `fill` prepares the node (parameters, later) and sets its function. It runs under the queue's lock.
    template <class Prepare>
    std::uint64_t push(Prepare&& prepare) {
        const std::lock_guard lock(mutex_);
        Command* node = take();
        prepare(*node);
        return link(node);
    }
    /// Blocks until the command is done.
    void wait(std::uint64_t sequence);
    std::uint64_t last();
    bool done(std::uint64_t sequence);
    /// Returns the failure to report. A failure that is not sticky is reported once.
    int take_error();
    /// For an event that is recorded: the failure of earlier commands.
    int peek_error();
    /// Rejects new commands. The thread ends when it has executed all pending ones. Called once.
    void close();

    DeviceState& device() const { return device_; }

    /// The capture that the stream takes part in, or null.
    std::shared_ptr<Capture> capture();
    void set_capture(std::shared_ptr<Capture> capture);

private:
    explicit Queue(DeviceState& device) : device_(device) {}
    Command* take();
    std::uint64_t link(Command* node);
    void work();

    DeviceState& device_;
    std::thread thread_;
    std::mutex mutex_;
    std::condition_variable pushed_, finished_;
    Command* first_ = nullptr;
    Command* last_ = nullptr;
    Command* free_ = nullptr;
    std::uint64_t sequence_ = 0, completed_ = 0;
    int error_ = 0;
    bool closed_ = false;
    std::shared_ptr<Capture> capture_;
};

/// An event. The state belongs to the latest record.
class Mark {
public:
    Mark(int ordinal, bool with_time) : device(ordinal), timing(with_time) {}
    const int device;
    const bool timing;

    /// Records on a captured stream: a position in the capture.
    void record(std::shared_ptr<Capture> capture, std::size_t position);
    std::shared_ptr<Capture> captured(std::size_t& position);

    void record(const std::shared_ptr<Queue>& queue, const std::shared_ptr<Mark>& self);
    /// The queue and the command of the latest record; null if there was none.
    std::shared_ptr<Queue> target(std::uint64_t& sequence);
    int query();
    int synchronize();
    /// True if the latest record is done and has a time.
    bool time(std::chrono::steady_clock::time_point& time);

    /// The failure before that record. 0 if there was none, or if the event has been recorded again since.
    int result(std::uint64_t sequence);

private:
    std::mutex mutex_;
    std::shared_ptr<Queue> queue_;
    std::uint64_t sequence_ = 0; // of the latest record
    std::uint64_t recorded_ = 0; // of the record with `time_` and `result_`
    std::chrono::steady_clock::time_point time_;
    int result_ = 0;
    std::shared_ptr<Capture> capture_;
    std::size_t position_ = 0;
};

} // namespace ferry_double
