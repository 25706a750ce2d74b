// SPDX-License-Identifier: Apache-2.0
#include "share/protected_pages.hpp"

#include "base/no_destructor.hpp"
#include "base/poison.hpp"
#include "base/process_exit.hpp"
#include "base/process_maps.hpp"
#include "queue/event_state.hpp"
#include "system/fork.hpp"
#include "system/pages.hpp"
#include "system/pause.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <map>
#include <utility>

namespace ferry::detail {
namespace {

// Each range costs the process at most two of its 65530 mappings.
constexpr std::size_t most_ranges = 1024;

std::atomic<std::uint64_t> changes{0};

/// All protected pages of the process. A forked child has access to none of them, and has no thread that
/// would restore it.
struct Pages {
    std::mutex mutex;
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> ranges;
    std::map<std::uintptr_t, std::vector<std::byte>> poisoned; ///< Address and original contents.

    /// For readers that do not know of the device's bytes. Leaves bytes that the program has written or
    /// unmapped.
    void take_poison_away() noexcept {
        const std::uintptr_t page = page_size();
        for (const auto& [begin, before] : poisoned) {
            const std::uintptr_t first = begin / page * page;
            if (!are_mapped(reinterpret_cast<void*>(first), begin + before.size() - first)) {
                continue;
            }
            auto* const data = reinterpret_cast<std::byte*>(begin);
            for (std::size_t i = 0; i < before.size(); ++i) {
                data[i] = data[i] == std::byte{poison_at(data + i)} ? before[i] : data[i];
            }
        }
        poisoned.clear();
    }
};

void allow_in_child(std::uintptr_t begin, std::uintptr_t end) noexcept {
    const auto allow = [](std::uintptr_t from, std::uintptr_t bytes) {
        return set_page_rights(reinterpret_cast<void*>(from), bytes, PageRights::all);
    };
    const std::uintptr_t page = page_size();
    if (!allow(begin, end - begin)) { // Some are not mapped in the child.
        for (std::uintptr_t at = begin; at < end; at += page) {
            allow(at, page);
        }
    }
}

Pages& pages();

void lock_for_fork() {
    pages().mutex.lock();
}
void unlock_in_parent() {
    pages().mutex.unlock();
}
void unlock_in_child() {
    for (const auto& [begin, end] : pages().ranges) {
        allow_in_child(begin, end);
    }
    pages().ranges.clear();
    pages().take_poison_away();
    pages().mutex.unlock();
}

Pages& pages() {
    static NoDestructor<Pages> all;
    static const bool connected = [] {
        static constexpr OwnProtection protection{&is_protected_from_host, &changes_of_protected_pages};
        set_own_protection(protection);
        at_process_exit(ExitTask::pages, &release_all_protected_pages);
        return at_fork(&lock_for_fork, &unlock_in_parent, &unlock_in_child);
    }();
    static_cast<void>(connected);
    return *all;
}

/// Returns false if the system refuses, or if the limit is reached.
bool take_rights(std::uintptr_t begin, std::uintptr_t end) {
    Pages& all = pages();
    const std::lock_guard lock(all.mutex);
    if (all.ranges.size() == most_ranges) {
        return false;
    }
    all.ranges.emplace_back(begin, end);
    ++changes; // Before it is visible.
    if (set_page_rights(reinterpret_cast<void*>(begin), end - begin, PageRights::none)) {
        return true;
    }
    allow_again(reinterpret_cast<const void*>(begin), end - begin); // A part of them may be unmapped.
    all.ranges.pop_back();
    ++changes;
    return false;
}

void give_rights(std::uintptr_t begin, std::uintptr_t end) noexcept {
    Pages& all = pages();
    const std::lock_guard lock(all.mutex);
    const auto found = std::find(all.ranges.begin(), all.ranges.end(), std::pair(begin, end));
    if (found != all.ranges.end()) { // Not in a child, which can access all of them.
        allow_again(reinterpret_cast<const void*>(begin), end - begin);
        all.ranges.erase(found);
        ++changes; // After it is visible.
    }
}

void put_poison(std::byte* data, std::size_t bytes) {
    Pages& all = pages();
    const std::lock_guard lock(all.mutex);
    all.poisoned[reinterpret_cast<std::uintptr_t>(data)].assign(data, data + bytes);
    ++changes;
    poison(data, bytes);
}

void forget_poison(const std::byte* data) noexcept {
    Pages& all = pages();
    const std::lock_guard lock(all.mutex);
    all.poisoned.erase(reinterpret_cast<std::uintptr_t>(data));
}

} // namespace

ByteRange ProtectedPages::whole_pages(ByteRange range) const noexcept {
    const std::uintptr_t page = page_size();
    const auto first = reinterpret_cast<std::uintptr_t>(data_);
    const std::uintptr_t begin = (first + range.begin + page - 1) / page * page;
    const std::uintptr_t end = (first + range.end) / page * page;
    return begin < end ? ByteRange{begin - first, end - first} : ByteRange{range.end, range.end};
}

void ProtectedPages::expect(Queue& queue, ByteRange range, const std::string& kernel, const Event& written,
                            std::vector<Event> others, SourceLocation where) {
    give_back(range);
    std::uint64_t number = 0;
    {
        const ByteRange whole = whole_pages(range);
        const std::lock_guard lock(mutex_);
        number = ++last_;
        const auto add = [&](ByteRange part, bool pages) {
            if (part.size() != 0) {
                parts_.push_back({part, number, pages, false, kernel});
            }
        };
        add({range.begin, whole.begin}, false);
        add(whole, true);
        add({whole.end, range.end}, false);
    }
    QueueState& on = queue.state(where);
    backend::Device* const device = &on.device().native();
    on.when_done(
        EventRef(Event(written).leave()),
        [weak = weak_from_this(), number, device, others = std::move(others)](bool well) {
            if (const std::shared_ptr<ProtectedPages> self = weak.lock()) {
                well ? self->protect_pages(number, *device, others) : self->forget(number);
            }
        },
        where);
}

void ProtectedPages::protect_pages(std::uint64_t number, backend::Device& device,
                                   const std::vector<Event>& others) {
    const std::lock_guard lock(mutex_);
    bool all = false;
    try {
        // Not Event::ready(), which the race check treats as a wait of the host.
        all = std::all_of(others.begin(), others.end(), [](const Event& event) {
            return event.state() == nullptr || event.state()->ready();
        });
    } catch (const std::exception&) { // The device was lost.
    }
    std::erase_if(parts_, [&](Part& part) {
        return part.number == number && !part.held && !(all && hold(part, device));
    });
}

bool ProtectedPages::hold(Part& part, backend::Device& device) {
    std::byte* const data = data_ + part.range.begin;
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    try {
        if (part.pages) {
            part.explained = device.mistake_hooks()->explain_faults(
                {data, part.range.size(), part.range.begin, bytes_, part.kernel});
            part.held = take_rights(begin, begin + part.range.size());
        } else {
            check_still_mapped("The shared memory", data, part.range.size(), {});
            put_poison(data, part.range.size());
            part.held = true;
        }
    } catch (const std::exception&) { // Out of memory, or the caller's memory is unmapped.
    }
    return part.held;
}

void ProtectedPages::forget(std::uint64_t number) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase_if(parts_, [&](const Part& part) { return part.number == number; });
}

