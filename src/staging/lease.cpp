// SPDX-License-Identifier: Apache-2.0
#include "base/serial_thread.hpp"
#include "staging/slots.hpp"

#include <algorithm>

namespace ferry::detail::staging {

Lease::Lease(Slots& slots) : slots_(slots) {
    const Slots::Lock lock(slots_.mutex_);
    ++slots_.leases_;
}

Lease::~Lease() {
    const Slots::Lock lock(slots_.mutex_);
    --slots_.leases_;
    for (const auto& slot : slots_.slots_) { // A slot is still held only at process exit.
        if (slot->use_ == Slot::Use::held && slot->lease_ == this) {
            slot->use_ = Slot::Use::free;
        }
    }
}

std::size_t Lease::used() const noexcept {
    return static_cast<std::size_t>(
        std::count_if(slots_.slots_.begin(), slots_.slots_.end(), [this](const auto& slot) {
            return slot->use_ != Slot::Use::free && slot->lease_ == this;
        }));
}

Slot* Lease::take_locked(Slots::Lock& lock, bool waiting) {
    if (!waiting &&
        (!slots_.waiting_.empty() ||
         (slots_.leases_ > 1 && used() >= std::max<std::size_t>(1, slots_.most() / slots_.leases_)))) {
        return nullptr;
    }
    if (Slot* slot = slots_.free_slot(this)) {
        return slot;
    }
    slots_.reap(lock);
    if (Slot* slot = slots_.free_slot(this)) {
        return slot;
    }
    Slot* const made = slots_.grow(lock, this);
    made_ += made != nullptr;
    return made;
}

Slot* Lease::take() {
    Slots::Lock lock(slots_.mutex_);
    return take_locked(lock, false);
}

Slot* Lease::wait() {
    struct Turn {
        Slots& slots;
        const void* lease;
        ~Turn() {
            const Slots::Lock lock(slots.mutex_);
            std::erase(slots.waiting_, lease);
        }
    };
    {
        const Slots::Lock lock(slots_.mutex_);
        slots_.waiting_.push_back(this);
    }
    const Turn turn{slots_, this};
    for (Backoff backoff;; SerialThread::pause(backoff)) {
        Slots::Lock lock(slots_.mutex_);
        if (slots_.waiting_.front() != this) {
            continue;
        }
        if (Slot* slot = take_locked(lock, true)) {
            return slot;
        }
        if (slots_.refused_) {
            return nullptr;
        }
    }
}

void Lease::give(Slot* slot) noexcept {
    const Slots::Lock lock(slots_.mutex_);
    slot->use_ = Slot::Use::free;
    slot->used_ = std::chrono::steady_clock::now();
}

void Lease::leave(Slot* slot, backend::Event& until, const std::shared_ptr<QueueInterface>& queue,
                  std::uint64_t command) {
    const Slots::Lock lock(slots_.mutex_);
    slot->use_ = Slot::Use::left;
    slot->queue_ = queue.get();
    slot->until_ = &until;
    slot->user_ = queue;
    slot->command_ = command;
    slot->used_ = std::chrono::steady_clock::now();
}

} // namespace ferry::detail::staging
