// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device_state.hpp"
#include "hal/backend.hpp"
#include "queue/command.hpp"

#include <ferry/recording.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ferry::detail {

/// The commands of a recording with all their data, in the form of the backend. Copied when an argument is
/// changed while a replay still needs the old one.
class RecordedCommands {
public:
    struct Entry {
        RecordableCommand command;
        std::uint32_t line = 0;
        std::vector<std::uint32_t> after{};    ///< Commands of other lines that it waits for.
        std::shared_ptr<KernelState> kernel{}; ///< launch.
        std::size_t first_argument = 0;        ///< launch.
        std::size_t pattern = 0;               ///< fill: its position in the values.

        const LaunchCommand* launch() const noexcept { return std::get_if<LaunchCommand>(&command); }
        CommandKind kind() const noexcept {
            return std::visit([](const auto& c) { return c.kind; }, command);
        }
    };

    RecordedCommands() = default;
    RecordedCommands(const RecordedCommands& other);
    RecordedCommands& operator=(const RecordedCommands&) = delete;
    ~RecordedCommands() = default;

    std::size_t size() const noexcept { return entries_.size(); }
    const Entry& operator[](std::size_t index) const noexcept { return entries_[index]; }
    /// Calls f(Memory&) for every buffer once.
    template <class F>
    void for_each_memory(F&& f) const {
        for (Memory* const memory : used_) {
            f(*memory);
        }
    }

    /// Captures the data of the command.
    std::uint32_t add(Entry entry);
    void set_argument(std::size_t index, std::size_t argument, const Argument& to);
    void set_grid(std::size_t index, const Grid& grid) {
        std::get<LaunchCommand>(entries_[index].command).grid = grid;
    }
    /// Call after the last command: nothing is added any more. The commands can be read from then on.
    void complete();

    bool has_host_ranges() const noexcept { return host_ranges_; }
    /// Throws Error (invalid_state) if one of the buffers is mapped for writing, or is mapped for reading and
    /// written.
    void check_mapped(SourceLocation where) const;

private:
    void add_arguments(Entry& entry, std::span<const Argument> arguments);
    void point_at_values();
    void keep_memory(const Region& region);
    void list_used();

    std::vector<Entry> entries_;
    std::vector<Argument> arguments_;
    std::vector<backend::Argument> native_;
    std::vector<std::size_t> value_at_;             ///< Of each argument, in values_.
    std::vector<std::shared_ptr<Memory>> owners_;   ///< Of each argument.
    std::vector<std::shared_ptr<Memory>> memories_; ///< Of the copies and fills, each once.
    std::vector<Memory*> used_;                     ///< Of both, each once.
    std::vector<std::byte> values_;
    bool host_ranges_ = false;
};

/// Implementation of Recording.
class RecordingState {
public:
    explicit RecordingState(DeviceState& device) : device_(&device) {}

    DeviceState& device() const noexcept { return *device_; }

    // While it is recorded.
    void check_open(SourceLocation where) const;
    Step add(RecordableCommand command, std::size_t line);
    std::size_t branch(std::size_t line);
    void wait(std::size_t line, const Step& step, SourceLocation where);
    void wait_line(std::size_t line, const RecordingState& of, std::size_t other, SourceLocation where);
    void complete();

    // Afterwards.
    void set(const Step& step, std::size_t index, const Argument& argument, SourceLocation where);
    void set_grid(const Step& step, const Grid& grid, SourceLocation where);
    std::size_t size() const noexcept { return size_; }
    std::string explain() const;

    /// For a replay, under mutex().
    std::mutex& mutex() const noexcept { return mutex_; }
    const std::shared_ptr<RecordedCommands>& recorded() const noexcept { return commands_; }
    backend::Graph* graph() const noexcept { return graph_.get(); }
    /// "A replay of 3 commands, with launches of kernels 'a' and 'b'", for messages.
    const std::shared_ptr<const std::string>& summary() const noexcept { return summary_; }

private:
    const LaunchCommand& launch_of(const Step& step, SourceLocation where) const;
    RecordedCommands& writable();
    void update_graph(std::size_t index);
    void make_graph();
    void prepare(const RecordedCommands::Entry& entry) const;

    struct Line {
        std::optional<std::uint32_t> last;
        std::vector<std::uint32_t> after; ///< The commands that its next command waits for.
    };

    static std::uintptr_t next_serial() noexcept;

    DeviceState* device_;
    const std::uintptr_t serial_ = next_serial(); ///< For its steps, which may outlive it.
    mutable std::mutex mutex_;                    ///< Protects commands_, graph_, explanation_.
    bool open_ = true;
    std::size_t size_ = 0; ///< Constant once it is complete.
    std::vector<Line> lines_{1};
    std::shared_ptr<RecordedCommands> commands_ = std::make_shared<RecordedCommands>();
    std::unique_ptr<backend::Graph> graph_;
    std::string explanation_;
    std::shared_ptr<const std::string> summary_;
};

/// A replay as one command. Requires the mutex of the recording.
struct ReplayCommand : CommandBase {
    static constexpr CommandKind kind = CommandKind::replay;

    ReplayCommand(const SourceLocation& at, const RecordingState& of)
        : CommandBase{at}, recording(of), label(of.summary()) {}

    const RecordingState& recording;
    const std::shared_ptr<const std::string>& label;

    template <class F>
    void for_each_access(F&& f) const {
        const RecordedCommands& commands = *recording.recorded();
        for (std::size_t i = 0; i < commands.size(); ++i) {
            std::visit([&](const auto& command) { command.for_each_access(f); }, commands[i].command);
        }
    }
    template <class F>
    void for_each_memory(F&& f) const {
        recording.recorded()->for_each_memory(f);
    }
    std::string title() const { return "replay of " + std::to_string(recording.size()) + " commands"; }
    void run(const CommandTarget& on) const { on.queue.replay(*recording.graph()); }
};

} // namespace ferry::detail
