// SPDX-License-Identifier: Apache-2.0
#include "base/process_exit.hpp"
#include "base/text.hpp"
#include "check/race.hpp"
#include "memory/memory_state.hpp"
#include "program/kernel_state.hpp"
#include "queue/copy_checks.hpp"
#include "queue/launch.hpp"
#include "queue/queue_state.hpp"
#include "queue/queue_submit.hpp"
#include "queue/race_notes.hpp"
#include "queue/recording_state.hpp"
#include "system/fork.hpp"
#include "system/no_cancellation.hpp"
#include "trace/trace.hpp"

#include <ferry/queue.hpp>
#include <ferry/recording.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace ferry {
namespace detail {

void check_host(const void* data, std::size_t bytes, const char* what, const SourceLocation& where) {
    if (data == nullptr && bytes != 0) {
        throw Error(Code::invalid_argument,
                    std::string(what) + " of the copy is a host range of " + in_bytes(bytes) +
                        " at the null pointer",
                    where);
    }
}

void throw_moved(const char* what, const SourceLocation& where) {
    throw Error(Code::invalid_state,
                std::string(what) + " was moved from; give the buffer that it was moved to", where);
}

void throw_sizes(std::size_t from, std::size_t to, std::size_t element, const SourceLocation& where) {
    const auto elements = [&](std::size_t bytes) {
        return std::to_string(bytes / element) + " elements (" + std::to_string(bytes) + " bytes)";
    };
    throw Error(Code::invalid_argument,
                "A copy has a source of " + elements(from) + " and a destination of " + elements(to) +
                    "; they must have the same size",
                where);
}

void check_here(const QueueState& queue, const Region& region, const char* what,
                const SourceLocation& where) {
    if (region.memory != nullptr && &region.memory->device() != &queue.device()) {
        throw Error(Code::invalid_argument,
                    std::string(what) + " is on " + region.memory->device().describe() +
                        ", but the queue is on " + queue.device().describe(),
                    where);
    }
}

void check_devices(const QueueState& queue, const Region& from, const Region& to,
                   const SourceLocation& where) {
    const DeviceState& source = from.memory->device();
    const DeviceState& target = to.memory->device();
    if (&source != &queue.device() && &target != &queue.device()) {
        throw Error(Code::invalid_argument,
                    "The copy goes from " + source.describe() + " to " + target.describe() +
                        ", but the queue is on " + queue.device().describe() +
                        "; use a queue of one of the two",
                    where);
    }
    source.check_alive(where);
    target.check_alive(where);
}

void throw_overlap(const Region& from, const Region& to, const SourceLocation& where) {
    throw Error(Code::invalid_argument,
                "The source of a copy, bytes " + std::to_string(from.offset) + " to " +
                    std::to_string(from.offset + from.bytes) +
                    " of a buffer, overlaps its destination, bytes " + std::to_string(to.offset) + " to " +
                    std::to_string(to.offset + to.bytes) + " of the same buffer; copy through another buffer",
                where);
}

void check_pattern(const Region& to, std::size_t size, const SourceLocation& where) {
    if (size == 0 || size > largest_fill_pattern) {
        throw Error(Code::invalid_argument,
                    "A pattern of " + in_bytes(size) + " cannot fill a buffer; a pattern has 1 to " +
                        std::to_string(largest_fill_pattern) + " bytes",
                    where);
    }
    if (to.bytes % size != 0) {
        throw Error(Code::invalid_argument,
                    "A pattern of " + in_bytes(size) + " cannot fill " + in_bytes(to.bytes) +
                        ", which is no multiple of it",
                    where);
    }
}

} // namespace detail

namespace {

using detail::Region;

[[noreturn]] void throw_empty(const SourceLocation& where) {
    throw Error(Code::invalid_state, "The queue is empty: it was moved from", where);
}

/// Same as Queue::state(), but inline.
inline detail::QueueState& state_of(const Queue& queue, const SourceLocation& where) {
    if (queue.handle() == nullptr) [[unlikely]] {
        throw_empty(where);
    }
    detail::check_process(queue.handle()->forks(), "The queue", where);
    return *queue.handle();
}

template <class C>
void check_and_submit(detail::QueueState& queue, const C& command) {
    detail::race::note(queue, command);
    queue.submit(command);
}

} // namespace

Queue::Queue(const Device& device, QueueOptions options, SourceLocation where)
    : Queue(device, nullptr, options, where) {}

Queue::Queue(const Device& device, void* native, QueueOptions options, SourceLocation where) {
    device.state().check_alive(where);
    trace::start(where);
    const trace::Span span("Queue", where);
    const detail::NoCancellation not_cancelled;
    try {
        const detail::VendorCall call;
        call.check(where);
        state_ = std::make_shared<detail::QueueState>(device.state(), options, native);
        state_->attach();
    } catch (const Error& error) {
        throw error
            .with_message("A queue on " + device.state().describe() +
                          " could not be created: " + error.what())
            .with_where(where);
    }
}

