// SPDX-License-Identifier: Apache-2.0
#include "queue/race_notes.hpp"

#include "check/race.hpp"
#include "queue/recording_state.hpp"

#include <mutex>
#include <utility>

namespace ferry::detail::race {

void note(const QueueState& queue, std::string title, std::span<const Access> accesses,
          const SourceLocation& where) {
    Checker::get().access(queue.race(), std::move(title), accesses, where);
}

void check_direct_use(const QueueState& queue, const LaunchCommand& launch, std::span<const ShareUse> uses) {
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        if (!uses[i].shared && LaunchCommand::is_memory(launch.arguments[i])) {
            check_alive(queue.race(), "launch", launch.arguments[i].region, launch.where);
            Checker::check_direct_use(title_of(launch), launch.access(i), launch.where);
        }
    }
}

void note_replay(const QueueState& queue, const RecordingState& recording, SourceLocation where) {
    if (queue.race() != host) [[unlikely]] {
        const std::lock_guard lock(recording.mutex());
        note(queue, ReplayCommand(where, recording));
    }
}

} // namespace ferry::detail::race
