// SPDX-License-Identifier: Apache-2.0
#include "check/checker.hpp"

#include "base/location_text.hpp"
#include "base/no_destructor.hpp"
#include "base/process_maps.hpp"
#include "base/settings.hpp"
#include "base/text.hpp"
#include "check/race.hpp"
#include "check/subject.hpp"

#include <utility>

namespace ferry::detail::race {

namespace {
constinit std::atomic<const ShareChecks*> share_checks{nullptr};
} // namespace

void set_share_checks(const ShareChecks& checks) noexcept {
    share_checks = &checks;
}
namespace {

std::string range_text(std::size_t begin, std::size_t end) {
    return "bytes " + std::to_string(begin) + " to " + std::to_string(end);
}

std::string done(const Operation& operation) {
    return "the " + operation.what + " by " + operation.by +
           location_text(operation.actor == host ? "," : ", enqueued", operation.where);
}

} // namespace

Checker& Checker::get() {
    static NoDestructor<Checker> checker;
    return *checker;
}

std::atomic<int> state{-1};

int look_up() {
    const int now = races_setting() ? 1 : 0;
    state.store(now, std::memory_order_relaxed);
    return now;
}

Actor Checker::add_queue(const std::string& device) {
    const std::lock_guard lock(mutex_);
    Actor actor = clocks_.size();
    if (free_.empty()) {
        clocks_.emplace_back();
        names_.emplace_back();
        unseen_.emplace_back();
        exposed_.emplace_back();
    } else {
        actor = free_.back();
        free_.pop_back();
    }
    names_[actor] = "queue #" + std::to_string(++queues_) + " of " + device;
    return actor;
}

// Its counts continue from their last values, so actors that know its operations continue to know them. The
// host is one of them, because it has waited for all of them.
void Checker::remove_queue(Actor queue) {
    const std::lock_guard lock(mutex_);
    host_knows(clocks_[queue]);
    clocks_[queue].set_after_unseen(false);
    unseen_[queue] = 0;
    exposed_[queue] = false;
    free_.push_back(queue);
}

void Checker::check_alive(const std::string& what, const Region& region, SourceLocation where) const {
    if (region.memory == nullptr) {
        return;
    }
    std::unique_lock lock(mutex_);
    const auto found = memories_.find(region.memory);
    if (found == memories_.end()) {
        return;
    }
    if (!found->second.alive) {
        const Made& m = found->second;
        throw Error(Code::invalid_state,
                    "The " + what + " uses " + range_text(region.offset, region.offset + region.bytes) +
                        " of the " + m.kind + " buffer of " + in_bytes(m.bytes) + " on " + m.device +
                        location_text(" made", m.where) +
                        ", which has been destroyed; a View must not outlive its Buffer",
                    where);
    }
    lock.unlock();
    if (const Subject subject = subject_of(*region.memory); subject.kind == MemoryKind::imported) {
        check_still_mapped("The imported memory", subject.host + region.offset,
                           std::max<std::size_t>(region.bytes, 1), where);
    }
}

Checker::Place Checker::place_of(const Access& access) {
    if (access.region.memory == nullptr) {
        const auto begin = reinterpret_cast<std::uintptr_t>(access.address);
        return {nullptr, begin, begin + access.bytes};
    }
    const Region& region = access.region;
    const Subject subject = subject_of(*region.memory);
    if (subject.kind != MemoryKind::device && subject.host != nullptr) {
        const auto begin = reinterpret_cast<std::uintptr_t>(subject.host) + region.offset;
        return {nullptr, begin, begin + region.bytes};
    }
    return {region.memory, region.offset, region.offset + region.bytes};
}

std::string Checker::describe(const Region& region) const {
    if (region.memory == nullptr) {
        return "host memory";
    }
    const Subject subject = subject_of(*region.memory);
    std::string text = "the " + std::string(to_string(subject.kind)) + " buffer of " +
                       in_bytes(subject.bytes) + " on " + device_of(*region.memory);
    if (const auto found = memories_.find(region.memory); found != memories_.end()) {
        text += location_text(" made", found->second.where);
    }
    return text;
}

Error Checker::race(const Operation& now, const Access& access, const Place& place,
                    const Shadow::Conflict& conflict) const {
    const Operation& other = *conflict.other.operation;
    const std::size_t base = access.region.memory != nullptr ? access.region.offset : 0;
    std::string text = "A race: the " + now.what + " by " + now.by +
                       (access.writes ? " writes " : " reads ") +
                       range_text(conflict.begin - place.begin + base, conflict.end - place.begin + base) +
                       " of " + describe(access.region) + ", and nothing orders it after " + done(other) +
                       ", which " + (conflict.other_writes ? "writes" : "reads") + " them; ";
    if (now.actor == host) {
        text +=
            "wait for an event that is recorded after that on " + other.by + ", or for its finish(), first";
    } else if (other.actor == host) {
        text += "end that first";
    } else {
        text += "record an event after that on " + other.by + " and let " + now.by + " wait for it";
    }
    return {Code::invalid_state, std::move(text), now.where};
}

void Checker::check_direct_use(const std::string& what, const Access& access, SourceLocation where) {
    const ShareChecks* const checks = share_checks.load();
    if (const Place place = place_of(access); place.space == nullptr && checks != nullptr) {
        checks->check(what, place.begin, place.end, access.writes, where);
    }
}

void Checker::access(Actor actor, std::string what, std::span<const Access> accesses, SourceLocation where) {
    for (const Access& access : accesses) {
        check_direct_use(what, access, where);
    }
    const std::lock_guard lock(mutex_);
    Clock& clock = clock_of(actor);
    if (actor != host) {
        clock.join(clocks_[host]); // It is enqueued after the operations of the host.
    }
    if (clock.after_unseen()) {
        join_all(clock);
    }
    const auto operation =
        std::make_shared<const Operation>(Operation{std::move(what), actor, names_[actor], where});
    for (const Access& access : accesses) {
        const Place place = place_of(access);
        if (place.begin == place.end) {
            continue;
        }
        // Its own accesses, possibly of two views of one buffer, have the next count.
        if (const auto conflict = spaces_[place.space].find(place.begin, place.end, access.writes, clock)) {
            throw race(*operation, access, place, *conflict);
        }
    }
    const Stamp stamp{clock.advance(actor), operation};
    for (const Access& access : accesses) {
        const Place place = place_of(access);
        if (place.begin != place.end) {
            spaces_[place.space].add(place.begin, place.end, access.writes, stamp, clock);
        }
    }
    if (exposed_[actor]) {
        host_knows(clock); // The program may wait for it at any time.
    }
}

std::shared_ptr<const Clock> Checker::record(Actor queue) {
    const std::lock_guard lock(mutex_);
    clocks_[queue].join(clocks_[host]);
    return std::make_shared<const Clock>(clocks_[queue]);
}

void Checker::wait(Actor queue, const Clock& event) {
    const std::lock_guard lock(mutex_);
    clocks_[queue].join(event);
    if (event.after_unseen()) {
        after_unseen(queue);
    }
}

void Checker::wait_unseen(Actor queue) {
    const std::lock_guard lock(mutex_);
    after_unseen(queue);
}

void Checker::expose(Actor queue) {
    const std::lock_guard lock(mutex_);
    exposed_[queue] = true;
    after_unseen(queue);
    host_knows(clocks_[queue]);
}

// Unseen work may come after commands that are yet to be enqueued, so the queue's later commands join the
// present state, until the host has seen the wait pass.
void Checker::after_unseen(Actor queue) {
    unseen_[queue] = clocks_[queue].advance(queue);
    clocks_[queue].set_after_unseen(true);
}

void Checker::join_all(Clock& clock) const {
    for (const Clock& other : clocks_) {
        if (&other != &clock) {
            const bool unseen = clock.after_unseen();
            clock.join(other);
            clock.set_after_unseen(unseen);
        }
    }
}

void Checker::host_waits(const Clock& event) {
    const std::lock_guard lock(mutex_);
    host_knows(event);
    for (Actor queue = 1; event.after_unseen() && queue < clocks_.size(); ++queue) {
        if (!exposed_[queue] && unseen_[queue] != 0 && unseen_[queue] <= event.of(queue)) {
            unseen_[queue] = 0;
            clocks_[queue].set_after_unseen(false);
        }
    }
}

void Checker::host_waits(Actor queue) {
    const std::lock_guard lock(mutex_);
    host_knows(clocks_[queue]);
}

// Every later operation is ordered after the operations that the host knows, so these can be forgotten.
void Checker::host_knows(const Clock& event) {
    clocks_[host].join(event);
    if (event.after_unseen()) { // The wait is done, with everything before it.
        join_all(clocks_[host]);
        clocks_[host].set_after_unseen(false);
    }
    Shadow& shared = spaces_[nullptr];
    if (shared.size() > prune_at_) {
        shared.prune(clocks_[host]);
        prune_at_ = 1024 + 2 * shared.size();
    }
}

void Checker::made(const Memory& memory, SourceLocation where) {
    const std::lock_guard lock(mutex_);
    const Subject subject = subject_of(memory);
    memories_[&memory] = {
        subject.bytes,   std::string(to_string(subject.kind)), device_of(memory), where, true,
        owner_of(memory)};
}

void Checker::destroyed(const Memory& memory) {
    std::unique_lock lock(mutex_);
    const auto found = memories_.find(&memory);
    if (found == memories_.end()) {
        return;
    }
    found->second.alive = false;
    spaces_.erase(&memory);
    destroyed_.push_back(&memory);
    if (destroyed_.size() > most_destroyed) {
        memories_.erase(destroyed_.front());
        destroyed_.pop_front();
    }
    const Subject subject = subject_of(memory);
    const Region region{const_cast<Memory*>(&memory), 0, subject.bytes};
    const Place place = place_of({region});
    if (place.space == nullptr) {
        spaces_[nullptr].erase(place.begin, place.end);
        if (const ShareChecks* const checks = share_checks.load(); subject.freed_here && checks != nullptr) {
            const std::string buffer = describe(region);
            lock.unlock(); // A share may end there, and free memory.
            checks->freed(buffer, place.begin, place.end);
        }
    }
}

} // namespace ferry::detail::race
