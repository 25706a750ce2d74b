// SPDX-License-Identifier: Apache-2.0
#include "base/serial_thread.hpp"

#include "base/exiting.hpp"
#include "base/no_destructor.hpp"
#include "system/float_environment.hpp"
#include "system/fork.hpp"
#include "system/no_cancellation.hpp"
#include "system/pause.hpp"
#include "system/thread.hpp"

#include <cxxabi.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <set>
#include <utility>

namespace ferry::detail {

struct SerialThread::Core {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> tasks;
    std::uint64_t pushed = 0;
    std::uint64_t done = 0;
    bool started = false;
    bool stop = false;
    bool ended = false;
    const unsigned forks = fork_count(); ///< At its creation.
    const char* const name;
    Thread thread; ///< Protected by the mutex until `ended`.

    explicit Core(const char* its_name) : name(its_name) {}
};

namespace {

thread_local const void* current_core = nullptr;

struct Registry {
    std::mutex mutex;
    std::set<SerialThread*> threads;
};

Registry& registry() {
    static NoDestructor<Registry> r;
    return *r;
}

} // namespace

// A task that ends its thread (pthread_exit() in a callback) unwinds through here; another thread continues.
FERRY_CATCHES_FORCED_UNWIND void SerialThread::run(const std::shared_ptr<Core>& core) {
    try {
        run_tasks(core);
    } catch (const abi::__forced_unwind&) {
        const std::lock_guard lock(core->mutex);
        ++core->done;
        try {
            core->thread = Thread(core->name, [core] { run(core); });
        } catch (const std::exception&) { // The system creates no thread.
            core->ended = true;
        }
        core->changed.notify_all();
        throw;
    }
}

void SerialThread::run_tasks(const std::shared_ptr<Core>& core) {
    current_core = core.get();
    std::unique_lock lock(core->mutex);
    while (true) {
        core->changed.wait(lock, [&] { return core->stop || !core->tasks.empty(); });
        if (core->tasks.empty() || backend::process_is_exiting()) {
            break;
        }
        {
            std::function<void()> task = std::move(core->tasks.front());
            core->tasks.pop_front();
            lock.unlock();
            try {
                const DefaultFloatEnvironment floats; // A callback's changes end with it.
                task();
            } catch (const Ending&) {
                lock.lock();
                break;
            }
        } // Releases the objects of the task outside the lock.
        lock.lock();
        ++core->done;
        core->changed.notify_all();
    }
    core->ended = true;
    core->changed.notify_all();
}

SerialThread::SerialThread(const char* name) : core_(std::make_shared<Core>(name)) {}

void SerialThread::push(std::function<void()> task) {
    std::unique_lock lock(core_->mutex);
    if (!core_->started) {
        lock.unlock();
        start();
        lock.lock();
    }
    core_->tasks.push_back(std::move(task));
    ++core_->pushed;
    core_->changed.notify_all();
}

void SerialThread::prepare() {
    bool started = false;
    {
        const std::lock_guard lock(core_->mutex);
        started = core_->started;
    }
    if (!started) {
        start();
    }
}

void SerialThread::start() {
    Registry& r = registry();
    const std::lock_guard registered(r.mutex);
    if (const std::lock_guard lock(core_->mutex); core_->started) {
        return; // By another thread, meanwhile.
    }
    const auto place = r.threads.insert(this).first;
    try {
        const std::lock_guard lock(core_->mutex);
        core_->thread = Thread(core_->name, [core = core_] { run(core); });
        core_->started = true;
    } catch (...) {
        r.threads.erase(place);
        throw;
    }
}

void SerialThread::drain() {
    if (on_this_thread()) {
        return;
    }
    std::unique_lock lock(core_->mutex);
    const std::uint64_t goal = core_->pushed;
    core_->changed.wait(lock, [&] { return core_->done >= goal || core_->ended; });
}

bool SerialThread::on_this_thread() const noexcept {
    return current_core == core_.get();
}

SerialThread::~SerialThread() {
    {
        Registry& r = registry();
        const std::lock_guard lock(r.mutex);
        r.threads.erase(this);
    }
    {
        std::unique_lock lock(core_->mutex);
        if (!core_->started) {
            return;
        }
        core_->stop = true;
        core_->changed.notify_all();
        // A thread that was stopped at process exit may be in a task that never returns.
        if (on_this_thread() || backend::process_is_exiting()) {
            core_->thread.detach();
            return;
        }
        core_->changed.wait(lock, [&] { return core_->ended; }); // Until then another thread may take over.
    }
    core_->thread.join();
}

void SerialThread::pause(Backoff& backoff) {
    if (backend::process_is_exiting()) {
        throw Ending{};
    }
    backoff.pause();
}

void SerialThread::stop_all() noexcept {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    Registry& r = registry();
    std::unique_lock registered(r.mutex, std::defer_lock); // In a child process it may stay locked forever.
    if (!poll_until(deadline, std::chrono::microseconds(50), [&] { return registered.try_lock(); })) {
        return;
    }
    for (SerialThread* thread : r.threads) {
        Core& core = *thread->core_;
        if (core.forks != fork_count()) {
            continue; // Its thread is in the parent process.
        }
        std::unique_lock lock(core.mutex);
        core.stop = true;
        core.changed.notify_all();
        if (!thread->on_this_thread()) {
            core.changed.wait_until(lock, deadline, [&] { return core.ended; });
        }
    }
}

} // namespace ferry::detail
