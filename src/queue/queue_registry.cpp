// SPDX-License-Identifier: Apache-2.0
// Queries and waits that involve all queues.
#include "queue/queue_registry.hpp"

#include "base/process_exit.hpp"
#include "queue/queue_state.hpp"
#include "system/pause.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ferry::detail {
namespace {

constexpr std::chrono::seconds patience{20};
constexpr std::chrono::microseconds query_pause{200};
std::atomic<bool> out_of_patience{false};

} // namespace

void QueueState::finish_all(const DeviceState& device, const SourceLocation& where) {
    std::vector<std::shared_ptr<QueueState>> queues;
    {
        QueueRegistry& r = QueueRegistry::get();
        const std::lock_guard lock(r.mutex);
        for (QueueState* const queue : r.queues) {
            auto kept = queue->device_ == &device && queue->forks_ == fork_count()
                            ? queue->weak_from_this().lock()
                            : nullptr;
            if (kept != nullptr) {
                queues.push_back(std::move(kept));
            }
        }
    }
    std::exception_ptr first;
    for (const std::shared_ptr<QueueState>& queue : queues) {
        try {
            queue->finish(where);
        } catch (const Error& error) {
            if (first == nullptr) {
                first = std::current_exception();
            } else {
                queue->leave_to_finish(error);
            }
        }
    }
    if (first != nullptr) {
        std::rethrow_exception(first);
    }
}

bool QueueState::in_call_of_this_thread() noexcept {
    QueueRegistry& r = QueueRegistry::get();
    const std::unique_lock lock(r.mutex, std::try_to_lock);
    return lock && std::any_of(r.queues.begin(), r.queues.end(), [](const QueueState* queue) {
               return queue->forks_ == fork_count() && queue->mutex_.is_held_by_this_thread();
           });
}

void QueueState::let_drivers_finish() noexcept {
    if (is_inside_vendor_call()) { // The call holds locks that the other queues need.
        return;
    }
    try {
        std::vector<std::shared_ptr<QueueState>> queues;
        {
            QueueRegistry& r = QueueRegistry::get();
            const std::lock_guard lock(r.mutex);
            for (QueueState* queue : r.queues) {
                // Null: it is being destroyed, and its destructor waits.
                auto kept = queue->weak_from_this().lock();
                if (kept != nullptr && queue->forks_ == fork_count() &&
                    queue->device_->runs_in_this_process()) {
                    queues.push_back(std::move(kept));
                }
            }
        }
        const auto deadline = std::chrono::steady_clock::now() + patience;
        for (const auto& queue : queues) {
            // Other threads may still enqueue; wait only for the commands that the queue has now.
            std::optional<std::uint64_t> last;
            const auto is_done = [&] {
                if (const Lock lock(queue->mutex_, std::try_to_lock); lock) {
                    last = last.value_or(queue->last_issued());
                    queue->look_for_progress(lock);
                }
                return last && queue->timeline().has_reached(*last);
            };
            if (!poll_until(deadline, query_pause, is_done)) {
                out_of_patience = true;
                return;
            }
        }
    } catch (const std::exception&) { // Out of memory: nothing more is waited for.
    }
}

void QueueState::let_calls_return() noexcept {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    const bool may_ask = !is_inside_vendor_call();
    QueueRegistry& r = QueueRegistry::get();
    if (!r.mutex.try_lock()) {
        return; // A queue is being created or destroyed.
    }
    for (QueueState* queue : r.queues) {
        if (queue->forks_ != fork_count() || queue->mutex_.is_held_by_this_thread()) {
            continue; // No call of this queue can return here.
        }
        if (!poll_until(deadline, std::chrono::nanoseconds(0), [&] { return queue->mutex_.try_lock(); })) {
            r.mutex.unlock();
            return;
        }
        if (may_ask && queue->device_->runs_in_this_process() && !out_of_patience) {
            try {
                poll_until(PollClock::now() + patience, query_pause, [&] { return queue->native_->idle(); });
            } catch (const std::exception&) { // A failed command is done as well.
            }
        }
        queue->mutex_.unlock();
    }
    r.mutex.unlock();
}

} // namespace ferry::detail
