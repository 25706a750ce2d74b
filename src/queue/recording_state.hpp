// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device_state.hpp"
#include "hal/backend.hpp"
#include "memory/memory_state.hpp"
#include "program/kernel_state.hpp"

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
    enum class What : std::uint8_t { write, read, copy, fill, launch };

    struct Command {
        What what{};
        Region from;                                ///< read, copy.
        Region to;                                  ///< write, copy, fill.
        void* host = nullptr;                       ///< write, read.
        std::size_t pattern = 0, pattern_bytes = 0; ///< fill: its position in the values.
        std::shared_ptr<KernelState> kernel;        ///< launch.
        Grid grid;
        std::size_t first_argument = 0, argument_count = 0;
        std::uint32_t line = 0;
        std::vector<std::uint32_t> after; ///< Commands of other lines that it waits for.
        SourceLocation where;
    };

    RecordedCommands() = default;
    RecordedCommands(const RecordedCommands& other);
    RecordedCommands& operator=(const RecordedCommands&) = delete;
    ~RecordedCommands() = default;

    std::size_t size() const noexcept { return commands_.size(); }
    const Command& operator[](std::size_t index) const noexcept { return commands_[index]; }
    std::span<const Argument> arguments(const Command& command) const noexcept {
        return {arguments_.data() + command.first_argument, command.argument_count};
    }
    std::span<const backend::Argument> native_arguments(const Command& command) const noexcept {
        return {native_.data() + command.first_argument, command.argument_count};
    }
    /// Every buffer, each once.
    std::span<Memory* const> memories() const noexcept { return used_; }
    const void* pattern(const Command& command) const noexcept { return values_.data() + command.pattern; }

    std::uint32_t add(Command command);
    void add_arguments(Command& command, std::span<const Argument> arguments);
    void add_pattern(Command& command, const void* pattern, std::size_t bytes);
    void set_argument(std::size_t index, std::size_t argument, const Argument& to);
    void set_grid(std::size_t index, const Grid& grid) { commands_[index].grid = grid; }
    /// Call after the last command: nothing is added any more.
    void complete();

    bool has_host_ranges() const noexcept { return host_ranges_; }
    std::uint32_t lines() const noexcept { return lines_; }
    void count_line() noexcept { ++lines_; }
    /// Throws Error (invalid_state) if one of the buffers is mapped for writing, or is mapped for reading and
    /// written.
    void check_mapped(SourceLocation where) const;

private:
    void point_at_values();
    void keep_memory(const Region& region);
    void list_used();

    std::vector<Command> commands_;
    std::vector<Argument> arguments_;
    std::vector<backend::Argument> native_;
    std::vector<std::size_t> value_at_;             ///< Of each argument, in values_.
    std::vector<std::shared_ptr<Memory>> owners_;   ///< Of each argument.
    std::vector<std::shared_ptr<Memory>> memories_; ///< Of the copies and fills, each once.
    std::vector<Memory*> used_;                     ///< Of both, each once.
    std::vector<std::byte> values_;
    bool host_ranges_ = false;
    std::uint32_t lines_ = 1;
};

/// Implementation of Recording.
class RecordingState {
public:
    explicit RecordingState(DeviceState& device) : device_(&device) {}

    DeviceState& device() const noexcept { return *device_; }

    // While it is recorded.
    void check_open(SourceLocation where) const;
    Step add(RecordedCommands::Command command, std::size_t line);
    RecordedCommands& commands() noexcept { return *commands_; }
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
    const RecordedCommands::Command& launch_of(const Step& step, SourceLocation where) const;
    RecordedCommands& writable();
    void update_graph(std::size_t index);
    void make_graph();

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

} // namespace ferry::detail
