// SPDX-License-Identifier: Apache-2.0
#include "queue/race_notes.hpp"

#include "base/text.hpp"
#include "check/race.hpp"
#include "queue/recording_state.hpp"

#include <array>
#include <mutex>
#include <string>
#include <vector>

namespace ferry::detail::race {
namespace {

bool is_memory(const Argument& argument) {
    return argument.kind == Argument::Kind::buffer && argument.region.memory != nullptr;
}

Access access_of(const KernelInfo& kernel, std::span<const Argument> arguments, std::size_t i) {
    return {arguments[i].region, nullptr, 0, may_write(kernel, i, arguments[i])};
}

void add_arguments(std::vector<Access>& accesses, const KernelInfo& kernel,
                   std::span<const Argument> arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (is_memory(arguments[i])) {
            accesses.push_back(access_of(kernel, arguments, i));
        }
    }
}

std::string launch_of(const KernelInfo& kernel) {
    return "launch of kernel '" + kernel.name + "'";
}

} // namespace

void note(const QueueState& queue, const char* what, const Access& first, const Access& second,
          SourceLocation where) {
    const std::array<Access, 2> accesses{first, second};
    const std::size_t bytes = first.region.memory != nullptr ? first.region.bytes : first.bytes;
    Checker::get().access(queue.race(), what + std::string(" of ") + in_bytes(bytes), accesses, where);
}

void note_launch(const QueueState& queue, const KernelState& kernel, std::span<const Argument> arguments,
                 SourceLocation where) {
    std::vector<Access> accesses;
    add_arguments(accesses, kernel.info(), arguments);
    Checker::get().access(queue.race(), launch_of(kernel.info()), accesses, where);
}

void check_direct_use(const QueueState& queue, const KernelState& kernel, std::span<const Argument> arguments,
                      std::span<const ShareUse> uses, SourceLocation where) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!uses[i].shared && is_memory(arguments[i])) {
            check_alive(queue.race(), "launch", arguments[i].region, where);
            Checker::check_direct_use(launch_of(kernel.info()), access_of(kernel.info(), arguments, i),
                                      where);
        }
    }
}

void note_replay(const QueueState& queue, const RecordingState& recording, SourceLocation where) {
    std::vector<Access> accesses;
    const std::lock_guard lock(recording.mutex());
    const RecordedCommands& commands = *recording.recorded();
    for (std::size_t i = 0; i < commands.size(); ++i) {
        using What = RecordedCommands::What;
        const auto& command = commands[i];
        if (command.what == What::launch) {
            add_arguments(accesses, command.kernel->info(), commands.arguments(command));
            continue;
        }
        const auto host_range = [&](std::size_t bytes, bool writes) {
            accesses.push_back({{}, command.host, bytes, writes});
        };
        if (command.what == What::write) {
            host_range(command.to.bytes, false);
        } else {
            accesses.push_back({command.from, nullptr, 0, false}); // Empty for a fill.
        }
        if (command.what == What::read) {
            host_range(command.from.bytes, true);
        } else {
            accesses.push_back({command.to, nullptr, 0, true});
        }
    }
    Checker::get().access(queue.race(), "replay of " + std::to_string(commands.size()) + " commands",
                          accesses, where);
}

void note_rows(const QueueState& queue, const BoxSide& from, const BoxSide& to, const BoxCopy& copy,
               SourceLocation where) {
    const backend::Box& box = copy.box;
    std::vector<Access> accesses;
    const auto add = [&](const BoxSide& side, std::size_t at, bool writes) {
        const Region row{side.region.memory, side.region.offset + at, box.width};
        accesses.push_back(
            row.memory != nullptr
                ? Access{row, nullptr, 0, writes}
                : Access{{}, static_cast<const std::byte*>(side.host) + at, box.width, writes});
    };
    for (std::size_t z = 0; z < box.depth; ++z) {
        for (std::size_t y = 0; y < box.height; ++y) {
            add(from, z * copy.from.slice + y * copy.from.row, false);
            add(to, z * copy.to.slice + y * copy.to.row, true);
        }
    }
    Checker::get().access(queue.race(), "copy of " + std::to_string(box.height * box.depth) + " rows",
                          accesses, where);
}

void note_batch(const QueueState& queue, std::span<const BatchedCopy> copies, SourceLocation where) {
    std::vector<Access> accesses;
    for (const BatchedCopy& one : copies) {
        accesses.push_back({one.from, one.host_from, one.from.bytes, false});
        accesses.push_back({one.to, one.host_to, one.to.bytes, true});
    }
    Checker::get().access(queue.race(), "batch of " + std::to_string(copies.size()) + " copies", accesses,
                          where);
}

} // namespace ferry::detail::race
