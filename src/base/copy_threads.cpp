// SPDX-License-Identifier: Apache-2.0
#include "base/copy_threads.hpp"

#include "base/copy_tuning.hpp"
#include "base/memory_pressure.hpp"
#include "system/thread.hpp"

#include <ferry/error.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace ferry::detail::staging {

struct Workers::State {
    std::mutex mutex;
    std::condition_variable pushed;
    std::condition_variable ended;
    std::deque<std::function<void()>> work;
    unsigned running = 0;
    unsigned idle = 0;
    std::uint64_t end_requests = 0;
    bool trimming = false;
    bool stopped = false;
};

namespace {
std::atomic<Workers*> made{nullptr}; // Separate, so that process exit does not create the threads.
constinit std::atomic<unsigned (*)()> limit_source{nullptr};

unsigned limit() {
    const auto source = limit_source.load();
    return source != nullptr ? source() : std::min(most_threads(), usual_copy_threads);
}
} // namespace

Workers::Workers(unsigned most) : most_(most), state_(*new State) {
    made = this;
}

Workers& Workers::get() {
    static NoDestructor<Workers> workers(limit());
    return *workers;
}

void Workers::push(std::function<void()> work) {
    const std::lock_guard lock(state_.mutex);
    if (state_.stopped) {
        return;
    }
    state_.work.push_back(std::move(work));
    if (state_.idle < state_.work.size() && state_.running < most()) {
        start();
    }
    state_.pushed.notify_one();
}

void Workers::start() {
    try {
        // Reads the count now, so that a request made before the thread runs also applies to it.
        Thread("ferry-copy", [this, requests = state_.end_requests] { run(requests); }).detach();
        ++state_.running;
    } catch (const Error&) {
        if (state_.running == 0) {
            state_.work.pop_back();
            throw; // No thread exists that could run it.
        }
    }
}

void Workers::run(std::uint64_t requests) {
    std::unique_lock lock(state_.mutex);
    while (!state_.stopped) {
        if (state_.work.empty()) {
            ++state_.idle;
            bool called = state_.pushed.wait_for(lock, tuning().idle, [&] {
                return state_.stopped || !state_.work.empty() || state_.end_requests != requests;
            });
            --state_.idle;
            if (state_.work.empty() && !called && state_.running == 1 && !state_.trimming) {
                state_.trimming = true;
                const auto unused =
                    // Half, because the last copy released its slots shortly after the last task here.
                    tuning().idle / 2;
                lock.unlock();
                const bool none = trim_staging(unused);
                lock.lock();
                state_.trimming = false;
                // If a copy still held slots, try again after the next idle time.
                called = !none || !state_.work.empty();
            }
            if (state_.work.empty() && (!called || state_.end_requests != requests)) {
                break;
            }
            continue;
        }
        {
            const std::function<void()> work = std::move(state_.work.front());
            state_.work.pop_front();
            lock.unlock();
            work();
        } // Destroys the task, and the objects that it keeps alive, outside the lock.
        lock.lock();
    }
    --state_.running;
    state_.ended.notify_all();
}

bool Workers::help() {
    std::function<void()> work;
    {
        const std::lock_guard lock(state_.mutex);
        if (state_.work.empty()) {
            return false;
        }
        work = std::move(state_.work.front());
        state_.work.pop_front();
    }
    work();
    return true;
}

unsigned Workers::running() const {
    const std::lock_guard lock(state_.mutex);
    return state_.running;
}

void Workers::end_idle() {
    std::unique_lock lock(state_.mutex);
    ++state_.end_requests;
    state_.pushed.notify_all();
    // A thread may have completed its last task without returning to the loop yet.
    state_.ended.wait_for(lock, std::chrono::seconds(1),
                          [&] { return state_.running == 0 || !state_.work.empty(); });
}

void Workers::set_limit_source(unsigned (*source)()) noexcept {
    limit_source = source;
}

void Workers::look_again() {
    if (Workers* const workers = made) {
        workers->most_.store(limit(), std::memory_order_relaxed);
    }
}

void Workers::stop() noexcept {
    Workers* const workers = made;
    if (workers == nullptr) {
        return;
    }
    State& state = workers->state_;
    std::unique_lock lock(state.mutex);
    state.stopped = true;
    state.work.clear();
    state.pushed.notify_all();
    state.ended.wait_for(lock, std::chrono::seconds(1), [&] { return state.running == 0; });
}

} // namespace ferry::detail::staging
