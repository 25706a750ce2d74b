// SPDX-License-Identifier: Apache-2.0
#include "queue/command_log.hpp"

#include "base/location_text.hpp"
#include "base/part_done.hpp"
#include "base/text.hpp"
#include "program/kernel_state.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace ferry::detail {
namespace {

template <class T>
std::string number(const unsigned char* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return std::to_string(value);
}

/// Whether the value of an argument of this type is shown; otherwise only its size is.
bool has_text(ScalarType type) {
    return type != ScalarType::other && type != ScalarType::f16;
}

std::string value_text(ScalarType type, const unsigned char* bytes, std::size_t size) {
    switch (type) {
    case ScalarType::i8:
        return number<std::int8_t>(bytes);
    case ScalarType::u8:
        return number<std::uint8_t>(bytes);
    case ScalarType::i16:
        return number<std::int16_t>(bytes);
    case ScalarType::u16:
        return number<std::uint16_t>(bytes);
    case ScalarType::i32:
        return number<std::int32_t>(bytes);
    case ScalarType::u32:
        return number<std::uint32_t>(bytes);
    case ScalarType::i64:
        return number<std::int64_t>(bytes);
    case ScalarType::u64:
        return number<std::uint64_t>(bytes);
    case ScalarType::f32:
        return number<float>(bytes);
    case ScalarType::f64:
        return number<double>(bytes);
    default:
        return "value of " + in_bytes(size);
    }
}

} // namespace

std::uint8_t CommandLog::place_of(const std::shared_ptr<KernelState>& kernel) noexcept {
    const std::size_t first = (reinterpret_cast<std::uintptr_t>(kernel.get()) >> 6) % kernel_places;
    if (kernels_[first].kernel == kernel.get()) [[likely]] {
        kernels_[first].used = last_;
        return static_cast<std::uint8_t>(first);
    }
    return take_place(kernel);
}

std::uint8_t CommandLog::take_place(const std::shared_ptr<KernelState>& kernel) noexcept {
    const std::size_t first = (reinterpret_cast<std::uintptr_t>(kernel.get()) >> 6) % kernel_places;
    std::size_t place = kernel_places;
    for (std::size_t i = 0; i < kernel_places; ++i) {
        const std::size_t at = (first + i) % kernel_places;
        if (kernels_[at].kernel == kernel.get()) {
            kernels_[at].used = last_;
            return static_cast<std::uint8_t>(at);
        }
        if (place == kernel_places &&
            (kernels_[at].kernel == nullptr || kernels_[at].used + kept_commands <= last_)) {
            place = at; // There is one, because fewer commands are kept than there are places.
        }
    }
    // Kernels that have not been launched for long are released when a new one arrives.
    constexpr std::uint64_t long_ago = 1024;
    for (KernelPlace& old : kernels_) {
        if (old.kernel != nullptr && old.used + long_ago <= last_) {
            old = KernelPlace();
        }
    }
    kernels_[place] = {kernel.get(), last_, kernel};
    return static_cast<std::uint8_t>(place);
}

[[gnu::hot]] std::uint64_t CommandLog::add(const LaunchCommand& launch) noexcept {
    const Grid& grid = launch.grid;
    const std::span<const Argument> arguments = launch.arguments;
    Command& command = next(CommandKind::launch, 0, launch.where);
    has_launches_ = true;
    command.kernel = place_of(*launch.kernel);
    command.groups = grid.groups;
    command.local[0] = static_cast<std::uint32_t>(grid.local.x);
    command.local[1] = static_cast<std::uint32_t>(grid.local.y);
    command.local[2] = static_cast<std::uint32_t>(grid.local.z);
    command.has_offset = grid.has_offset();
    if (command.has_offset) {
        offsets_[last_ % kept_commands] = grid.offset;
    }
    command.argument_count = static_cast<std::uint16_t>(arguments.size());
    const std::size_t kept = std::min(arguments.size(), kept_arguments);
    for (std::size_t i = 0; i < kept; ++i) {
        const Argument& from = arguments[i];
        unsigned char* const to = command.values[i].data();
        command.kinds[i] = from.kind;
        command.types[i] = from.type;
        if (from.kind != ArgumentKind::value || !has_text(from.type)) {
            std::memcpy(to, &from.bytes, sizeof from.bytes);
        } else if (from.bytes == 4) { // Nearly always; a fixed size is one instruction.
            std::memcpy(to, from.value, 4);
        } else {
            std::memcpy(to, from.value, std::min(from.bytes, sizeof(Value)));
        }
    }
    return last_;
}

std::uint64_t CommandLog::add(CommandKind kind, const std::shared_ptr<const std::string>& label,
                              const SourceLocation& where) noexcept {
    next(kind, 0, where);
    std::shared_ptr<const std::string>& kept = labels_[last_ % kept_commands];
    if (kept != label) {
        kept = label;
    }
    return last_;
}

std::size_t CommandLog::size_of(const Command& command) noexcept {
    std::size_t bytes = 0;
    std::memcpy(&bytes, command.values[0].data(), sizeof bytes);
    return bytes;
}

