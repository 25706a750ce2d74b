// SPDX-License-Identifier: Apache-2.0
#include "queue/recording_state.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace ferry::detail {
namespace {

constexpr std::size_t value_alignment = 16;

std::size_t append(std::vector<std::byte>& values, const void* from, std::size_t bytes) {
    const std::size_t at = (values.size() + value_alignment - 1) / value_alignment * value_alignment;
    values.resize(at + bytes);
    if (bytes != 0) {
        std::memcpy(values.data() + at, from, bytes);
    }
    return at;
}

} // namespace

RecordedCommands::RecordedCommands(const RecordedCommands& other)
    : entries_(other.entries_),
      arguments_(other.arguments_),
      native_(other.native_),
      value_at_(other.value_at_),
      owners_(other.owners_),
      memories_(other.memories_),
      used_(other.used_),
      values_(other.values_),
      host_ranges_(other.host_ranges_) {
    point_at_values();
}

std::uint32_t RecordedCommands::add(Entry entry) {
    std::visit(
        [&]<class C>(const C& command) {
            if constexpr (std::is_same_v<C, LaunchCommand>) {
                entry.kernel = *command.kernel;
                add_arguments(entry, command.arguments);
            } else {
                command.for_each_access([&](const race::Access& access) {
                    host_ranges_ = host_ranges_ || access.address != nullptr;
                    keep_memory(access.region);
                });
            }
            if constexpr (std::is_same_v<C, FillCommand>) {
                entry.pattern = append(values_, command.pattern.data(), command.pattern.size());
            }
        },
        entry.command);
    entries_.push_back(std::move(entry));
    return static_cast<std::uint32_t>(entries_.size() - 1);
}

void RecordedCommands::keep_memory(const Region& region) {
    const auto is_it = [&](const std::shared_ptr<Memory>& kept) { return kept.get() == region.memory; };
    if (region.memory != nullptr && std::none_of(memories_.begin(), memories_.end(), is_it)) {
        memories_.push_back(keep(region));
        region.memory->settle(); // Its address is recorded.
    }
}

void RecordedCommands::list_used() {
    used_.clear();
    for (const auto* list : {&memories_, &owners_}) {
        for (const std::shared_ptr<Memory>& memory : *list) {
            if (memory != nullptr) {
                used_.push_back(memory.get());
            }
        }
    }
    std::sort(used_.begin(), used_.end());
    used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
}

void RecordedCommands::add_arguments(Entry& entry, std::span<const Argument> arguments) {
    entry.first_argument = arguments_.size();
    for (const Argument& argument : arguments) {
        const bool is_value = argument.kind == ArgumentKind::value;
        value_at_.push_back(is_value ? append(values_, argument.value, argument.bytes) : 0);
        arguments_.push_back(argument);
        owners_.push_back(keep(argument.region));
        if (argument.region.memory != nullptr) {
            argument.region.memory->settle();
        }
    }
}

void RecordedCommands::complete() {
    native_.resize(arguments_.size());
    point_at_values();
    list_used();
}

void RecordedCommands::point_at_values() {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        Argument& argument = arguments_[i];
        if (argument.kind == ArgumentKind::value) {
            argument.value = values_.data() + value_at_[i];
        }
        native_[i] = {argument.kind, argument.bytes, argument.value, place_of(argument.region),
                      argument.constant};
    }
    for (Entry& entry : entries_) {
        if (auto* const launch = std::get_if<LaunchCommand>(&entry.command)) {
            const std::size_t count = launch->arguments.size();
            launch->kernel = &entry.kernel;
            launch->arguments = std::span(arguments_).subspan(entry.first_argument, count);
            launch->native = std::span(native_).subspan(entry.first_argument, count);
        } else if (auto* const fill = std::get_if<FillCommand>(&entry.command)) {
            fill->pattern = std::span(values_).subspan(entry.pattern, fill->pattern.size());
        }
    }
}

void RecordedCommands::set_argument(std::size_t index, std::size_t argument, const Argument& to) {
    const std::size_t i = entries_[index].first_argument + argument;
    if (to.kind == ArgumentKind::value) {
        std::memcpy(values_.data() + value_at_[i], to.value, to.bytes);
    } else {
        if (to.region.memory != nullptr) {
            to.region.memory->settle();
        }
        arguments_[i] = to;
        if (owners_[i].get() != to.region.memory) {
            owners_[i] = keep(to.region);
            list_used();
        }
        native_[i] = {to.kind, to.bytes, nullptr, place_of(to.region), to.constant};
    }
}

void RecordedCommands::check_mapped(SourceLocation where) const {
    for (const Entry& entry : entries_) {
        if (const LaunchCommand* const launch = entry.launch()) {
            for (std::size_t i = 0; i < launch->arguments.size(); ++i) {
                entry.kernel->check_mapped(i, launch->arguments[i], where);
            }
            continue;
        }
        const auto check = [&](const race::Access& access) {
            if (access.region.memory != nullptr && access.writes) {
                access.region.memory->check_writable(where);
            } else if (access.region.memory != nullptr) {
                access.region.memory->check_readable(where);
            }
        };
        std::visit([&](const auto& command) { command.for_each_access(check); }, entry.command);
    }
}

} // namespace ferry::detail
