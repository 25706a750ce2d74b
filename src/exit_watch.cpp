// SPDX-License-Identifier: Apache-2.0
#include "exit_watch.hpp"

#include "backend.hpp"
#include "fork.hpp"
#include "lifetime.hpp"
#include "queue_state.hpp"
#include "signals_blocked.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace ferry::detail {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds watch_limit{20};
constexpr std::chrono::microseconds shortest_pause{200};
constexpr int pauses = 256; ///< of about the same length, in the time gone by

struct Launch {
    std::weak_ptr<QueueState> queue;
    std::uint64_t command = 0;
    Clock::time_point begun;

    bool is_over() const {
        const auto kept = queue.lock();
        return kept == nullptr || kept->timeline().has_reached(command) || Clock::now() > begun + watch_limit;
    }
};

struct Watch {
    const unsigned forks = fork_count(); ///< a child has no thread for the launches of its parent
    std::mutex mutex;                    ///< all that follows
    std::vector<Launch> launches;
    bool runs = false;
};

Watch& watch() {
    static Watch* const one = new Watch; // its thread may outlive static destruction
    return *one;
}

/// Forgets what is over. When the youngest launch that is left began; nothing if there is none.
std::optional<Clock::time_point> youngest(Watch& all) {
    std::vector<Launch> seen;
    {
        const std::lock_guard lock(all.mutex);
        seen.swap(all.launches);
    }
    std::erase_if(seen, [](const Launch& launch) { return launch.is_over(); }); // may end a queue
    const std::lock_guard lock(all.mutex);
    all.launches.insert(all.launches.begin(), std::make_move_iterator(seen.begin()),
                        std::make_move_iterator(seen.end()));
    all.runs = !all.launches.empty();
    return all.runs ? std::optional(all.launches.back().begun) : std::nullopt;
}

void keep_watch() {
    for (bool goes_on = true; goes_on && !backend::process_is_exiting();) {
        const auto begun = youngest(watch());
        goes_on = begun.has_value();
        register_exit_handler(); // also behind the last one
        std::this_thread::sleep_for(
            goes_on ? std::max<Clock::duration>((Clock::now() - *begun) / pauses, shortest_pause)
                    : Clock::duration(0));
    }
}

} // namespace

void watch_first_launch(std::weak_ptr<QueueState> queue, std::uint64_t command) noexcept {
    try {
        Watch& all = watch();
        if (all.forks != fork_count()) {
            return;
        }
        const std::lock_guard lock(all.mutex);
        all.launches.push_back({std::move(queue), command, Clock::now()});
        if (!all.runs) {
            const SignalsBlocked blocked;
            std::thread(keep_watch).detach();
            all.runs = true;
        }
    } catch (const std::exception&) { // the system has no thread left, or no memory
    }
}

} // namespace ferry::detail
