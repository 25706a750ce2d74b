// SPDX-License-Identifier: Apache-2.0
#include "queue/recording_state.hpp"

#include "base/settings.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace ferry::detail {
namespace {

std::string count_of(std::size_t commands) {
    return std::to_string(commands) + (commands == 1 ? " command" : " commands");
}

const char* name_of(ArgumentKind kind) {
    return kind == ArgumentKind::value    ? "a value"
           : kind == ArgumentKind::buffer ? "a buffer"
                                          : "local memory";
}

/// "kernels 'a' and 'b'", only the first few.
std::string kernels_of(const RecordedCommands& commands) {
    constexpr std::size_t shown = 4;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < commands.size(); ++i) {
        const auto& kernel = commands[i].kernel;
        if (kernel != nullptr && std::find(names.begin(), names.end(), kernel->info().name) == names.end()) {
            names.push_back(kernel->info().name);
        }
    }
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < shown; ++i) {
        text += (i != 0 ? ", '" : "'") + names[i] + "'";
    }
    if (names.size() > shown) {
        text += " and " + std::to_string(names.size() - shown) + " more";
    }
    return names.empty() ? text : (names.size() == 1 ? "kernel " : "kernels ") + text;
}

// Commands without one of these forms do nothing in a graph, and only keep their position.
template <class C>
void give(backend::RecordedCommand&, const C&) {}

void give(backend::RecordedCommand& to, const CopyCommand& from) {
    to.from = place_of(from.from);
    to.to = place_of(from.to);
    to.bytes = from.to.bytes;
}

void give(backend::RecordedCommand& to, const FillCommand& from) {
    to.what = backend::RecordedCommand::What::fill;
    to.to = place_of(from.to);
    to.bytes = from.to.bytes;
    to.pattern = from.pattern.data();
    to.pattern_bytes = from.pattern.size();
}

void give(backend::RecordedCommand& to, const LaunchCommand& from) {
    to.what = backend::RecordedCommand::What::launch;
    to.kernel = &(*from.kernel)->native();
    to.grid = from.grid;
    to.arguments = from.native;
}

backend::RecordedCommand native(const RecordedCommands::Entry& from) {
    backend::RecordedCommand to;
    std::visit([&](const auto& command) { give(to, command); }, from.command);
    to.line = from.line;
    to.after = from.after;
    return to;
}

} // namespace

void RecordingState::check_open(SourceLocation where) const {
    if (!open_) {
        throw Error(
            Code::invalid_state,
            "The recording is complete: its recorder takes commands only while the function runs that "
            "was given to Recording",
            where);
    }
}

std::uintptr_t RecordingState::next_serial() noexcept {
    static std::atomic<std::uintptr_t> last{0}; // 0: of no recording.
    return ++last;
}

Step RecordingState::add(RecordableCommand command, std::size_t line) {
    Line& on = lines_[line];
    on.last =
        commands_->add({std::move(command), static_cast<std::uint32_t>(line), std::exchange(on.after, {})});
    return {serial_, *on.last};
}

std::size_t RecordingState::branch(std::size_t line) {
    Line made;
    if (lines_[line].last) {
        made.after = {*lines_[line].last};
    }
    // The branch also waits for the commands that the parent's next command waits for.
    made.after.insert(made.after.end(), lines_[line].after.begin(), lines_[line].after.end());
    lines_.push_back(std::move(made));
    return lines_.size() - 1;
}

void RecordingState::wait(std::size_t line, const Step& step, SourceLocation where) {
    if (step.recording() != serial_) {
        throw Error(Code::invalid_argument, "The step to wait for is not a command of this recording", where);
    }
    if (step.index() >= commands_->size()) { // C callers can pass any number here.
        throw Error(Code::invalid_argument,
                    "Step " + std::to_string(step.index()) + " cannot be waited for: this recording has " +
                        count_of(commands_->size()) + " so far",
                    where);
    }
    const auto index = static_cast<std::uint32_t>(step.index());
    Line& on = lines_[line];
    if ((*commands_)[index].line != line &&
        std::find(on.after.begin(), on.after.end(), index) == on.after.end()) {
        on.after.push_back(index);
    }
}

void RecordingState::wait_line(std::size_t line, const RecordingState& of, std::size_t other,
                               SourceLocation where) {
    if (&of != this) {
        throw Error(Code::invalid_argument, "The line to wait for belongs to another recording", where);
    }
    if (line == other) {
        return;
    }
    if (lines_[other].last) {
        wait(line, Step(serial_, *lines_[other].last), where);
    }
    const std::vector<std::uint32_t> inherited = lines_[other].after;
    for (const std::uint32_t index : inherited) {
        wait(line, Step(serial_, index), where);
    }
}

void RecordingState::complete() {
    open_ = false;
    commands_->complete();
    size_ = commands_->size();
    const std::string kernels = kernels_of(*commands_);
    summary_ = std::make_shared<const std::string>("a recording of " + count_of(commands_->size()) +
                                                   (kernels.empty() ? "" : " with " + kernels));
    make_graph();
    for (std::size_t i = 0; graph_ == nullptr && i < size_; ++i) {
        prepare((*commands_)[i]);
    }
}

