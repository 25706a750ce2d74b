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

/// Transfers that bypass the page cache align the file offset, the length and the memory to this many bytes.
constexpr std::size_t file_page = 4096;

/// A block of page-locked memory, aligned to a page. Also used for pageable memory.
class Slot {
public:
    std::byte* data = nullptr;
    std::size_t bytes = 0;

    /// Marks the end of the command that uses the slot. There is one event for each device, created on first
    /// use.
    backend::Event& event(DeviceState& device);

private:
    friend class Slots;
    friend class Lease;
    enum class Use : std::uint8_t { free, held, left };

    std::unique_ptr<backend::Memory> memory_; ///< Null: pageable memory.
    std::unique_ptr<std::byte, void (*)(std::byte*)> ordinary_{nullptr, nullptr};
    std::vector<std::pair<DeviceState*, std::unique_ptr<backend::Event>>> events_;
    Use use_ = Use::free;
    const void* lease_ = nullptr;        ///< held, left: the lease that uses it.
    const void* queue_ = nullptr;        ///< left: the queue, as a key, because its commands end in order.
    backend::Event* until_ = nullptr;    ///< left: the slot is free once this event is complete.
    std::weak_ptr<QueueInterface> user_; ///< left: the queue whose command uses it.
    std::uint64_t command_ = 0;          ///< left: that command.
    std::chrono::steady_clock::time_point used_{};
};

/// The slots of one device. They are created when enough bytes are copied and released after some seconds
/// without use. Thread-safe.
class Slots {
public:
    /// A null device means pageable memory. It is used for files and for copies between devices that do not
    /// gain from page-locked slots. `slot_bytes` = 0: the size follows policy.hpp. Otherwise the slots have
    /// this size, and only the caller trims them.
    explicit Slots(DeviceState* device, std::size_t slot_bytes = 0);
    Slots(const Slots&) = delete;
    Slots& operator=(const Slots&) = delete;
    ~Slots();

    /// The instance for pageable memory.
    static Slots& ordinary();

    /// Whether a copy of this size should use slots: enough slots exist, or creating them pays off. Adds
    /// `bytes` to the demand that decides this.
    bool worth(std::size_t bytes);
    void count(std::size_t bytes);
    /// Creates all slots, as a series of copies would do. For measurements of the cost of later copies.
    void prepare();
    /// Size of a slot in bytes: of the existing slots, or else of those to be created.
    std::size_t slot_bytes();
    /// The members of StagingInfo that concern slots.
    StagingInfo info();

    /// Releases slots that have been free for at least this time. Makes vendor calls, except at process exit.
    /// Returns true if no slot is left.
    bool trim(std::chrono::steady_clock::duration unused);
    static bool trim_all(std::chrono::steady_clock::duration unused) noexcept;

private:
    friend class Lease;
    using Lock = std::unique_lock<std::mutex>;

    Slot* free_slot(const void* lease); ///< Requires mutex_.
    /// Makes slots free whose commands are done. Temporarily unlocks the mutex.
    void reap(Lock& lock);
    Slot* grow(Lock& lock, const void* lease);
    std::unique_ptr<Slot> make(std::size_t bytes) const;
    void refused(const std::string& why);
    std::size_t allowed();
    // The functions below require mutex_.
    std::size_t most();
    std::size_t size_of_slots();     ///< Size of existing or future slots.
    std::size_t wanted_slot_bytes(); ///< The size if the system has enough memory.

    DeviceState* const device_;
    const std::size_t given_bytes_;
    std::mutex mutex_; // Protects all members below.
    std::vector<std::unique_ptr<Slot>> slots_;
    bool growing_ = false;       ///< Slots are created one at a time.
    std::size_t slot_bytes_ = 0; ///< 0: not determined yet.
    std::size_t most_ = 0;       ///< 0: not determined yet.
    bool refused_ = false;
    std::string note_;
    std::uint64_t seen_ = 0; ///< Bytes of the copies that could have used slots, since there were none.
    std::uint64_t copies_ = 0;
    std::uint64_t bytes_ = 0;
    std::size_t leases_ = 0;
    std::deque<const void*> waiting_; ///< Leases without a slot, in order of arrival.
};

/// The slots of one copy. Waiting leases are served in order, and only leases without a slot wait, so no
/// deadlock is possible. While a lease waits, or several leases exist, no other lease exceeds its share. For
/// one thread.
class Lease {
public:
    explicit Lease(Slots& slots);
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease();

    /// Returns a slot if one is available without waiting, otherwise null.
    Slot* take();
    /// Waits for a slot. Returns null if there is none and the system refuses memory for one.
    Slot* wait();
    void give(Slot* slot) noexcept;
    /// The slot becomes free once the event, which was recorded after its use, is complete. A failure of the
    /// event is reported to `queue`.
    void leave(Slot* slot, backend::Event& until, const std::shared_ptr<QueueInterface>& queue,
               std::uint64_t command);

    Slots& slots() const noexcept { return slots_; }
    /// The number of slots that were created because none was free.
    std::size_t made() const noexcept { return made_; }

private:
    std::size_t used() const noexcept;
    Slot* take_locked(Slots::Lock& lock, bool waiting);

    Slots& slots_;
    std::size_t made_ = 0;
};

} // namespace ferry::detail::staging
