// SPDX-License-Identifier: Apache-2.0
#pragma once

// The commands of a queue, one struct for each. The queue, its backlog, recordings, the race check, the log
// and the trace all read these structs. A new command needs a kind with its text, and a struct with:
//
//   kind                the kind, which has the text
//   where               the caller's line
//   bytes()             the size in the log and the trace
//   for_each_access(f)  calls f(Access) for each range that it reads or writes
//   run(target)         makes the vendor's calls
//
// Optional members:
//
//   for_each_memory(f)  calls f(Memory&), if this is faster than for_each_access()
//   own(data)           copies the data that the caller may change later
//   title()             the text for the race check
//   label               a name for the log and the trace
#include "base/text.hpp"
#include "check/checker.hpp"
#include "memory/memory_state.hpp"
#include "program/kernel_state.hpp"
#include "queue/box_layout.hpp"
#include "queue/host_writes.hpp"

#include <ferry/argument.hpp>
#include <ferry/batch.hpp>
#include <ferry/grid.hpp>
#include <ferry/hints.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ferry::detail {

/// none: a command that is done or was not submitted to the vendor.
enum class CommandKind : std::uint8_t {
    none,
    copy,
    batch,
    fill,
    launch,
    replay,
    unmap,
    wait,
    mark,
    hint,
    other
};

struct CommandText {
    const char* name;   ///< In the trace and the race check. A label follows it.
    const char* before; ///< In an error, before the size or the label.
    const char* after = "";
    bool sized = false;           ///< It has a number of bytes.
    bool labelled = false;        ///< It has a label.
    bool can_fail = true;         ///< It can be the cause of an error of the device.
    bool runs_kernels = false;    ///< It is a more likely cause than other commands.
    const char* done = nullptr;   ///< What happens to its first bytes: "copied".
    const char* strict_call = ""; ///< The call in errors of the strict host device. Empty: none.
};

inline constexpr std::array<CommandText, 11> command_texts{{
    {.name = "command", .before = "A command", .can_fail = false},
    {.name = "copy", .before = "The copy of ", .sized = true, .done = "copied", .strict_call = "copy"},
    {.name = "batch of copies",
     .before = "The batch of copies of ",
     .after = " in all",
     .sized = true,
     .strict_call = "copy"},
    {.name = "fill", .before = "The fill of ", .sized = true, .done = "filled", .strict_call = "fill"},
    {.name = "launch", .before = "The launch of kernel ", .runs_kernels = true, .strict_call = "launch"},
    {.name = "replay of",
     .before = "The replay of ",
     .after = " (FERRY_SYNC=1 tells which of its commands it is)",
     .labelled = true,
     .runs_kernels = true},
    {.name = "unmap", .before = "The write-back of a mapping of ", .sized = true, .strict_call = "unmap"},
    {.name = "wait for an event", .before = "The wait for an event"},
    {.name = "mark", .before = "The mark ", .labelled = true, .can_fail = false},
    {.name = "hint", .before = "The hint about ", .sized = true},
    {.name = "command", .before = "A command"},
}};

constexpr const CommandText& command_text(CommandKind kind) noexcept {
    return command_texts[static_cast<std::size_t>(kind)];
}

/// The parts of a queue that a command needs to run.
struct CommandTarget {
    backend::Queue& queue;
    staging::HostWrites& host_writes;
    Timeline& timeline;
    std::vector<backend::BatchCopy>& batched; ///< A buffer whose capacity is kept.
    std::uint64_t number;                     ///< Of the command.
};

/// Owns copies of the data of a command that runs later.
class CommandData {
public:
    template <class T>
    std::span<const T> copy(std::span<const T> from) {
        auto made = std::make_shared<const std::vector<T>>(from.begin(), from.end());
        owners_.push_back(made);
        return *made;
    }
    void keep(std::shared_ptr<const void> owner) { owners_.push_back(std::move(owner)); }

private:
    std::vector<std::shared_ptr<const void>> owners_;
};

struct CommandBase {
    /// Whether it runs although an earlier command of the backlog failed.
    static constexpr bool runs_after_failure = false;

    std::size_t bytes() const noexcept { return 0; }
    void own(CommandData&) noexcept {}

    SourceLocation where;
};

