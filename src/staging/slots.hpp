// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"

#include <ferry/error.hpp>
#include <ferry/staging.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ferry::detail {
class DeviceState;
class QueueInterface;
} // namespace ferry::detail

namespace ferry::detail::staging {

/// What transfers past the page cache are aligned to: file offset, length and memory.
constexpr std::size_t file_page = 4096;

/// One stretch of page-locked memory, aligned to a page.
class Slot {
public:
    std::byte* data = nullptr;
    std::size_t bytes = 0;

    /// Marks the end of the command that uses the slot. One for each device, made at the first need.
    backend::Event& event(DeviceState& device);

private:
    friend class Slots;
    friend class Lease;
    enum class Use : std::uint8_t { free, held, left };

    std::unique_ptr<backend::Memory> memory_; ///< null: ordinary memory
    std::unique_ptr<std::byte, void (*)(std::byte*)> ordinary_{nullptr, nullptr};
    std::vector<std::pair<DeviceState*, std::unique_ptr<backend::Event>>> events_;
    Use use_ = Use::free;
    const void* lease_ = nullptr;        ///< held, left: by whom
    const void* queue_ = nullptr;        ///< left: whose commands end in order
    backend::Event* until_ = nullptr;    ///< left: until then
    std::weak_ptr<QueueInterface> user_; ///< left: the queue whose command uses it
    std::uint64_t command_ = 0;          ///< left: that command
    std::chrono::steady_clock::time_point used_{};
};

/// The slots of one device, made as copies come that are worth them and given back when they were not used
/// for some seconds. Thread-safe.
class Slots {
public:
    /// Null: ordinary memory, for copies in which no device gains from page-locked slots, and for files.
    /// `slot_bytes`, 0: as policy.hpp says; else they are the caller's own, who alone trims them.
    explicit Slots(DeviceState* device, std::size_t slot_bytes = 0);
    Slots(const Slots&) = delete;
    Slots& operator=(const Slots&) = delete;
    ~Slots();

    /// The one for ordinary memory.
    static Slots& ordinary();

    /// Whether a copy of so many bytes should go through slots: there are enough, or it pays to make them.
    /// Counts the bytes.
    bool worth(std::size_t bytes);
    void count(std::size_t bytes);
    /// Makes all of them, as the copies of a while would: for who measures what copies cost from then on.
    void prepare();
    /// Bytes of each slot: of those there are, else of those to be made.
    std::size_t slot_bytes();
    /// Adds what is known of the slots.
    StagingInfo info();

    /// Gives back what nobody has used for so long. Makes vendor calls, unless the process ends. True if no
    /// slot is left.
    bool trim(std::chrono::steady_clock::duration unused);
    static bool trim_all(std::chrono::steady_clock::duration unused) noexcept;

private:
    friend class Lease;
    using Lock = std::unique_lock<std::mutex>;

    Slot* free_slot(const void* lease); ///< with mutex_ held
    void reap(Lock& lock);              ///< frees what was left; unlocks meanwhile
    Slot* grow(Lock& lock, const void* lease);
    std::unique_ptr<Slot> make(std::size_t bytes) const;
    void refused(const std::string& why);
    std::size_t allowed();
    // With mutex_ held.
    std::size_t most();
    std::size_t size_of_slots();     ///< what they have, or will
    std::size_t wanted_slot_bytes(); ///< where the system has the memory

    DeviceState* const device_;
    const std::size_t given_bytes_;
    std::mutex mutex_; // all that follows
    std::vector<std::unique_ptr<Slot>> slots_;
    bool growing_ = false;       ///< one at a time
    std::size_t slot_bytes_ = 0; ///< 0: asked for at the first need
    std::size_t most_ = 0;       ///< 0: asked for at the first need
    bool refused_ = false;
    std::string note_;
    std::uint64_t seen_ = 0; ///< bytes that asked for slots since there were none
    std::uint64_t copies_ = 0;
    std::uint64_t bytes_ = 0;
    std::size_t leases_ = 0;
    std::deque<const void*> waiting_; ///< leases without a slot, first come first served
};

/// What one copy uses of the slots. A copy that holds a slot can always go on; one that holds none waits its
/// turn, and while somebody waits nobody takes more than its share. For one thread.
class Lease {
public:
    explicit Lease(Slots& slots);
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease();

    /// A slot if there is one at once, else null.
    Slot* take();
    /// Waits for one. Null if there is none and the system refuses memory for it.
    Slot* wait();
    void give(Slot* slot) noexcept;
    /// The slot is free once the event that was recorded in it is complete; if it fails, `queue` hears of it.
    void leave(Slot* slot, backend::Event& until, const std::shared_ptr<QueueInterface>& queue,
               std::uint64_t command);

    Slots& slots() const noexcept { return slots_; }
    /// How many slots were made for it, because none was free.
    std::size_t made() const noexcept { return made_; }

private:
    std::size_t used() const noexcept;
    Slot* take_locked(Slots::Lock& lock, bool waiting);

    Slots& slots_;
    std::size_t made_ = 0;
};

} // namespace ferry::detail::staging
