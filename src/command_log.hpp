// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// The last commands of a queue, so that an error that the device reports later can name its command.
/// Adding one is a few stores and allocates nothing; words are made only for an error. Guarded by the
/// queue's mutex.
class CommandLog {
public:
    /// none: what cannot be to blame, because it is done or has not reached the vendor.
    enum class What : std::uint8_t { none, copy, batch, fill, launch, replay, unmap, wait, other };

    /// Commands are numbered from `base` + 1 on, and everything up to `base` is done.
    explicit CommandLog(std::uint64_t base = 0) noexcept : last_(base), completed_(base) {}

    /// Each returns the command's number.
    std::uint64_t add(What what, std::size_t bytes, const SourceLocation& where) noexcept {
        next(what, bytes, where);
        return last_;
    }
    std::uint64_t add_launch(const std::shared_ptr<KernelState>& kernel, const Grid& grid,
                             std::span<const Argument> arguments, const SourceLocation& where) noexcept;
    /// `recording` says of what, for messages.
    std::uint64_t add_replay(const std::shared_ptr<const std::string>& recording,
                             const SourceLocation& where) noexcept;

    std::uint64_t last() const noexcept { return last_; }
    /// Whether a kernel was ever launched.
    bool has_launches() const noexcept { return has_launches_; }
    /// The command just added, for as long as no other is.
    struct Latest {
        What what{};
        std::uint64_t number = 0;
        std::size_t bytes = 0;                  ///< of a copy, batch, fill or unmap
        const KernelState* kernel = nullptr;    ///< of a launch
        const std::string* recording = nullptr; ///< of a replay
        Grid grid;
        SourceLocation where;
    };
    Latest latest() const noexcept;
    /// Everything up to that number is done.
    void completed(std::uint64_t number) noexcept { completed_ = number > completed_ ? number : completed_; }

    bool is_completed(std::uint64_t number) const noexcept { return number <= completed_; }

    /// The vendor's error in the words of the command that caused it: kernels not known to be done, or
    /// else the other commands. `upto` is the last command that can be to blame. Names several if it
    /// cannot be known which one failed.
    struct Blame {
        Error error;
        /// The oldest one that can be to blame: an event behind it is not told that all went well.
        std::uint64_t command;
    };
    Blame blame(const Error& error, std::uint64_t upto) const;
    /// The same for the command just added, without doubt.
    Error blame_last(const Error& error) const;
    /// The error of the command just added, with the part of it that the vendor took before the call that
    /// failed, in bytes, and whether that includes a kernel. That part is carried out.
    Error with_part(const Error& error, std::size_t taken, bool launched) const;
    /// The command just added did not reach the vendor. Its number is not used again.
    void drop_last() noexcept { commands_[last_ % kept_commands].what = What::none; }

private:
    static constexpr std::size_t kept_commands = 32; // few cache lines, so that writing one stays cheap
    static constexpr std::size_t kept_arguments = 6;
    static constexpr std::size_t kernel_places = 64; // a power of two, and more than commands are kept

    /// What is told of an argument: its value, or the size of the buffer or local memory.
    using Value = std::array<unsigned char, 8>;

    /// Two cache lines.
    struct alignas(64) Command {
        What what{};
        std::uint8_t kernel = 0; ///< its place in kernels_
        std::array<Argument::Kind, kept_arguments> kinds{};
        std::array<ScalarType, kept_arguments> types{};
        std::uint16_t argument_count = 0;
        SourceLocation where;
        Value values[kept_arguments]{}; ///< of the arguments; of another command, the first is its size
        Dim3 groups;
        std::uint32_t local[3]{}; ///< a group has fewer work-items
        bool has_offset = false;  ///< it stands in offsets_
    };

    static_assert(sizeof(Command) == 128);

    /// A kernel of one or more of the kept commands. Held here once, not by each command: the count of its
    /// owners is shared by all queues that launch it, and a launch writes nothing shared.
    struct KernelPlace {
        const KernelState* kernel = nullptr;
        std::uint64_t used = 0; ///< the last command that launched it
        std::shared_ptr<KernelState> owner;
    };

    Command& next(What what, std::size_t bytes, const SourceLocation& where) noexcept {
        ++last_;
        Command& command = commands_[last_ % kept_commands];
        command.what = what;
        std::memcpy(command.values[0].data(), &bytes, sizeof bytes);
        command.where = where;
        return command;
    }
    std::uint8_t place_of(const std::shared_ptr<KernelState>& kernel) noexcept;
    std::uint8_t take_place(const std::shared_ptr<KernelState>& kernel) noexcept;
    Grid grid_of(const Command& command) const noexcept;
    std::string describe(const Command& command) const;
    static bool is_suspect(What what, const Error& error, bool kernels);

    std::uint64_t last_;
    std::uint64_t completed_;
    bool has_launches_ = false;
    std::array<Command, kept_commands> commands_;
    std::array<KernelPlace, kernel_places> kernels_;
    std::array<std::shared_ptr<const std::string>, kept_commands> recordings_; ///< of the replays
    std::array<Dim3, kept_commands> offsets_;                                  ///< of launches that have one
};

/// "4x1x1 groups of 256x1x1", "... at the offset (5, 0, 0)"
std::string describe(const Grid& grid);

} // namespace ferry::detail