struct WriteCommand : CommandBase {
    static constexpr CommandKind kind = CommandKind::copy;

    Region to;
    const void* host = nullptr;

    std::size_t bytes() const noexcept { return to.bytes; }
    template <class F>
    void for_each_access(F&& f) const {
        f(race::Access{{}, host, to.bytes, false});
        f(race::Access{to, nullptr, 0, true});
    }
    void run(const CommandTarget& on) const;
};

struct ReadCommand : CommandBase {
    static constexpr CommandKind kind = CommandKind::copy;

    Region from;
    void* host = nullptr;

    std::size_t bytes() const noexcept { return from.bytes; }
    template <class F>
    void for_each_access(F&& f) const {
        f(race::Access{from, nullptr, 0, false});
        f(race::Access{{}, host, from.bytes, true});
    }
    void run(const CommandTarget& on) const;
};

struct CopyCommand : CommandBase {
    static constexpr CommandKind kind = CommandKind::copy;

    Region from, to;
    bool peer = false; ///< Between two devices of the backend.

    std::size_t bytes() const noexcept { return to.bytes; }
    template <class F>
    void for_each_access(F&& f) const {
        f(race::Access{from, nullptr, 0, false});
        f(race::Access{to, nullptr, 0, true});
    }
    void run(const CommandTarget& on) const;
};

/// A copy of a box within a device, or between a device and host memory.
struct BoxCommand : CommandBase {
    static constexpr CommandKind kind = CommandKind::copy;

    BoxSide from, to;
    BoxCopy copy;

    std::size_t bytes() const noexcept { return copy.box.width * copy.box.height * copy.box.depth; }
    template <class F>
    void for_each_access(F&& f) const {
        const auto row = [&](const BoxSide& side, std::size_t at, bool writes) {
            const Region region{side.region.memory, side.region.offset + at, copy.box.width};
            f(region.memory != nullptr
                  ? race::Access{region, nullptr, 0, writes}
                  : race::Access{{}, static_cast<const std::byte*>(side.host) + at, copy.box.width, writes});
        };
        for (std::size_t z = 0; z < copy.box.depth; ++z) {
            for (std::size_t y = 0; y < copy.box.height; ++y) {
                row(from, z * copy.from.slice + y * copy.from.row, false);
                row(to, z * copy.to.slice + y * copy.to.row, true);
            }
        }
    }
    template <class F>
    void for_each_memory(F&& f) const {
        for (const BoxSide* const side : {&from, &to}) {
            if (side->region.memory != nullptr) {
                f(*side->region.memory);
            }
        }
    }
    std::string title() const {
        return "copy of " + std::to_string(copy.box.height * copy.box.depth) + " rows";
    }
    void run(const CommandTarget& on) const;
};

struct BatchCommand : CommandBase {
    static constexpr CommandKind kind = CommandKind::batch;

    std::span<const BatchedCopy> copies;
    std::size_t total = 0; ///< In bytes.

    std::size_t bytes() const noexcept { return total; }
    template <class F>
    void for_each_access(F&& f) const {
        for (const BatchedCopy& one : copies) {
            f(race::Access{one.from, one.host_from, one.from.bytes, false});
            f(race::Access{one.to, one.host_to, one.to.bytes, true});
        }
    }
    std::string title() const { return "batch of " + std::to_string(copies.size()) + " copies"; }
    void own(CommandData& data) { copies = data.copy(copies); }
    void run(const CommandTarget& on) const;
};

struct FillCommand : CommandBase {
    static constexpr CommandKind kind = CommandKind::fill;

    Region to;
    std::span<const std::byte> pattern;

    std::size_t bytes() const noexcept { return to.bytes; }
    template <class F>
    void for_each_access(F&& f) const {
        f(race::Access{to, nullptr, 0, true});
    }
    void own(CommandData& data) { pattern = data.copy(pattern); }
    void run(const CommandTarget& on) const;
};

struct LaunchCommand : CommandBase {
    static constexpr CommandKind kind = CommandKind::launch;

    /// A pointer, because a launch must not write to the shared count of owners.
    const std::shared_ptr<KernelState>* kernel = nullptr;
    Grid grid;
    std::span<const Argument> arguments;
    std::span<const backend::Argument> native; ///< The arguments in this form, if a recording has them.

