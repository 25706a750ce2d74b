// SPDX-License-Identifier: Apache-2.0
#include "device/exit_watch.hpp"

#include "base/exiting.hpp"
#include "base/no_destructor.hpp"
#include "base/process_exit.hpp"
#include "system/fork.hpp"
#include "system/pause.hpp"
#include "system/thread.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <vector>

namespace ferry::detail {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds watch_limit{20};
constexpr std::chrono::microseconds shortest_pause{200};
constexpr int pauses = 256; ///< Pauses of about equal length, within the elapsed time.

struct Launch {
    Mark mark;
    Clock::time_point begun;
};

struct Watch {
    const unsigned forks = fork_count(); ///< A child has no thread for the launches of its parent.
    std::mutex mutex;                    ///< Protects all members below.
    std::vector<Launch> launches;
    bool runs = false;
};

Watch& watch() {
    static NoDestructor<Watch> one;
    return *one;
}

/// Removes the launches that are done. The mutex must be held.
void drop_done(Watch& all) {
    const Clock::time_point too_old = Clock::now() - watch_limit;
    std::erase_if(all.launches,
                  [&](const Launch& launch) { return launch.mark.is_reached() || launch.begun < too_old; });
    is_watching.store(!all.launches.empty(), std::memory_order_relaxed);
}

void keep_watch() {
    Watch& all = watch();
    while (true) {
        Clock::duration pause = shortest_pause;
        {
            const std::lock_guard lock(all.mutex);
            drop_done(all);
            if (all.launches.empty() || backend::process_is_exiting()) {
                all.runs = false;
                return;
            }
            register_exit_handler();
            pause = std::max(pause, (Clock::now() - all.launches.back().begun) / pauses);
        }
        sleep_thread(pause);
    }
}

} // namespace

void watch_first_launch(const Mark& launch) noexcept {
    try {
        Watch& all = watch();
        if (all.forks != fork_count()) {
            return;
        }
        const std::lock_guard lock(all.mutex);
        all.launches.push_back({launch, Clock::now()});
        is_watching.store(true, std::memory_order_relaxed);
        if (!all.runs) {
            Thread("ferry-watch", keep_watch).detach();
            all.runs = true;
        }
    } catch (const std::exception&) { // The system has no more threads or memory.
    }
}

void end_watch() noexcept {
    Watch& all = watch();
    if (all.forks != fork_count()) {
        return;
    }
    const std::lock_guard lock(all.mutex);
    const std::size_t before = all.launches.size();
    drop_done(all);
    if (all.launches.size() != before) {
        register_exit_handler();
    }
}

} // namespace ferry::detail
