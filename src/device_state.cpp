// SPDX-License-Identifier: Apache-2.0
#include "device_state.hpp"

#include "environment.hpp"
#include "pool/device_pool.hpp"
#include "pool/memory_debug.hpp"
#include "staging/slots.hpp"

namespace ferry::detail {

DeviceState::DeviceState(std::unique_ptr<backend::Device> device)
    : device_(std::move(device)), slots_(std::make_unique<staging::Slots>(this)) {}

DeviceState::~DeviceState() = default;

DevicePool& DeviceState::pool() {
    if (DevicePool* const made = pool_if_made()) {
        return *made;
    }
    const std::lock_guard lock(mutex_);
    if (pool_ == nullptr) {
        const MemoryDebug::Mode mode = MemoryDebug::mode();
        // The strict device watches the ends and the end of each allocation.
        const bool strict = info().backend == Backend::host && library_settings().host_mode.value == "strict";
        const bool debug = mode != MemoryDebug::Mode::off;
        pool_ = std::make_unique<DevicePool>(*device_, debug || pool_setting(!strict));
        debug_ = debug ? std::make_unique<MemoryDebug>(*this, mode) : nullptr;
        pool_made_.store(pool_.get(), std::memory_order_release);
    }
    return *pool_;
}

std::string DeviceState::id() const {
    return std::string(to_string(info().backend)) + ":" + std::to_string(info().index);
}

std::string DeviceState::describe() const {
    return id() + " (" + info().name + ")";
}

void DeviceState::lose(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!lost_error_) {
        lost_error_ = error;
        lost_.store(true, std::memory_order_release);
    }
}

void DeviceState::throw_unusable(const SourceLocation& where) const {
    if (backend::process_is_exiting()) {
        throw Error(Code::invalid_state, "The process is ending; " + describe() + " cannot be used any more",
                    where);
    }
    const std::lock_guard lock(mutex_);
    throw lost_error_
        ->with_message(describe() + " cannot be used any more in this process; what happened to it: " +
                       lost_error_->what())
        .with_where(where);
}

DeviceState::Relay& DeviceState::relay() {
    std::call_once(relay_once_, [this] { relay_.queue = device_->create_queue({.timing = false}); });
    return relay_;
}

bool same_hardware(const DeviceInfo& a, const DeviceInfo& b) noexcept {
    return (!a.uuid.empty() && a.uuid == b.uuid) ||
           (!a.pci_address.empty() && a.pci_address == b.pci_address);
}

} // namespace ferry::detail
