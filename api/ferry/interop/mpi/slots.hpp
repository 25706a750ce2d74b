// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/buffer.hpp>
#include <ferry/event.hpp>
#include <ferry/queue.hpp>

#include <algorithm>
#include <cstddef>
#include <list>
#include <optional>
#include <span>
#include <vector>

namespace ferry::interop::mpi::detail {

using Region = ferry::detail::Region;

/// Host memory for a chunk in transit. It is page-locked if the device has such memory.
class Slot {
public:
    Slot(const Device& device, std::size_t bytes, SourceLocation where) {
        if (device.has(MemoryKind::host)) {
            pinned_ = Buffer<std::byte>(device, bytes, MemoryKind::host, where);
            span_ = pinned_.span(where);
        } else {
            plain_.resize(bytes);
            span_ = plain_;
        }
    }

    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    ~Slot() {
        if (!busy.ready()) {
            static_cast<void>(busy.status()); // A copy still uses it.
        }
    }

    std::byte* data() const noexcept { return span_.data(); }
    std::size_t size() const noexcept { return span_.size(); }
    bool is_pinned() const noexcept { return !pinned_.empty(); }

    /// Enqueues the copy to or from the device and records `busy` after it.
    void download(Queue& queue, const Region& from, SourceLocation where) {
        const View<const std::byte> view(from);
        if (is_pinned()) {
            queue.copy(view, pinned_.first(view.size(), where), where);
        } else {
            queue.copy(view, span_.first(view.size()), where);
        }
        busy = queue.record(where);
        queue.flush(where);
    }
    void upload(Queue& queue, const Region& to, SourceLocation where) {
        const View<std::byte> view(to);
        if (is_pinned()) {
            queue.copy(pinned_.first(view.size(), where), view, where);
        } else {
            queue.copy(span_.first(view.size()), view, where);
        }
        busy = queue.record(where);
        queue.flush(where);
    }

    Event busy; ///< When it is complete, no device command uses the slot.

private:
    Buffer<std::byte> pinned_;
    std::vector<std::byte> plain_;
    std::span<std::byte> span_;
};

/// A cache of slots, because page-locking is slow.
class Slots {
public:
    Slots(const Device& device, std::size_t largest) : device_(device), largest_(largest) {}

    std::list<Slot> take(std::size_t bytes, SourceLocation where) {
        for (auto slot = free_.begin(); slot != free_.end(); ++slot) {
            if (slot->size() >= bytes && slot->busy.ready()) {
                std::list<Slot> one;
                one.splice(one.begin(), free_, slot);
                return one;
            }
        }
        constexpr std::size_t smallest = 4096;
        std::list<Slot> made;
        made.emplace_back(device_, std::clamp(bytes, (std::min)(smallest, largest_), largest_), where);
        return made;
    }
    void give_back(std::list<Slot>&& slots) noexcept { free_.splice(free_.end(), slots); }

private:
    Device device_;
    std::size_t largest_;
    std::list<Slot> free_;
};

} // namespace ferry::interop::mpi::detail