void ProtectedPages::give_back(ByteRange range) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase_if(parts_, [&](const Part& part) {
        const bool gone = part.range.overlaps(range);
        if (gone && part.held && part.pages) {
            const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(data_) + part.range.begin;
            give_rights(begin, begin + part.range.size());
        } else if (gone && part.held) {
            forget_poison(data_ + part.range.begin);
        }
        return gone;
    });
}

bool ProtectedPages::has_poison() const noexcept {
    const std::lock_guard lock(mutex_);
    return std::any_of(parts_.begin(), parts_.end(),
                       [](const Part& part) { return part.held && !part.pages; });
}

std::optional<ProtectedPages::Change> ProtectedPages::changed() {
    const std::lock_guard lock(mutex_);
    for (auto part = parts_.begin(); part != parts_.end(); ++part) {
        if (!part->held || part->pages) {
            continue;
        }
        const std::byte* const data = data_ + part->range.begin;
        if (const std::size_t first = unpoisoned(data, part->range.size()); first != part->range.size()) {
            std::size_t last = part->range.size();
            while (data[last - 1] == std::byte{poison_at(data + last - 1)}) {
                --last;
            }
            const ByteRange range{part->range.begin + first, part->range.begin + last};
            Change change{range, part->kernel};
            forget_poison(data_ + part->range.begin);
            parts_.erase(part);
            return change;
        }
    }
    return std::nullopt;
}

RangeSet ProtectedPages::ranges() const {
    const std::lock_guard lock(mutex_);
    RangeSet all;
    for (const Part& part : parts_) {
        all.add(part.range);
    }
    return all;
}

bool is_protected_from_host(std::uintptr_t begin, std::uintptr_t end) {
    const std::lock_guard lock(pages().mutex);
    RangeSet all;
    for (const auto& [first, last] : pages().ranges) {
        all.add({first, last});
    }
    return all.holds({begin, end});
}

std::uint64_t changes_of_protected_pages() noexcept {
    return changes.load();
}

void release_all_protected_pages() noexcept {
    if (changes.load() == 0) {
        return;
    }
    Pages& all = pages();
    const auto deadline = PollClock::now() + std::chrono::milliseconds(150);
    if (poll_until(deadline, std::chrono::microseconds(100), [&] { return all.mutex.try_lock(); })) {
        for (const auto& [begin, end] : all.ranges) {
            allow_again(reinterpret_cast<const void*>(begin), end - begin);
        }
        all.ranges.clear();
        all.take_poison_away();
        all.mutex.unlock();
    }
}

} // namespace ferry::detail
