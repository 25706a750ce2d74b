// SPDX-License-Identifier: Apache-2.0
// How a queue enqueues recorded work.
#include "queue_submit.hpp"
#include "recording_state.hpp"

namespace ferry::detail {

using What = RecordedCommands::What;

/// Copies and fills of nothing keep their place in a recording, and no more.
static bool is_empty(const RecordedCommands::Command& command) {
    return command.what != What::launch && command.from.bytes == 0 && command.to.bytes == 0;
}

template <class F>
void QueueState::for_each_memory(const RecordedCommands& used, F&& f) {
    for (Memory* const memory : used.memories()) {
        f(*memory);
    }
}

void QueueState::replay(const RecordingState& recording, const SourceLocation& where) {
    // In this order: setting an argument takes the recording's lock alone.
    const std::lock_guard recorded(recording.mutex());
    const std::shared_ptr<RecordedCommands>& commands = recording.recorded();
    commands->check_mapped(where);
    if (commands->has_host_ranges()) {
        device_->check_alive(where);
        replay_with_host(*commands);
        return;
    }
    Lock lock(mutex_);
    device_->check_alive(where);
    while (!is_admitted(*commands)) {
        admit(*commands, where);
        device_->check_alive(where);
    }
    if (pending_ != 0) {
        // As a list: the graph may have other arguments by then.
        defer([this, commands](const Error* failed) {
            if (failed == nullptr) {
                const Lock held(mutex_);
                replay_commands(*commands);
            }
        });
    } else if (recording.graph() != nullptr && !sync_) {
        note(*commands);
        issue([&] { log_.add_replay(recording.summary(), where); },
              [&] { native_->replay(*recording.graph()); });
    } else {
        replay_commands(*commands);
    }
}

void QueueState::replay_commands(const RecordedCommands& commands) {
    for (std::size_t i = 0; i < commands.size(); ++i) {
        if (!is_empty(commands[i])) {
            run_recorded(commands, i);
            sync_if_asked();
        }
    }
}

void QueueState::run_recorded(const RecordedCommands& commands, std::size_t index) {
    const RecordedCommands::Command& command = commands[index];
    switch (command.what) {
    case What::launch:
        note(commands.arguments(command));
        issue(
            [&] {
                log_.add_launch(command.kernel, command.grid, commands.arguments(command), command.where);
            },
            [&] {
                native_->launch(command.kernel->native(), command.grid, commands.native_arguments(command));
                note_launched(*command.kernel);
            });
        break;
    case What::fill:
        note(Regions{command.to, {}});
        issue([&] { log_.add(CommandLog::What::fill, command.to.bytes, command.where); },
              [&] {
                  native_->fill(place_of(command.to), command.to.bytes, commands.pattern(command),
                                command.pattern_bytes);
              });
        break;
    default:
        note(Regions{command.from, command.to});
        issue([&] { log_.add(CommandLog::What::copy, command.to.bytes, command.where); },
              [&] { native_->copy(place_of(command.from), place_of(command.to), command.to.bytes); });
        break;
    }
}

// Host memory may need staging, which takes the queue's lock as it needs it.
void QueueState::replay_with_host(const RecordedCommands& commands) {
    for (std::size_t i = 0; i < commands.size(); ++i) {
        const RecordedCommands::Command& command = commands[i];
        if (is_empty(command)) {
            continue;
        }
        switch (command.what) {
        case What::write:
            write(command.host, command.to, command.where);
            break;
        case What::read:
            read(command.from, command.host, command.where);
            break;
        case What::copy:
            copy(command.from, command.to, command.where);
            break;
        case What::fill:
            fill(command.to, commands.pattern(command), command.pattern_bytes, command.where);
            break;
        case What::launch:
            launch(command.kernel, command.grid, commands.arguments(command), command.where);
            break;
        }
    }
}

} // namespace ferry::detail