Queue::Queue(Queue&&) noexcept = default;

Queue& Queue::operator=(Queue&& other) noexcept {
    if (this != &other) {
        const Queue old = std::move(*this); // Its destructor ends the queue.
        state_ = std::move(other.state_);
    }
    return *this;
}

Queue::~Queue() {
    if (state_ == nullptr) {
        return;
    }
    if (state_->forks() != detail::fork_count()) {
        detail::abandon(state_);
        return;
    }
    const detail::NoCancellation not_cancelled;
    state_->close();
}

detail::QueueState& Queue::state(SourceLocation where) const {
    return state_of(*this, where);
}

Device Queue::device(SourceLocation where) const {
    return Device(state_of(*this, where).device());
}

[[gnu::hot]] void Queue::copy_from_host(const detail::HostRange& from, const Region& to, std::size_t element,
                                        SourceLocation where) {
    const trace::Span span("Queue::copy", where);
    detail::QueueState& queue = state_of(*this, where);
    detail::race::check_alive(queue.race(), "copy", to, where);
    detail::check_moved(to, "The destination of the copy", where);
    detail::check_sizes(from.bytes, to.bytes, element, where);
    detail::check_here(queue, to, "The destination of the copy", where);
    if (to.bytes != 0) {
        detail::check_host(from.data, from.bytes, "The source", where);
        to.memory->check_writable(where);
        check_and_submit(queue, detail::WriteCommand{{where}, to, from.data});
    }
}

[[gnu::hot]] void Queue::copy_to_host(const Region& from, const detail::HostRange& to, std::size_t element,
                                      SourceLocation where) {
    const trace::Span span("Queue::copy", where);
    detail::QueueState& queue = state_of(*this, where);
    detail::race::check_alive(queue.race(), "copy", from, where);
    detail::check_moved(from, "The source of the copy", where);
    detail::check_sizes(from.bytes, to.bytes, element, where);
    detail::check_here(queue, from, "The source of the copy", where);
    if (from.bytes != 0) {
        detail::check_host(to.data, to.bytes, "The destination", where);
        from.memory->check_readable(where);
        check_and_submit(queue, detail::ReadCommand{{where}, from, to.data});
    }
}

[[gnu::hot]] void Queue::copy_regions(const Region& from, const Region& to, std::size_t element,
                                      SourceLocation where) {
    const trace::Span span("Queue::copy", where);
    detail::QueueState& queue = state_of(*this, where);
    detail::race::check_alive(queue.race(), "copy", from, where);
    detail::race::check_alive(queue.race(), "copy", to, where);
    detail::check_moved(from, "The source of the copy", where);
    detail::check_moved(to, "The destination of the copy", where);
    detail::check_sizes(from.bytes, to.bytes, element, where);
    if (to.bytes == 0) {
        return;
    }
    detail::DeviceState& source = from.memory->device();
    detail::DeviceState& target = to.memory->device();
    if (&source != &target || &source != &queue.device()) [[unlikely]] {
        detail::check_devices(queue, from, to, where);
    }
    from.memory->check_readable(where);
    to.memory->check_writable(where);
    detail::check_overlap(from, to, where);
    check_and_submit(queue, detail::CopyCommand{{where}, from, to});
}

void Queue::fill_region(const Region& to, const void* pattern, std::size_t size, SourceLocation where) {
    const trace::Span span("Queue::fill", where);
    detail::QueueState& queue = state_of(*this, where);
    detail::race::check_alive(queue.race(), "fill", to, where);
    detail::check_moved(to, "The buffer to fill", where);
    detail::check_here(queue, to, "The buffer to fill", where);
    detail::check_pattern(to, size, where);
    if (to.bytes != 0) {
        to.memory->check_writable(where);
        check_and_submit(queue,
                         detail::FillCommand{{where}, to, {static_cast<const std::byte*>(pattern), size}});
    }
}

namespace {

void submit_hint(detail::QueueState& queue, const Region& range, std::variant<Prefetch, Advice> hint,
                 const SourceLocation& where) {
    detail::race::check_alive(queue.race(), "hint", range, where);
    detail::check_moved(range, "The memory of the hint", where);
    detail::check_here(queue, range, "The memory of the hint", where);
    if (range.bytes != 0 && range.memory->kind() == MemoryKind::shared && queue.device().info().prefetch) {
        queue.submit(detail::HintCommand{{where}, range, hint});
    }
}

} // namespace

void Queue::prefetch_region(const Region& range, Prefetch to, SourceLocation where) {
    const trace::Span span("Queue::prefetch", where);
    submit_hint(state_of(*this, where), range, to, where);
}

