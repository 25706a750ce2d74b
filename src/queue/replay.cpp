// SPDX-License-Identifier: Apache-2.0
// Enqueues recorded work on a queue.
#include "queue/queue_submit.hpp"
#include "queue/recording_state.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace ferry::detail {

/// The marks of a graph would have no times in the trace.
static bool has_marks(const RecordedCommands& commands) {
    bool any = false;
    for (std::size_t i = 0; i < commands.size(); ++i) {
        any = any || commands[i].kind() == CommandKind::mark;
    }
    return any;
}

void QueueState::replay(const RecordingState& recording, const SourceLocation& where) {
    // In this order, because setting an argument takes the recording's lock alone.
    const std::lock_guard recorded(recording.mutex());
    const std::shared_ptr<RecordedCommands>& commands = recording.recorded();
    commands->check_mapped(where);
    const std::vector<std::size_t> staged = staged_commands(*commands); // May query the driver.
    Lock lock(mutex_);
    check_alive(where);
    while (!is_admitted(*commands)) {
        admit(*commands, where);
        check_alive(where);
    }
    if (pending_ == 0 && recording.graph() != nullptr && !sync_ &&
        (trace_ == nullptr || !has_marks(*commands))) {
        const ReplayCommand command(where, recording);
        note(command);
        issue(command);
        return;
    }
    // The mutex stays locked, so that no other thread intervenes: the commands in the backlog stay pending
    // until it is released, and all later ones are appended to it.
    if (!staged.empty()) {
        backlog_.prepare();
    }
    std::size_t first = 0;
    for (const std::size_t next : staged) {
        replay_part(commands, first, next);
        std::visit([&](const auto& command) { stage_later(command); }, (*commands)[next].command);
        first = next + 1;
    }
    replay_part(commands, first, commands->size());
}

/// The copies of pageable memory that go through page-locked slots.
std::vector<std::size_t> QueueState::staged_commands(const RecordedCommands& commands) {
    std::vector<std::size_t> staged;
    for (std::size_t i = 0; commands.has_host_ranges() && i < commands.size(); ++i) {
        if (std::visit([&](const auto& command) { return is_staged(command); }, commands[i].command)) {
            staged.push_back(i);
        }
    }
    return staged;
}

void QueueState::replay_part(const std::shared_ptr<RecordedCommands>& commands, std::size_t first,
                             std::size_t end) {
    if (pending_ == 0) {
        replay_commands(*commands, first, end);
    } else if (first != end) {
        // As a list, because the graph may have other arguments by then.
        defer([this, commands, first, end](const Error* failed) {
            if (failed == nullptr) {
                const Lock held(mutex_);
                replay_commands(*commands, first, end);
            }
        });
        note_deferred(*commands);
    }
}

void QueueState::replay_commands(const RecordedCommands& commands, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
        std::visit(
            [&](const auto& command) {
                // Empty copies and fills only keep their position in a recording.
                if (!command_text(command.kind).sized || command.bytes() != 0) {
                    note(command);
                    issue(command);
                    sync_if_asked();
                }
            },
            commands[i].command);
    }
}

} // namespace ferry::detail