    static bool is_memory(const Argument& argument) noexcept {
        return argument.kind == ArgumentKind::buffer && argument.region.memory != nullptr;
    }
    race::Access access(std::size_t i) const {
        return {arguments[i].region, nullptr, 0, may_write((*kernel)->info(), i, arguments[i])};
    }
    template <class F>
    void for_each_access(F&& f) const {
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (is_memory(arguments[i])) {
                f(access(i));
            }
        }
    }
    template <class F>
    void for_each_memory(F&& f) const {
        for (const Argument& argument : arguments) {
            if (is_memory(argument)) {
                f(*argument.region.memory);
            }
        }
    }
    std::string title() const { return "launch of kernel '" + (*kernel)->info().name + "'"; }
    void own(CommandData& data);
    void run(const CommandTarget& on) const;
};

struct UnmapCommand : CommandBase {
    static constexpr CommandKind kind = CommandKind::unmap;
    static constexpr bool runs_after_failure = true; // A mapping must end in any case.

    Region region;
    Map access{};
    void* host = nullptr;

    std::size_t bytes() const noexcept { return region.bytes; }
    template <class F>
    void for_each_access(F&& f) const {
        f(race::Access{region, nullptr, 0, access != Map::read});
    }
    void run(const CommandTarget& on) const;
};

/// Each caller makes its own vendor call.
struct WaitCommand : CommandBase {
    static constexpr CommandKind kind = CommandKind::wait;
};

/// A name at a position in the order of the queue.
struct MarkCommand : CommandBase {
    static constexpr CommandKind kind = CommandKind::mark;

    /// Throws Error (invalid_argument) for an empty name.
    MarkCommand(const SourceLocation& at, std::string_view name)
        : CommandBase{at}, label(std::make_shared<const std::string>(name)) {
        if (name.empty()) {
            throw Error(Code::invalid_argument, "The name of a mark is empty", at);
        }
    }

    std::shared_ptr<const std::string> label;

    template <class F>
    void for_each_access(F&&) const {}
    void run(const CommandTarget&) const noexcept {}
};

/// A prefetch, or advice. It reads and writes nothing.
struct HintCommand : CommandBase {
    static constexpr CommandKind kind = CommandKind::hint;

    Region region;
    std::variant<Prefetch, Advice> hint;

    std::size_t bytes() const noexcept { return region.bytes; }
    template <class F>
    void for_each_access(F&&) const {}
    template <class F>
    void for_each_memory(F&& f) const {
        f(*region.memory);
    }
    void run(const CommandTarget& on) const;
};

/// A use of memory by host work that is not one of the other commands: a staged copy, a file, a mapping.
struct HostCommand : CommandBase {
    static constexpr CommandKind kind = CommandKind::copy;

    Region region;

    std::size_t bytes() const noexcept { return region.bytes; }
    template <class F>
    void for_each_memory(F&& f) const {
        if (region.memory != nullptr) {
            f(*region.memory);
        }
    }
};

/// The commands that a recording can have.
using RecordableCommand =
    std::variant<WriteCommand, ReadCommand, CopyCommand, FillCommand, LaunchCommand, MarkCommand>;

template <class C, class F>
void for_each_memory(const C& command, F&& f) {
    if constexpr (requires { command.for_each_memory(f); }) {
        command.for_each_memory(f);
    } else {
        command.for_each_access([&](const race::Access& access) {
            if (access.region.memory != nullptr) {
                f(*access.region.memory);
            }
        });
    }
}

/// For the race check.
template <class C>
std::string title_of(const C& command) {
    if constexpr (requires { command.title(); }) {
        return command.title();
    } else {
        return std::string(command_text(C::kind).name) + " of " + in_bytes(command.bytes());
    }
}

/// A command with everything that it needs to run later.
template <class C>
struct KeptCommand {
    explicit KeptCommand(const C& from) : command(from) {
        detail::for_each_memory(command, [&](Memory& memory) { data.keep(memory.shared_from_this()); });
        command.own(data);
    }
    KeptCommand(const KeptCommand&) = delete;
    KeptCommand& operator=(const KeptCommand&) = delete;
    ~KeptCommand() = default;

    C command;
    CommandData data;
};

} // namespace ferry::detail