/// For a launch that is enqueued by itself. If that is not possible, the replay reports it.
void RecordingState::prepare(const RecordedCommands::Entry& entry) const {
    const LaunchCommand* const launch = entry.launch();
    if (launch == nullptr) {
        return;
    }
    std::vector<std::size_t> local_bytes;
    for (const Argument& argument : launch->arguments) {
        if (argument.kind == ArgumentKind::local) {
            local_bytes.push_back(argument.bytes);
        }
    }
    try {
        entry.kernel->native().prepare(launch->grid.local, local_bytes);
    } catch (const Error&) {
        return;
    }
}

void RecordingState::make_graph() {
    const std::string list = "A list of " + count_of(size()) + ": ";
    if (size() < 2) {
        explanation_ = list + "there is nothing to gain.";
        return;
    }
    if (commands_->has_host_ranges()) {
        explanation_ = list + "host memory that is not a buffer takes part in a copy.";
        return;
    }
    if (sync_setting()) {
        explanation_ = list + "FERRY_SYNC is set, and each command is waited for.";
        return;
    }
    std::vector<backend::RecordedCommand> commands;
    for (std::size_t i = 0; i < size(); ++i) {
        commands.push_back(native((*commands_)[i]));
    }
    try {
        graph_ = device_->native().record(commands);
        explanation_ = graph_ != nullptr ? "One " + std::string(to_string(device_->info().backend)) +
                                               " graph of " + count_of(size()) + "."
                                         : list + "the driver of " + device_->describe() + " has no graphs.";
    } catch (const Error& error) {
        if (error.code() == Code::device_lost) {
            throw;
        }
        explanation_ = list + "the driver made no graph of it: " + error.what();
    }
}

std::string RecordingState::explain() const {
    const std::lock_guard lock(mutex_);
    return explanation_;
}

const LaunchCommand& RecordingState::launch_of(const Step& step, SourceLocation where) const {
    if (step.recording() != serial_) {
        throw Error(Code::invalid_argument, "The step is not a command of this recording", where);
    }
    if (step.index() >= commands_->size()) {
        throw Error(Code::invalid_argument,
                    "Step " + std::to_string(step.index()) + " cannot be changed: this recording has " +
                        count_of(commands_->size()),
                    where);
    }
    const RecordedCommands::Entry& entry = (*commands_)[step.index()];
    if (entry.launch() == nullptr) {
        throw Error(Code::invalid_argument,
                    "Command " + std::to_string(step.index()) + " of the recording is a " +
                        command_text(entry.kind()).name + "; only launches have arguments and a grid to set",
                    where);
    }
    return *entry.launch();
}

RecordedCommands& RecordingState::writable() {
    if (commands_.use_count() > 1) { // A pending replay needs them unchanged.
        commands_ = std::make_shared<RecordedCommands>(*commands_);
    }
    return *commands_;
}

void RecordingState::update_graph(std::size_t index) {
    if (graph_ == nullptr) {
        try {
            prepare((*commands_)[index]);
        } catch (const Error&) { // A replay reports it. The command has changed already.
        }
        return;
    }
    try {
        graph_->change(index, native((*commands_)[index]));
    } catch (const Error& error) {
        graph_.reset();
        explanation_ =
            "A list of " + count_of(size()) + ": the driver did not change its graph: " + error.what();
    } catch (...) { // Without memory the graph and the list may differ.
        graph_.reset();
        explanation_ = "A list";
        throw;
    }
}

void RecordingState::set(const Step& step, std::size_t index, const Argument& argument,
                         SourceLocation where) {
    const std::lock_guard lock(mutex_);
    const LaunchCommand& launch = launch_of(step, where);
    const std::span<const Argument> present = launch.arguments;
    const std::string& name = (*launch.kernel)->info().name;
    if (index >= present.size()) {
        throw Error(Code::invalid_argument,
                    "Argument " + std::to_string(index) + " cannot be set: the launch of kernel '" + name +
                        "' was recorded with " + std::to_string(present.size()) +
                        " arguments, counted from 0",
                    where);
    }
    const Argument& before = present[index];
    const auto refuse = [&](const std::string& was, const std::string& is) {
        throw Error(Code::invalid_argument,
                    "Argument " + std::to_string(index) + " of kernel '" + name + "' was recorded as " + was +
                        " and cannot become " + is,
                    where);
    };
    if (before.kind != argument.kind) {
        refuse(name_of(before.kind), name_of(argument.kind));
    }
    if (argument.kind == ArgumentKind::value && before.bytes != argument.bytes) {
        refuse("a value of " + in_bytes(before.bytes), "one of " + in_bytes(argument.bytes));
    }
    std::array<Argument, max_arguments> changed;
    std::copy(present.begin(), present.end(), changed.begin());
    changed[index] = argument;
    (*launch.kernel)->check(launch.grid, std::span(changed).first(present.size()), where);
    writable().set_argument(step.index(), index, argument);
    update_graph(step.index());
}

void RecordingState::set_grid(const Step& step, const Grid& grid, SourceLocation where) {
    const std::lock_guard lock(mutex_);
    const LaunchCommand& launch = launch_of(step, where);
    const Grid chosen = (*launch.kernel)->with_groups(grid, where);
    (*launch.kernel)->check(chosen, launch.arguments, where);
    writable().set_grid(step.index(), chosen);
    update_graph(step.index());
}

} // namespace ferry::detail