CommandLog::Latest CommandLog::latest() const noexcept {
    const Command& command = commands_[last_ % kept_commands];
    Latest latest;
    latest.kind = command.kind;
    latest.number = last_;
    latest.where = command.where;
    if (command.kind == CommandKind::launch) {
        latest.kernel = kernels_[command.kernel].kernel;
        latest.grid = grid_of(command);
    } else if (command_text(command.kind).labelled) {
        latest.label = labels_[last_ % kept_commands].get();
    } else {
        latest.bytes = size_of(command);
    }
    return latest;
}

Grid CommandLog::grid_of(const Command& command) const noexcept {
    Grid grid{command.groups, {command.local[0], command.local[1], command.local[2]}};
    if (command.has_offset) {
        grid.offset = offsets_[static_cast<std::size_t>(&command - commands_.data())];
    }
    return grid;
}

std::string CommandLog::describe(const Command& command) const {
    const CommandText& words = command_text(command.kind);
    std::string text = words.before;
    if (words.sized) {
        text += in_bytes(size_of(command));
    } else if (words.labelled) {
        text += *labels_[static_cast<std::size_t>(&command - commands_.data())];
    } else if (command.kind == CommandKind::launch) {
        text += "'" + kernels_[command.kernel].owner->info().name + "' with " +
                detail::describe(grid_of(command)) + " and arguments (" + arguments_text(command) + ")";
    }
    return text + words.after + location_text(", enqueued", command.where);
}

std::string CommandLog::arguments_text(const Command& command) {
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(command.argument_count, kept_arguments); ++i) {
        const unsigned char* const value = command.values[i].data();
        text += i != 0 ? ", " : "";
        std::size_t size = 0;
        std::memcpy(&size, value, sizeof size);
        text += command.kinds[i] == ArgumentKind::buffer  ? "buffer of " + in_bytes(size)
                : command.kinds[i] == ArgumentKind::local ? "local memory of " + in_bytes(size)
                                                          : value_text(command.types[i], value, size);
    }
    return text + (command.argument_count > kept_arguments ? ", ..." : "");
}

// Copies and fills have been checked, so a kernel is the most likely cause and is searched first. The strict
// host device, which detects more, reports the kind of the command.
bool CommandLog::is_suspect(CommandKind kind, const Error& error, bool kernels) {
    const CommandText& words = command_text(kind);
    if (error.vendor() == nullptr || error.vendor()->backend != Backend::host) {
        return words.can_fail && words.runs_kernels == kernels;
    }
    return kind == CommandKind::replay || error.vendor()->call == words.strict_call;
}

CommandLog::Blame CommandLog::blame(const Error& error, std::uint64_t upto) const {
    const std::uint64_t oldest = last_ >= kept_commands ? last_ - kept_commands + 1 : 1;
    const bool forgotten = completed_ + 1 < oldest;
    std::vector<const Command*> suspects;
    std::uint64_t first = completed_ + 1;
    for (const bool kernels : {true, false}) {
        for (std::uint64_t n = std::max(oldest, completed_ + 1); n <= upto && n <= last_; ++n) {
            const Command& command = commands_[n % kept_commands];
            if (is_suspect(command.kind, error, kernels)) {
                first = suspects.empty() && !forgotten ? n : first;
                suspects.push_back(&command);
            }
        }
        if (!suspects.empty() || forgotten) {
            break;
        }
    }
    if (suspects.empty()) {
        return {error, upto};
    }
    if (suspects.size() == 1 && !forgotten) {
        return {error.with_message(describe(*suspects[0]) + ", failed: " + error.what())
                    .with_where(suspects[0]->where),
                first};
    }
    constexpr std::size_t shown = 4;
    std::string text =
        "One of " + std::string(forgotten ? "more than " : "") + std::to_string(suspects.size()) +
        " commands failed (set FERRY_SYNC=1 to learn which): " + error.what() + "\n  They are, oldest first:";
    for (std::size_t i = 0; i < suspects.size() && i < shown; ++i) {
        text += "\n    " + describe(*suspects[i]);
    }
    if (suspects.size() > shown) {
        text += "\n    and " + std::to_string(suspects.size() - shown) + " more";
    }
    return {error.with_message(std::move(text)).with_where(suspects[0]->where), first};
}

Error CommandLog::with_part(const Error& error, std::size_t taken, bool launched) const {
    const Command& command = commands_[last_ % kept_commands];
    const CommandText& words = command_text(command.kind);
    const std::size_t bytes = size_of(command);
    const std::size_t part = std::min(taken, bytes);
    std::string done;
    if (command.kind == CommandKind::launch && launched) {
        done = "the kernel was launched";
    } else if (command.kind == CommandKind::replay && (taken != 0 || launched)) {
        done = "a part of its commands was enqueued";
    } else if (taken == 0) {
        return error;
    } else if (words.done != nullptr) {
        done = first_part(part, bytes, words.done);
    } else if (command.kind == CommandKind::batch) {
        done = std::to_string(part) + " of " + std::to_string(bytes) + " bytes were copied";
    } else {
        return error;
    }
    return after_part(error, done);
}

Error CommandLog::blame_last(const Error& error) const {
    const Command& command = commands_[last_ % kept_commands];
    return error.with_message(describe(command) + ", failed: " + error.what()).with_where(command.where);
}

} // namespace ferry::detail
