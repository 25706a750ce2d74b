// SPDX-License-Identifier: Apache-2.0
#include "device/device_state.hpp"

#include "base/settings.hpp"
#include "memory/device_pool.hpp"
#include "memory/memory_debug.hpp"
#include "staging/slots.hpp"

namespace ferry::detail {

struct DeviceState::Pools {
    explicit Pools(DeviceState& device) {
        const MemoryDebug::Mode mode = MemoryDebug::mode();
        // The strict device checks the boundaries and the end of each allocation.
        const bool strict =
            device.info().backend == Backend::host && library_settings().host_mode.value == "strict";
        const bool debugged = mode != MemoryDebug::Mode::off;
        pool = std::make_unique<DevicePool>(device.native(), debugged || pool_setting(!strict));
        debug = debugged ? std::make_unique<MemoryDebug>(device, mode) : nullptr;
    }
    const unsigned forks = fork_count(); ///< At its creation.
    std::unique_ptr<DevicePool> pool;
    std::unique_ptr<MemoryDebug> debug;
};

DeviceState::Relay::Relay(DeviceState& device) : queue(device.native().create_queue({.timing = false})) {}

namespace {

/// The part if this process created it, otherwise null.
template <class Part>
Part* own(const std::atomic<Part*>& part) noexcept {
    Part* const made = part.load(std::memory_order_acquire);
    return made != nullptr && made->forks == forks_seen.load(std::memory_order_relaxed) ? made : nullptr;
}

/// A parent's part stays unchanged.
template <class Part>
Part& own_or_new(std::atomic<Part*>& part, DeviceState& device) {
    if (Part* const made = own(part)) {
        return *made;
    }
    auto mine = std::make_unique<Part>(device);
    for (Part* seen = part.load();;) {
        if (seen != nullptr && seen->forks == mine->forks) {
            return *seen; // Another thread was faster.
        }
        if (part.compare_exchange_weak(seen, mine.get())) {
            return *mine.release();
        }
    }
}

} // namespace

DeviceState::DeviceState(std::unique_ptr<backend::Device> device)
    : device_(std::move(device)), slots_(std::make_unique<staging::Slots>(this)) {}

DeviceState::~DeviceState() {
    delete own(relay_);
    delete own(pools_);
}

DevicePool& DeviceState::pool() {
    return *own_or_new(pools_, *this).pool;
}

MemoryDebug* DeviceState::memory_debug() noexcept {
    const Pools* const made = own(pools_);
    return made != nullptr ? made->debug.get() : nullptr;
}

DevicePool* DeviceState::pool_if_made() noexcept {
    const Pools* const made = own(pools_);
    return made != nullptr ? made->pool.get() : nullptr;
}

DeviceState::Relay& DeviceState::relay() {
    return own_or_new(relay_, *this);
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
