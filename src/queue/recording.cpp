// SPDX-License-Identifier: Apache-2.0
#include "base/process_exit.hpp"
#include "queue/copy_checks.hpp"
#include "queue/recording_state.hpp"

#include <ferry/recording.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace ferry {
namespace {

using detail::RecordingState;
using detail::Region;

RecordingState& get(const std::shared_ptr<RecordingState>& state, SourceLocation where) {
    if (state == nullptr) {
        throw Error(Code::invalid_state, "The recording is empty: it was moved from or never made", where);
    }
    return *state;
}

/// While it is recorded.
RecordingState& open(const std::shared_ptr<RecordingState>& state, SourceLocation where) {
    get(state, where).check_open(where);
    return *state;
}

void check_here(const RecordingState& recording, const Region& region, const char* what,
                const SourceLocation& where) {
    detail::check_moved(region, what, where);
    if (region.memory != nullptr && &region.memory->device() != &recording.device()) {
        throw Error(Code::invalid_argument,
                    std::string(what) + " is on " + region.memory->device().describe() +
                        ", but the recording is for " + recording.device().describe(),
                    where);
    }
}

} // namespace

void Recording::begin(const Device& device, SourceLocation where) {
    device.state().check_alive(where);
    state_ = std::make_shared<RecordingState>(device.state());
}

void Recording::end(SourceLocation where) {
    const detail::VendorCall call;
    call.check(where);
    try {
        state_->complete();
    } catch (const Error& error) {
        throw error.with_where(where);
    }
}

std::size_t Recording::size(SourceLocation where) const {
    return get(state_, where).size();
}

Device Recording::device(SourceLocation where) const {
    return Device(get(state_, where).device());
}

std::string Recording::explain(SourceLocation where) const {
    return get(state_, where).explain();
}

void Recording::set_packed(const Step& step, std::size_t index, const detail::Argument& argument,
                           SourceLocation where) {
    RecordingState& recording = get(state_, where);
    const detail::VendorCall call;
    call.check(where);
    recording.set(step, index, argument, where);
}

void Recording::set_grid(const Step& step, const Grid& grid, SourceLocation where) {
    RecordingState& recording = get(state_, where);
    const detail::VendorCall call;
    call.check(where);
    recording.set_grid(step, grid, where);
}

Step Recorder::copy_regions(const Region& from, const Region& to, std::size_t element, SourceLocation where) {
    RecordingState& recording = open(state_, where);
    detail::check_moved(from, "The source of the copy", where);
    detail::check_moved(to, "The destination of the copy", where);
    detail::check_sizes(from.bytes, to.bytes, element, where);
    if (to.bytes == 0) { // At any offset.
        return recording.add(detail::CopyCommand{{where}, {}, {}}, line_);
    }
    for (const Region* region : {&from, &to}) {
        if (region->memory != nullptr && &region->memory->device() != &recording.device()) {
            throw Error(Code::unsupported,
                        "A copy between " + from.memory->device().describe() + " and " +
                            to.memory->device().describe() +
                            " cannot be recorded; enqueue it between two replays",
                        where);
        }
    }
    detail::check_overlap(from, to, where);
    return recording.add(detail::CopyCommand{{where}, from, to}, line_);
}

Step Recorder::copy_to_host(const Region& from, const detail::HostRange& to, std::size_t element,
                            SourceLocation where) {
    RecordingState& recording = open(state_, where);
    check_here(recording, from, "The source of the copy", where);
    detail::check_sizes(from.bytes, to.bytes, element, where);
    detail::check_host(to.data, to.bytes, "The destination", where);
    return recording.add(from.bytes != 0 ? detail::ReadCommand{{where}, from, to.data}
                                         : detail::ReadCommand{{where}, {}, nullptr},
                         line_);
}

Step Recorder::copy_from_host(const detail::HostRange& from, const Region& to, std::size_t element,
                              SourceLocation where) {
    RecordingState& recording = open(state_, where);
    check_here(recording, to, "The destination of the copy", where);
    detail::check_sizes(from.bytes, to.bytes, element, where);
    detail::check_host(from.data, from.bytes, "The source", where);
    return recording.add(to.bytes != 0 ? detail::WriteCommand{{where}, to, from.data}
                                       : detail::WriteCommand{{where}, {}, nullptr},
                         line_);
}

Step Recorder::fill_region(const Region& to, const void* pattern, std::size_t size, SourceLocation where) {
    RecordingState& recording = open(state_, where);
    check_here(recording, to, "The buffer to fill", where);
    detail::check_pattern(to, size, where);
    const std::span bytes(static_cast<const std::byte*>(pattern), size);
    return recording.add(to.bytes != 0 ? detail::FillCommand{{where}, to, bytes}
                                       : detail::FillCommand{{where}, {}, {}},
                         line_);
}

Step Recorder::launch_packed(const detail::LaunchSite& site, const Grid& grid,
                             std::span<const detail::Argument> args) {
    RecordingState& recording = open(state_, site.where);
    const auto& kernel = site.kernel.state();
    if (kernel == nullptr) {
        throw Error(Code::invalid_state, "The kernel is empty: it was moved from or never made", site.where);
    }
    if (&kernel->device() != &recording.device()) {
        throw Error(Code::invalid_argument,
                    "Kernel '" + kernel->info().name + "' was built for " + kernel->device().describe() +
                        ", but the recording is for " + recording.device().describe(),
                    site.where);
    }
    const Grid chosen = kernel->with_groups(grid, site.where);
    kernel->check(chosen, args, site.where);
    return recording.add(detail::LaunchCommand{{site.where}, &kernel, chosen, args, {}}, line_);
}

Step Recorder::launch(detail::LaunchSite kernel, const Grid& grid, std::span<const Argument> arguments) {
    std::vector<detail::Argument> packed;
    packed.reserve(arguments.size());
    for (const Argument& argument : arguments) {
        if (argument.use().shared) {
            throw Error(
                Code::unsupported,
                "Argument " + std::to_string(packed.size()) + " of kernel '" +
                    kernel.kernel.name(kernel.where) +
                    "' is a share, which cannot be an argument of a recorded launch; use a Buffer or an "
                    "Imported",
                kernel.where);
        }
        packed.push_back(argument.packed());
    }
    return launch_packed(kernel, grid, packed);
}

Step Recorder::mark(std::string_view name, SourceLocation where) {
    return open(state_, where).add(detail::MarkCommand(where, name), line_);
}

Recorder Recorder::branch(SourceLocation where) {
    return Recorder(state_, open(state_, where).branch(line_));
}

void Recorder::wait(const Step& step, SourceLocation where) {
    open(state_, where).wait(line_, step, where);
}

void Recorder::wait(const Recorder& line, SourceLocation where) {
    open(state_, where).wait_line(line_, get(line.state_, where), line.line_, where);
}

} // namespace ferry
