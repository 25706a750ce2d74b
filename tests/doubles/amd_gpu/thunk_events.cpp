// SPDX-License-Identifier: Apache-2.0
// libhsakmt's events: the interrupts of a device.
#include "device_memory.hpp"
#include "events.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>

namespace {

using amd_gpu::u32;
using amd_gpu::u64;

constexpr u32 slot_count = 1 << 16;

// A set event wakes all threads that wait for it. It stays set if it is a manual one, or if no thread waits.
// These are the rules of Linux (drivers/gpu/drm/amd/amdkfd/kfd_events.c). AMD's runtime needs them: its
// thread for signal handlers waits for an event for which another thread may wait too.
struct Event {
    HsaEvent event = {};
    bool set = false;
    bool manual = false;
    bool destroyed = false;
    unsigned waiters = 0;
    u64 times_set = 0;

    void become_set() {
        set = manual || waiters == 0;
        ++times_set;
    }
};

// One thread's wait for one event.
class Waiter {
public:
    explicit Waiter(Event& event) : event_(&event), times_before_(event.times_set), was_set_(event.set) {
        event.set = event.set && event.manual;
        ++event.waiters;
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() { --event_->waiters; }
    bool awake() const { return was_set_ || event_->times_set != times_before_; }
    bool destroyed() const { return event_->destroyed; }

private:
    Event* event_;
    u64 times_before_;
    bool was_set_;
};

struct Events {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<u32, Event*> by_id;
    u32 next = 1;
    // A device announces an event by writing its number here.
    u64* slots = nullptr;

    Events() {
        void* const memory = mmap(nullptr, slot_count * sizeof(u64), PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            std::abort();
        }
        slots = static_cast<u64*>(memory);
        amd_gpu::show_to_all(slots, slot_count * sizeof(u64));
    }
};

Events& events() {
    static Events& all = *new Events;
    return all;
}

} // namespace

namespace amd_gpu {

void set_event(u32 id) {
    Events& all = events();
    const std::lock_guard lock(all.mutex);
    const auto found = all.by_id.find(id);
    if (found != all.by_id.end()) {
        found->second->become_set();
        all.changed.notify_all();
    }
}

void deliver_interrupt(u32 data) {
    Events& all = events();
    const std::lock_guard lock(all.mutex);
    for (const auto& [id, event] : all.by_id) {
        u64& slot = all.slots[id % slot_count];
        if ((id & 0xff) == (data & 0xff) && __atomic_load_n(&slot, __ATOMIC_ACQUIRE) == id) {
            __atomic_store_n(&slot, u64{0}, __ATOMIC_RELEASE);
            event->become_set();
        }
    }
    all.changed.notify_all();
}

unsigned waiting_threads(u32 id) {
    Events& all = events();
    const std::lock_guard lock(all.mutex);
    const auto found = all.by_id.find(id);
    return found == all.by_id.end() ? 0 : found->second->waiters;
}

} // namespace amd_gpu

extern "C" {

HSAKMT_STATUS hsaKmtCreateEvent(HsaEventDescriptor* descriptor, bool manual, bool set, HsaEvent** out) {
    Events& all = events();
    const std::lock_guard lock(all.mutex);
    auto* const event = new Event;
    event->event.EventId = all.next++;
    event->event.EventData.EventType = descriptor->EventType;
    event->event.EventData.EventData.SyncVar = descriptor->SyncVar;
    event->event.EventData.HWData2 = reinterpret_cast<u64>(all.slots + event->event.EventId % slot_count);
    event->event.EventData.HWData3 = event->event.EventId;
    event->manual = manual;
    event->set = set;
    all.by_id[event->event.EventId] = event;
    *out = &event->event;
    return HSAKMT_STATUS_SUCCESS;
}

// The object stays: a thread may still wait for it.
HSAKMT_STATUS hsaKmtDestroyEvent(HsaEvent* event) {
    if (event == nullptr) {
        return HSAKMT_STATUS_INVALID_HANDLE;
    }
    Events& all = events();
    const std::lock_guard lock(all.mutex);
    const auto found = all.by_id.find(event->EventId);
    if (found != all.by_id.end()) {
        found->second->destroyed = true;
        all.by_id.erase(found);
        all.changed.notify_all();
    }
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtSetEvent(HsaEvent* event) {
    if (event == nullptr) {
        return HSAKMT_STATUS_INVALID_HANDLE;
    }
    amd_gpu::set_event(event->EventId);
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtWaitOnMultipleEvents(HsaEvent* list[], HSAuint32 count, bool all_of_them,
                                         HSAuint32 milliseconds) {
    Events& all = events();
    std::unique_lock lock(all.mutex);
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    std::deque<Waiter> waiters;
    for (HSAuint32 i = 0; i < count; ++i) {
        const auto found = all.by_id.find(list[i]->EventId);
        if (found == all.by_id.end()) {
            return HSAKMT_STATUS_WAIT_FAILURE;
        }
        waiters.emplace_back(*found->second);
    }
    while (true) {
        const auto awake = std::count_if(waiters.begin(), waiters.end(), std::mem_fn(&Waiter::awake));
        if (all_of_them ? awake == std::ssize(waiters) : awake > 0) {
            return HSAKMT_STATUS_SUCCESS;
        }
        if (std::any_of(waiters.begin(), waiters.end(), std::mem_fn(&Waiter::destroyed))) {
            return HSAKMT_STATUS_WAIT_FAILURE;
        }
        if (milliseconds == HSA_EVENTTIMEOUT_INFINITE) {
            all.changed.wait(lock);
        } else if (all.changed.wait_until(lock, until) == std::cv_status::timeout) {
            return HSAKMT_STATUS_WAIT_TIMEOUT;
        }
    }
}

HSAKMT_STATUS hsaKmtWaitOnEvent(HsaEvent* event, HSAuint32 milliseconds) {
    return event == nullptr ? HSAKMT_STATUS_INVALID_HANDLE
                            : hsaKmtWaitOnMultipleEvents(&event, 1, true, milliseconds);
}

} // extern "C"
