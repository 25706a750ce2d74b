// SPDX-License-Identifier: Apache-2.0
#include "staging/slots.hpp"

#include "base/no_destructor.hpp"
#include "base/process_exit.hpp"
#include "base/text.hpp"
#include "device/device_state.hpp"
#include "device/queue_interface.hpp"
#include "memory/device_pool.hpp"
#include "staging/policy.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

namespace ferry::detail::staging {
namespace {

struct Registry {
    std::mutex mutex;
    std::set<Slots*> all;
};

Registry& registry() {
    static NoDestructor<Registry> r;
    return *r;
}

} // namespace

backend::Event& Slot::event(DeviceState& device) {
    for (const auto& [of, made] : events_) {
        if (of == &device) {
            return *made;
        }
    }
    events_.emplace_back(&device, device.native().create_event(false));
    return *events_.back().second;
}

Slots::Slots(DeviceState* device, std::size_t slot_bytes) : device_(device), given_bytes_(slot_bytes) {
    connect();
    if (given_bytes_ != 0) {
        return; // Not registered, because it may be destroyed while trim_all() runs.
    }
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    r.all.insert(this);
}

Slots::~Slots() {
    if (given_bytes_ != 0) {
        return;
    }
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    r.all.erase(this);
}

Slots& Slots::ordinary() {
    static NoDestructor<Slots> slots(nullptr);
    return *slots;
}

bool Slots::worth(std::size_t bytes) {
    const Lock lock(mutex_);
    if (refused_) {
        return false;
    }
    seen_ += bytes;
    return slots_.size() >= std::min(fewest_slots, most()) ||
           seen_ / tuning().bytes_for_a_slot >= fewest_slots;
}

void Slots::count(std::size_t bytes) {
    const Lock lock(mutex_);
    ++copies_;
    bytes_ += bytes;
}

void Slots::prepare() {
    {
        const Lock lock(mutex_);
        seen_ = std::max<std::uint64_t>(seen_, most() * tuning().bytes_for_a_slot);
    }
    Lease lease(*this);
    while (lease.take() != nullptr) { // The destructor of the lease makes the slots free again.
    }
}

std::size_t Slots::slot_bytes() {
    const Lock lock(mutex_);
    return size_of_slots();
}

std::size_t Slots::size_of_slots() {
    if (slot_bytes_ == 0) {
        slot_bytes_ = wanted_slot_bytes();
    }
    return slot_bytes_;
}

std::size_t Slots::wanted_slot_bytes() {
    return given_bytes_ != 0 ? given_bytes_ : slot_size(device_).bytes;
}

StagingInfo Slots::info() {
    const Lock lock(mutex_);
    StagingInfo info;
    info.slots = slots_.size();
    info.slot_bytes = size_of_slots();
    info.most_slots = most();
    info.copies = copies_;
    info.bytes = bytes_;
    info.note = note_;
    return info;
}

std::size_t Slots::most() {
    if (most_ == 0) {
        most_ = most_slots(thread_limit().threads);
    }
    return most_;
}

std::size_t Slots::allowed() {
    return std::min(most(), std::max<std::size_t>(fewest_slots, seen_ / tuning().bytes_for_a_slot));
}

Slot* Slots::free_slot(const void* lease) {
    // The slot used last is most likely still in a cache.
    Slot* best = nullptr;
    for (const auto& slot : slots_) {
        if (slot->use_ == Slot::Use::free && (best == nullptr || slot->used_ > best->used_)) {
            best = slot.get();
        }
    }
    if (best != nullptr) {
        best->use_ = Slot::Use::held;
        best->lease_ = lease;
    }
    return best;
}

void Slots::reap(Lock& lock) {
    struct Failed {
        std::shared_ptr<QueueInterface> queue;
        Error error;
        std::uint64_t command;
    };
    std::vector<Failed> failed;
    {
        const VendorCall call;
        if (!call.allowed()) {
            return;
        }
        // Queues with a pending command: their later commands are pending too.
        std::vector<const void*> behind;
        for (const auto& slot : slots_) {
            if (slot->use_ != Slot::Use::left ||
                std::find(behind.begin(), behind.end(), slot->queue_) != behind.end()) {
                continue;
            }
            try {
                if (!slot->until_->ready()) {
                    behind.push_back(slot->queue_);
                    continue;
                }
            } catch (const Error& error) {
                if (auto queue = slot->user_.lock()) {
                    failed.push_back({std::move(queue), error, slot->command_});
                }
            }
            slot->use_ = Slot::Use::free;
            slot->user_.reset();
        }
    }
    if (!failed.empty()) {
        lock.unlock();
        for (const Failed& f : failed) {
            f.queue->command_failed(f.error, f.command);
        }
        failed.clear();
        lock.lock();
    }
}

std::unique_ptr<Slot> Slots::make(std::size_t bytes) const {
    auto slot = std::make_unique<Slot>();
    if (device_ != nullptr) {
        const VendorCall call;
        call.check({});
        const DeviceInfo& info = device_->info();
        const auto allocate = [&] {
            return device_->native().allocate(info.host_memory ? MemoryKind::host : MemoryKind::shared,
                                              bytes);
        };
        try {
            slot->memory_ = allocate();
        } catch (const Error& error) {
            if (error.code() != Code::out_of_memory || device_->pool().trim_pinned() == 0) {
                throw;
            }
            slot->memory_ = allocate();
        }
        slot->data = static_cast<std::byte*>(slot->memory_->host);
    } else {
        slot->ordinary_ = {static_cast<std::byte*>(std::aligned_alloc(file_page, bytes)),
                           [](std::byte* memory) { std::free(memory); }};
        slot->data = slot->ordinary_.get();
        if (slot->data == nullptr) {
            throw Error(Code::out_of_memory, "The host has no memory for " + in_bytes(bytes));
        }
    }
    const std::size_t past = reinterpret_cast<std::uintptr_t>(slot->data) % file_page;
    slot->data += past != 0 ? file_page - past : 0;
    slot->bytes = past != 0 ? bytes - file_page : bytes;
    return slot;
}

Slot* Slots::grow(Lock& lock, const void* lease) {
    while (!refused_ && !growing_ && slots_.size() < allowed()) {
        const std::size_t bytes = size_of_slots();
        growing_ = true;
        lock.unlock();
        std::unique_ptr<Slot> slot;
        std::string why;
        try {
            slot = make(bytes);
        } catch (const Error& error) {
            why = error.what();
        } catch (const std::bad_alloc&) {
            why = "the host has no memory left";
        }
        lock.lock();
        growing_ = false;
        if (slot != nullptr) {
            if (slots_.empty() && bytes == wanted_slot_bytes()) {
                note_.clear(); // The earlier refusal no longer applies.
            }
            slot->use_ = Slot::Use::held;
            slot->lease_ = lease;
            slots_.push_back(std::move(slot));
            return slots_.back().get();
        }
        refused(why);
    }
    return nullptr;
}

void Slots::refused(const std::string& why) {
    if (!slots_.empty()) {
        most_ = slots_.size();
        note_ = "Staging continues with " + std::to_string(most_) + " page-locked slots of " +
                in_bytes(slot_bytes_) + "; one more was refused: " + why;
    } else if (slot_bytes_ / 2 >= tuning().smallest_slot) {
        slot_bytes_ /= 2;
        note_ = "Staging continues with page-locked slots of " + in_bytes(slot_bytes_) +
                ", because larger ones were refused: " + why;
    } else {
        refused_ = true;
        note_ = "Copies of ordinary memory are left to the driver, because page-locked slots of " +
                in_bytes(slot_bytes_) + " were refused: " + why;
    }
}

bool Slots::trim(std::chrono::steady_clock::duration unused) {
    std::vector<std::unique_ptr<Slot>> gone;
    bool none = false;
    {
        Lock lock(mutex_);
        reap(lock);
        const auto limit = std::chrono::steady_clock::now() - unused;
        const auto keep = std::partition(slots_.begin(), slots_.end(), [&](const auto& slot) {
            return slot->use_ != Slot::Use::free || slot->used_ > limit;
        });
        gone.assign(std::move_iterator(keep), std::move_iterator(slots_.end()));
        slots_.erase(keep, slots_.end());
        none = slots_.empty();
        if (none && !growing_) { // A request refused earlier may succeed now.
            seen_ = 0;
            refused_ = false;
            slot_bytes_ = 0;
            most_ = 0;
        }
    }
    for (auto& slot : gone) {
        if (const VendorCall call; !call.allowed()) {
            // At process exit the vendor's library may be unloaded already.
            static_cast<void>(slot.release());
        } else {
            slot.reset();
        }
    }
    return none;
}

bool Slots::trim_all(std::chrono::steady_clock::duration unused) noexcept {
    try {
        std::vector<Slots*> all; // The pointers stay valid because a device is never destroyed.
        {
            Registry& r = registry();
            const std::lock_guard lock(r.mutex);
            all.assign(r.all.begin(), r.all.end());
        }
        bool none = true;
        for (Slots* slots : all) {
            none = slots->trim(unused) && none;
        }
        return none;
    } catch (const std::exception&) { // Out of memory: a later call can try again.
        return false;
    }
}

} // namespace ferry::detail::staging

namespace ferry::detail {
namespace {
struct SlotsPart : DevicePart {
    explicit SlotsPart(DeviceState& device) : slots(&device) {}
    staging::Slots slots;
};
} // namespace

staging::Slots& DeviceState::slots() {
    return static_cast<SlotsPart&>(part(Part::slots,
                                        [](DeviceState& device) -> std::unique_ptr<DevicePart> {
                                            return std::make_unique<SlotsPart>(device);
                                        }))
        .slots;
}

} // namespace ferry::detail
