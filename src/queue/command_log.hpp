// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/grid_text.hpp"
#include "queue/command.hpp"

#include <ferry/argument.hpp>
#include <ferry/error.hpp>
#include <ferry/grid.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>

namespace ferry::detail {

class KernelState;

/// The last commands of a queue, so that an error reported later by the device can name its command. Adding
/// one is a few stores and allocates nothing; text is made only for an error. Protected by the queue's mutex.
class CommandLog {
public:
    /// Commands are numbered from `base` + 1 on, and everything up to `base` is done.
    explicit CommandLog(std::uint64_t base = 0) noexcept : last_(base), completed_(base) {}

    /// Each returns the command's number.
    template <class C>
    std::uint64_t add(const C& command) noexcept {
        if constexpr (requires { command.label; }) {
            return add(C::kind, command.label, command.where);
        } else {
            return add(C::kind, command.bytes(), command.where);
        }
    }
    std::uint64_t add(const LaunchCommand& launch) noexcept;
    std::uint64_t add(CommandKind kind, std::size_t bytes, const SourceLocation& where) noexcept {
        next(kind, bytes, where);
        return last_;
    }

    std::uint64_t last() const noexcept { return last_; }
    /// Whether a kernel was ever launched.
    bool has_launches() const noexcept { return has_launches_; }
    /// The command just added. Valid until another one is added.
    struct Latest {
        CommandKind kind{};
        std::uint64_t number = 0;
        std::size_t bytes = 0;               ///< 0: the command has no size.
        const KernelState* kernel = nullptr; ///< Of a launch.
        const std::string* label = nullptr;  ///< Null: none.
        Grid grid;
        SourceLocation where;
    };
    Latest latest() const noexcept;
    /// Everything up to this number is done.
    void completed(std::uint64_t number) noexcept { completed_ = number > completed_ ? number : completed_; }

    bool is_completed(std::uint64_t number) const noexcept { return number <= completed_; }

    /// Attributes the vendor's error to the command that caused it: kernels not known to be done, otherwise
    /// the other commands. `upto` is the last possible cause. Names several commands if the right one cannot
    /// be determined.
    struct Blame {
        Error error;
        /// The oldest possible cause: events after it are not reported as successful.
        std::uint64_t command;
    };
    Blame blame(const Error& error, std::uint64_t upto) const;
    /// The same for the command just added, which is certain.
    Error blame_last(const Error& error) const;
    /// The error of the command just added, with the part that the vendor accepted before the failed call:
    /// its bytes, and whether it includes a kernel. That part is performed.
    Error with_part(const Error& error, std::size_t taken, bool launched) const;
    /// The command just added was not submitted to the vendor. Its number is not used again.
    void drop_last() noexcept { commands_[last_ % kept_commands].kind = CommandKind::none; }

private:
    static constexpr std::size_t kept_commands = 32; // A few cache lines, so that writing one stays cheap.
    static constexpr std::size_t kept_arguments = 6;
    static constexpr std::size_t kernel_places = 64; // A power of two, and more than the number of kept
                                                     // commands.

    /// The stored part of an argument: its value, or the size of the buffer or local memory.
    using Value = std::array<unsigned char, 8>;

    /// Two cache lines.
    struct alignas(64) Command {
        CommandKind kind{};
        std::uint8_t kernel = 0; ///< Its place in kernels_.
        std::array<ArgumentKind, kept_arguments> kinds{};
        std::array<ScalarType, kept_arguments> types{};
        std::uint16_t argument_count = 0;
        SourceLocation where;
        Value values[kept_arguments]{}; ///< Of the arguments. For other commands, the first is the size.
        Dim3 groups;
        std::uint32_t local[3]{}; ///< Sufficient, because a group has fewer work-items.
        bool has_offset = false;  ///< It is stored in offsets_.
    };

    static_assert(sizeof(Command) == 128);

    /// A kernel of one or more of the kept commands. Owned here once and not by each command, because all
    /// queues that launch it share the count of its owners. A launch therefore writes nothing shared.
    struct KernelPlace {
        const KernelState* kernel = nullptr;
        std::uint64_t used = 0; ///< The last command that launched it.
        std::shared_ptr<KernelState> owner;
    };

    std::uint64_t add(CommandKind kind, const std::shared_ptr<const std::string>& label,
                      const SourceLocation& where) noexcept;
    Command& next(CommandKind kind, std::size_t bytes, const SourceLocation& where) noexcept {
        ++last_;
        Command& command = commands_[last_ % kept_commands];
        command.kind = kind;
        std::memcpy(command.values[0].data(), &bytes, sizeof bytes);
        command.where = where;
        return command;
    }
    std::uint8_t place_of(const std::shared_ptr<KernelState>& kernel) noexcept;
    std::uint8_t take_place(const std::shared_ptr<KernelState>& kernel) noexcept;
    static std::size_t size_of(const Command& command) noexcept;
    Grid grid_of(const Command& command) const noexcept;
    static std::string arguments_text(const Command& command);
    std::string describe(const Command& command) const;
    static bool is_suspect(CommandKind kind, const Error& error, bool kernels);

    std::uint64_t last_;
    std::uint64_t completed_;
    bool has_launches_ = false;
    std::array<Command, kept_commands> commands_;
    std::array<KernelPlace, kernel_places> kernels_;
    std::array<std::shared_ptr<const std::string>, kept_commands> labels_; ///< Of commands that have one.
    std::array<Dim3, kept_commands> offsets_;                              ///< Of launches that have one.
};

} // namespace ferry::detail
