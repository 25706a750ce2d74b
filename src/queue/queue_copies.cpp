// SPDX-License-Identifier: Apache-2.0
// The ways of copies: staged, within a device, between devices, or through the host.
#include "queue/queue_state.hpp"
#include "queue/queue_submit.hpp"

namespace ferry::detail {
namespace {

/// Whether the two devices of a copy are one, or the driver copies between them.
enum class Ends { one_device, peers, apart };

Ends ends_of(DeviceState& queue_device, const Region& from, const Region& to) {
    DeviceState& source = from.memory->device();
    DeviceState& target = to.memory->device();
    if (&source == &target) {
        return Ends::one_device;
    }
    DeviceState& other = &source == &queue_device ? target : source;
    return source.info().backend == target.info().backend && queue_device.native().reaches(other.native())
               ? Ends::peers
               : Ends::apart;
}

} // namespace

[[gnu::hot]] void QueueState::submit(const WriteCommand& command) {
    if (is_staged(command)) {
        carry(command.to, staged_copy(const_cast<void*>(command.host), command.to, Way::up), command.where);
    } else {
        enqueue(command);
    }
}

[[gnu::hot]] void QueueState::submit(const ReadCommand& command) {
    if (is_staged(command)) {
        carry(command.from, staged_copy(command.host, command.from, Way::down), command.where);
    } else {
        enqueue(command);
    }
}

[[gnu::hot]] void QueueState::submit(const CopyCommand& command) {
    const Ends ends = ends_of(*device_, command.from, command.to);
    if (ends == Ends::one_device) [[likely]] {
        enqueue(command);
    } else if (ends == Ends::peers) {
        enqueue(CopyCommand{{command.where}, command.from, command.to, true});
    } else {
        copy_by_host(command);
    }
}

void QueueState::submit(const BoxCommand& command) {
    const Region& from = command.from.region;
    const Region& to = command.to.region;
    const Ends ends =
        from.memory != nullptr && to.memory != nullptr ? ends_of(*device_, from, to) : Ends::one_device;
    if (ends == Ends::one_device) {
        enqueue(command);
    } else if (ends != Ends::peers || !copy_box_peer(command)) {
        copy_box_by_host(command);
    }
}

bool QueueState::copy_box_peer(const BoxCommand& command) {
    const Lock lock(mutex_);
    check_alive(command.where);
    while (pending_ == 0 && !note(command)) {
        admit(command, command.where);
    }
    if (pending_ != 0) {
        return false; // The caller copies through the host instead, which works in the backlog.
    }
    bool taken = false;
    issue(command, [&] {
        taken = native_->copy_box_peer(place_of(command.from.region), command.copy.from,
                                       place_of(command.to.region), command.copy.to, command.copy.box);
    });
    if (!taken) {
        log_.drop_last();
        if (trace_) {
            trace_->undo();
        }
        return false;
    }
    sync_if_asked();
    return true;
}

} // namespace ferry::detail
