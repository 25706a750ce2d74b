// SPDX-License-Identifier: Apache-2.0
#include "device/device_state.hpp"

#include "device/group_size.hpp"

namespace ferry::detail {

DeviceState::Relay::Relay(DeviceState& device) : queue(device.native().create_queue({.timing = false})) {}

/// Adds the fields that follow from others.
static DeviceInfo complete(DeviceInfo info) {
    info.preferred_group_size = preferred_group_size(info);
    return info;
}

DeviceState::DeviceState(std::unique_ptr<backend::Device> device)
    : device_(std::move(device)), info_(complete(device_->info())) {}

// In the order of Part, the pools last: the others free memory of the device themselves.
DeviceState::~DeviceState() {
    for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
        if (DevicePart* const made = part->load(); made != nullptr && made->is_own()) {
            delete made;
        }
    }
}

DevicePart* DeviceState::part_if_made(Part part) const noexcept {
    DevicePart* const made = parts_[static_cast<std::size_t>(part)].load(std::memory_order_acquire);
    return made != nullptr && made->is_own() ? made : nullptr;
}

// A parent's part stays unchanged.
DevicePart& DeviceState::part(Part part, std::unique_ptr<DevicePart> (*make)(DeviceState& device)) {
    if (DevicePart* const made = part_if_made(part)) {
        return *made;
    }
    std::unique_ptr<DevicePart> mine = make(*this);
    std::atomic<DevicePart*>& place = parts_[static_cast<std::size_t>(part)];
    for (DevicePart* seen = place.load();;) {
        if (seen != nullptr && seen->is_own()) {
            return *seen; // Another thread was faster.
        }
        if (place.compare_exchange_weak(seen, mine.get())) {
            return *mine.release();
        }
    }
}

DeviceState::Relay& DeviceState::relay() {
    return static_cast<Relay&>(part(Part::relay, [](DeviceState& device) -> std::unique_ptr<DevicePart> {
        return std::make_unique<Relay>(device);
    }));
}

std::string DeviceState::id() const {
    return std::string(to_string(info().backend)) + ":" + std::to_string(info().index);
}

std::string DeviceState::describe() const {
    return id() + " (" + info().name + ")";
}

Error DeviceState::lose(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!lost_error_) {
        lost_error_ = error;
        lost_.store(true, std::memory_order_release);
    }
    return *lost_error_;
}

void DeviceState::throw_unusable(const SourceLocation& where) const {
    if (backend::process_is_exiting()) {
        keep_thread_at_exit();
        throw Error(Code::invalid_state, "The process is ending; " + describe() + " cannot be used any more",
                    where);
    }
    if (is_of_parent()) {
        throw Error(Code::invalid_state,
                    describe() +
                        " was listed before fork(), and only the parent process can use its driver; let the "
                        "parent list no devices before it forks, let the child run another program "
                        "(exec), or use the host backend in the child",
                    where);
    }
    const std::lock_guard lock(mutex_);
    throw lost_error_
        ->with_message(describe() + " cannot be used any more in this process; what happened to it: " +
                       lost_error_->what())
        .with_where(where);
}

bool same_hardware(const DeviceInfo& a, const DeviceInfo& b) noexcept {
    return (!a.uuid.empty() && a.uuid == b.uuid) ||
           (!a.pci_address.empty() && a.pci_address == b.pci_address);
}

} // namespace ferry::detail
