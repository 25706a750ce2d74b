// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check/checker.hpp"
#include "queue/command.hpp"
#include "queue/queue_state.hpp"

#include <span>
#include <string>
#include <vector>

// Descriptions of commands that are about to be enqueued, for the race check. These functions throw the
// errors of Checker::access().
namespace ferry::detail {
class RecordingState;
}
namespace ferry::detail::race {

void note(const QueueState& queue, std::string title, std::span<const Access> accesses,
          const SourceLocation& where);
template <class C>
void note(const QueueState& queue, const C& command) {
    if (queue.race() != host) [[unlikely]] {
        std::vector<Access> accesses;
        command.for_each_access([&](const Access& access) { accesses.push_back(access); });
        note(queue, title_of(command), accesses, command.where);
    }
}
/// Checks the launch arguments that are not shares against the existing shares, before those of the launch
/// are locked. Throws the errors of check_direct_use() and check_alive().
void check_direct_use(const QueueState& queue, const LaunchCommand& launch, std::span<const ShareUse> uses);
/// All its commands as one, because the recording itself orders them.
void note_replay(const QueueState& queue, const RecordingState& recording, SourceLocation where);

} // namespace ferry::detail::race
