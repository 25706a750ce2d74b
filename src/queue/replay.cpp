// SPDX-License-Identifier: Apache-2.0
// Enqueues recorded work on a queue.
#include "queue/queue_submit.hpp"
#include "queue/recording_state.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace ferry::detail {

using What = RecordedCommands::What;

/// Empty copies and fills only keep their position in a recording.
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
    if (pending_ == 0 && recording.graph() != nullptr && !sync_) {
        note(*commands);
        issue([&] { log_.add_replay(recording.summary(), where); },
              [&] { native_->replay(*recording.graph()); });
        if (commands->has_host_ranges()) {
            host_writes_.note(log_.last());
        }
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
        replay_staged(*commands, next);
        first = next + 1;
    }
    replay_part(commands, first, commands->size());
}

/// The copies of pageable memory that go through page-locked slots.
std::vector<std::size_t> QueueState::staged_commands(const RecordedCommands& commands) {
    std::vector<std::size_t> staged;
    for (std::size_t i = 0; commands.has_host_ranges() && i < commands.size(); ++i) {
        const RecordedCommands::Command& command = commands[i];
        if ((command.what == What::write && command.to.bytes > straight_up_ &&
             stages(command.host, command.to)) ||
            (command.what == What::read && command.from.bytes > straight_down_ &&
             stages(command.host, command.from))) {
            staged.push_back(i);
        }
    }
    return staged;
}

void QueueState::replay_staged(const RecordedCommands& commands, std::size_t index) {
    const RecordedCommands::Command& command = commands[index];
    const Way way = command.what == What::write ? Way::up : Way::down;
    const Region& region = way == Way::up ? command.to : command.from;
    carry_later(region, staged_copy(command.host, region, way), command.where);
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
    case What::write:
        note(Regions{command.to, {}});
        issue([&] { log_.add(CommandLog::What::copy, command.to.bytes, command.where); },
              [&] { native_->write(command.host, place_of(command.to), command.to.bytes); });
        break;
    case What::read:
        note(Regions{command.from, {}});
        issue([&] { log_.add(CommandLog::What::copy, command.from.bytes, command.where); },
              [&] { native_->read(place_of(command.from), command.host, command.from.bytes); });
        host_writes_.note(command.host, command.from.bytes, log_.last());
        break;
    case What::copy:
        note(Regions{command.from, command.to});
        issue([&] { log_.add(CommandLog::What::copy, command.to.bytes, command.where); },
              [&] { native_->copy(place_of(command.from), place_of(command.to), command.to.bytes); });
        break;
    }
}

} // namespace ferry::detail