void Queue::advise_region(const Region& range, Advice advice, SourceLocation where) {
    const trace::Span span("Queue::advise", where);
    submit_hint(state_of(*this, where), range, advice, where);
}

[[gnu::hot]] void detail::launch(Queue& target, const LaunchSite& site, const Grid& grid,
                                 std::span<const Argument> args) {
    const trace::Span span("Queue::launch", site.where);
    QueueState& queue = state_of(target, site.where);
    const auto& kernel = site.kernel.state();
    if (kernel == nullptr) {
        throw Error(Code::invalid_state, "The kernel is empty: it was moved from or never made", site.where);
    }
    if (&kernel->device() != &queue.device()) {
        throw Error(Code::invalid_argument,
                    "Kernel '" + kernel->info().name + "' was built for " + kernel->device().describe() +
                        ", but the queue is on " + queue.device().describe(),
                    site.where);
    }
    for (const detail::Argument& argument : queue.race() != detail::race::host ? args : args.first(0)) {
        detail::race::check_alive(queue.race(), "launch", argument.region, site.where);
    }
    const auto submit = [&](const Grid& groups) {
        kernel->check(groups, args, site.where);
        check_and_submit(queue, LaunchCommand{{site.where}, &kernel, groups, args, {}});
    };
    if (grid.has_items()) {
        submit(kernel->with_groups(grid, site.where));
    } else {
        submit(grid);
    }
}

[[gnu::hot]] void Queue::launch_packed(const detail::LaunchSite& site, const Grid& grid,
                                       std::span<const detail::Argument> args) {
    detail::launch(*this, site, grid, args);
}

void Queue::launch(detail::LaunchSite kernel, const Grid& grid, std::span<const Argument> arguments) {
    std::vector<detail::Argument> packed;
    std::vector<detail::ShareUse> uses;
    packed.reserve(arguments.size());
    uses.reserve(arguments.size());
    bool shares = false;
    for (const Argument& argument : arguments) {
        packed.push_back(argument.packed());
        uses.push_back(argument.use());
        shares = shares || argument.use().shared;
    }
    if (shares) {
        launch_shared(kernel, grid, packed, uses);
    } else {
        launch_packed(kernel, grid, packed);
    }
}

[[gnu::hot]] Event Queue::record(SourceLocation where) {
    const trace::Span span("Queue::record", where);
    return Event(state_of(*this, where).record(where).leave());
}

[[gnu::hot]] void Queue::wait(const Event& event, SourceLocation where) {
    const trace::Span span("Queue::wait", where);
    detail::QueueState& queue = state_of(*this, where);
    if (event.state() != nullptr) {
        event.state()->check_process(where);
        queue.wait(detail::EventRef::share(event.state()), where);
    }
}

[[gnu::hot]] void Queue::wait(Event&& event, SourceLocation where) {
    const trace::Span span("Queue::wait", where);
    detail::QueueState& queue = state_of(*this, where);
    if (event.state() != nullptr) {
        event.state()->check_process(where);
        queue.wait(detail::EventRef(event.leave()), where);
    }
}

void Queue::replay(const Recording& recording, SourceLocation where) {
    const trace::Span span("Queue::replay", where);
    detail::QueueState& queue = state_of(*this, where);
    const auto& recorded = recording.state();
    if (recorded == nullptr) {
        throw Error(Code::invalid_state, "The recording is empty: it was moved from or never made", where);
    }
    if (&recorded->device() != &queue.device()) {
        throw Error(Code::invalid_argument,
                    "The recording was made for " + recorded->device().describe() + ", but the queue is on " +
                        queue.device().describe(),
                    where);
    }
    detail::race::note_replay(queue, *recorded, where);
    queue.replay(*recorded, where);
}

void Queue::mark(std::string_view name, SourceLocation where) {
    const trace::Span span("Queue::mark", where);
    state_of(*this, where).submit(detail::MarkCommand(where, name));
}

void Queue::on_complete(std::function<void(EventStatus)> callback, SourceLocation where) {
    const trace::Span span("Queue::on_complete", where);
    detail::QueueState& queue = state_of(*this, where);
    if (!callback) {
        throw Error(Code::invalid_argument, "The completion callback is empty", where);
    }
    queue.on_complete(std::move(callback), where);
}

void Queue::finish(SourceLocation where) {
    const trace::Span span("Queue::finish", where);
    const detail::NoCancellation not_cancelled;
    state_of(*this, where).finish(where);
}
void Queue::flush(SourceLocation where) {
    const trace::Span span("Queue::flush", where);
    state_of(*this, where).flush(where);
}
bool Queue::idle(SourceLocation where) {
    return state_of(*this, where).idle(where);
}

} // namespace ferry
