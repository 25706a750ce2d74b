// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/argument.hpp>
#include <ferry/error.hpp>
#include <ferry/grid.hpp>

#include <array>
#include <cstdint>
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
    enum class What : std::uint8_t { copy, batch, fill, launch, unmap, wait, other };

    static constexpr std::size_t kept_arguments = 6;
    struct KeptArgument {
        Argument::Kind kind{};
        ScalarType type{};
        std::uint32_t bytes = 0;              ///< of a value
        std::array<unsigned char, 8> value{}; ///< of the value, or the size of the buffer or local memory
    };
    struct Command {
        What what{};
        std::uint64_t number = 0;
        std::size_t bytes = 0;
        std::shared_ptr<KernelState> kernel;
        Grid grid;
        std::uint32_t argument_count = 0;
        std::array<KeptArgument, kept_arguments> arguments;
        SourceLocation where;
    };

    /// Each returns the command's number, counted from 1.
    std::uint64_t add(What what, std::size_t bytes, SourceLocation where) noexcept;
    std::uint64_t add_launch(const std::shared_ptr<KernelState>& kernel, const Grid& grid,
                             std::span<const Argument> arguments, SourceLocation where) noexcept;

    std::uint64_t last() const noexcept { return last_; }
    /// The command just added.
    const Command& latest() const noexcept { return commands_[last_ % kept_commands]; }
    /// Everything up to that number is done.
    void completed(std::uint64_t number) noexcept { completed_ = number > completed_ ? number : completed_; }

    bool is_completed(std::uint64_t number) const noexcept { return number <= completed_; }

    /// The vendor's error in the words of the command that caused it: kernels not known to be done, or
    /// else the other commands. `upto` is the last command that can be to blame. Names several if it
    /// cannot be known which one failed.
    struct Blame {
        Error error;
        std::uint64_t command; ///< the newest one that can be to blame
    };
    Blame blame(const Error& error, std::uint64_t upto) const;
    /// The same for the command just added, without doubt.
    Error blame_last(const Error& error) const;
    /// Takes back the command just added, which did not reach the vendor.
    void drop_last() noexcept { --last_; }

private:
    static constexpr std::size_t kept_commands = 32; // few cache lines, so that writing one stays cheap

    Command& next(What what, std::size_t bytes, SourceLocation where) noexcept;
    static std::string describe(const Command& command);

    std::uint64_t last_ = 0;
    std::uint64_t completed_ = 0;
    std::array<Command, kept_commands> commands_;
};

/// "4x1x1 groups of 256x1x1"
std::string describe(const Grid& grid);

} // namespace ferry::detail
