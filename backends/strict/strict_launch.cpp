// SPDX-License-Identifier: Apache-2.0
#include "strict/strict_launch.hpp"

#include "host/host_exit.hpp"
#include "host/host_pool.hpp"
#include "strict/strict_fence.hpp"
#include "system/fault.hpp"
#include "system/float_environment.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace ferry::host {
namespace {

using Kind = ferry::detail::ArgumentKind;

constexpr std::size_t round_up(std::size_t bytes) noexcept {
    return (bytes + guard_alignment - 1) / guard_alignment * guard_alignment;
}

std::byte* aligned(std::vector<std::byte>& room) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(room.data());
    return room.data() + (guard_alignment - at % guard_alignment) % guard_alignment;
}

void stop_at(const char* what, const char* where, const unsigned long* item) {
    detail::end_trapped({0, Fault::Kind::reported, what, where, {item[0], item[1], item[2]}});
}

} // namespace

// Views of one host buffer become one range, so that they remain aliases of each other.
std::vector<Use> StrictLaunch::uses_of(const KernelInfo& info, std::span<const backend::Argument> arguments) {
    std::vector<Use> uses;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const backend::Argument& a = arguments[i];
        if (a.kind != Kind::buffer || a.place.memory == nullptr) {
            continue;
        }
        Use use{static_cast<StrictMemory*>(a.place.memory)->block(), a.place.offset, a.bytes, true};
        use.writes = !a.constant && !use.block->read_only() &&
                     !(i < info.parameters.size() && info.parameters[i].read_only);
        const auto same =
            std::find_if(uses.begin(), uses.end(), [&](const Use& u) { return u.block == use.block; });
        if (same == uses.end()) {
            use.parts.emplace_back(use.offset, use.offset + use.bytes);
            uses.push_back(std::move(use));
            continue;
        }
        same->parts.emplace_back(use.offset, use.offset + use.bytes);
        const std::size_t end = std::max(same->offset + same->bytes, use.offset + use.bytes);
        same->offset = std::min(same->offset, use.offset);
        same->bytes = end - same->offset;
        same->writes = same->writes || use.writes;
    }
    return uses;
}

StrictLaunch::StrictLaunch(const Origin& origin, const Function& function, const KernelInfo& info,
                           const Grid& grid, std::span<const backend::Argument> arguments)
    : StrictCommand(origin, "the launch of kernel '" + info.name + "'", uses_of(info, arguments), false),
      function_(function),
      grid_(grid),
      count_(grid.groups.x * grid.groups.y * grid.groups.z),
      slots_(arguments.size()),
      addresses_(arguments.size()) {
    if (count_ < std::size_t{1} << 31U) { // Beyond this, the product could overflow.
        first_ = origin.chance.below(count_);
        do {
            step_ = 1 + origin.chance.below(count_);
        } while (std::gcd(step_, count_) != 1);
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const backend::Argument& a = arguments[i];
        Slot& slot = slots_[i];
        if (a.kind == Kind::value) {
            slot.value.resize(a.bytes + 2 * guard_alignment);
            std::memcpy(aligned(slot.value), a.value, a.bytes);
        } else if (a.kind == Kind::local) {
            slot.local_bytes = a.bytes;
            local_bytes_ += round_up(a.bytes) + guard_alignment;
        } else if (a.place.memory != nullptr) {
            slot.block = static_cast<StrictMemory*>(a.place.memory)->block().get(); // uses() keeps it alive.
            slot.offset = a.place.offset;
        }
    }
    for (std::size_t i = 0; i < uses().size(); ++i) {
        if (range_of(i) == nullptr) {
            continue;
        }
        Shadow& shadow = shadows_.emplace_back();
        shadow.use = uses()[i];
        shadow.range = range_of(i);
    }
}

void StrictLaunch::bring_in(Shadow& shadow) const {
    const std::byte* const from = shadow.use.data();
    Owner owner = shadow.use.block->owner();
    owner.role = Role::launch_copy;
    owner.offset = shadow.use.offset;
    shadow.copy = std::make_unique<Fence>(shadow.use.bytes, owner);
    shadow.count = RangeInFlight::count();
    shadow.alone = shadow.range->is_alone();
    shadow.taken.assign(from, from + shadow.use.bytes);
    std::memcpy(shadow.copy->data(), shadow.taken.data(), shadow.taken.size());
    if (!shadow.use.writes) {
        shadow.copy->allow(detail::PageRights::read);
    }
}

// Byte by byte, because another command may have written to its own bytes of the same range.
void StrictLaunch::bring_back(Shadow& shadow) const {
    std::byte* const host = shadow.use.data();
    const std::byte* const copy = shadow.copy->data();
    const std::vector<std::byte>& taken = shadow.taken;
    const bool alone = shadow.alone && shadow.count == RangeInFlight::count();
    for (std::size_t i = 0; i < taken.size(); ++i) {
        if (alone && host[i] != taken[i] && shadow.use.has(shadow.use.offset + i)) {
            host_wrote(shadow.use, i, "while the launch was running");
        }
        if (copy[i] != taken[i]) {
            host[i] = copy[i];
        }
    }
    if (shadow.use.writes) {
        if (const auto damage = shadow.copy->damage()) {
            fail("It wrote to " + *damage + " of its argument, " + shadow.use.describe());
        }
    }
}

void StrictLaunch::act() {
    std::vector<std::byte*> bases; // Of the uses.
    for (const Use& use : uses()) {
        bases.push_back(use.data());
    }
    for (Shadow& shadow : shadows_) {
        bring_in(shadow);
        const auto use = std::find_if(uses().begin(), uses().end(),
                                      [&](const Use& u) { return u.block == shadow.use.block; });
        bases[static_cast<std::size_t>(use - uses().begin())] = shadow.copy->data();
    }
    const Quiet quiet_before = has_orders() || function_.repeatable ? quiet() : std::nullopt;
    std::vector<Written> before = quiet_before && has_orders() ? written(bases) : std::vector<Written>();
    std::vector<Trial> again = quiet_before && function_.repeatable ? trials(bases) : std::vector<Trial>();
    act_on(bases, {});
    if (failure_) {
        fail("The kernel " + *failure_);
    }
    const bool still_quiet = quiet_before && quiet() == quiet_before;
    if (!before.empty() && still_quiet) {
        compare_orders(bases, before);
    }
    if (still_quiet && function_.repeatable) {
        check_unwritten(bases, std::move(again));
    } else {
        define_all();
    }
    for (Shadow& shadow : shadows_) {
        bring_back(shadow);
    }
}

void StrictLaunch::act_on(const std::vector<std::byte*>& bases, Way way) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        Slot& slot = slots_[i];
        if (!slot.value.empty()) {
            addresses_[i] = aligned(slot.value);
            continue;
        }
        addresses_[i] = &slot.address;
        if (slot.block != nullptr) {
            const auto use = std::find_if(uses().begin(), uses().end(),
                                          [&](const Use& u) { return u.block.get() == slot.block; });
            slot.address =
                bases[static_cast<std::size_t>(use - uses().begin())] + (slot.offset - use->offset);
        }
    }
    failed_ = false;
    failure_.reset();
    const auto run = [this, way](std::size_t first, std::size_t last) {
        const ferry::detail::DefaultFloatEnvironment floats; // a function of the program may change it
        Fault fault;
        if (!trapped([&] { run_groups(first, last, way); }, fault)) {
            note(FaultText(fault, false).c_str());
        }
    };
    if (way.in_a_row == 0) {
        Pool::get().run(count_, run, function_.stack);
    } else {
        Pool::get().run(
            1, [&](std::size_t, std::size_t) { run(0, way.in_a_row); }, function_.stack);
    }
}

void StrictLaunch::note(std::string what) {
    failed_ = true;
    const std::lock_guard lock(mutex_);
    if (!failure_) {
        failure_ = std::move(what);
    }
}

void StrictLaunch::run_groups(std::size_t first, std::size_t last, Way way) {
    std::vector<void*> addresses = addresses_;
    std::vector<void*> locals(slots_.size());
    thread_local std::vector<std::byte> room; // Not on the stack, which a fault may cut short.
    if (room.size() < local_bytes_ + guard_alignment) {
        room.resize(local_bytes_ + guard_alignment);
    }
    std::byte* at = aligned(room);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (slots_[i].local_bytes != 0) {
            locals[i] = std::exchange(at, at + round_up(slots_[i].local_bytes) + guard_alignment);
            addresses[i] = &locals[i];
        }
    }
    for (std::size_t i = first; i < last && !stopping() && !failed_; ++i) {
        for (std::size_t a = 0; a < slots_.size(); ++a) {
            if (auto* const local = static_cast<std::byte*>(locals[a])) {
                poison(local, slots_[a].local_bytes);
                std::fill(local + slots_[a].local_bytes,
                          local + round_up(slots_[a].local_bytes) + guard_alignment, guard_byte);
            }
        }
        const char* failure = nullptr;
        const ModuleGroup group{
            {group_of(way.groups_backwards ? count_ - 1 - i : i), grid_.groups, grid_.local},
            grid_.offset,
            &failure,
            way.items_backwards ? 1UL : 0UL,
            &stop_at};
        if (function_.row != nullptr) {
            function_.row(group, addresses.data(), 1);
        } else {
            function_.group(group, addresses.data());
        }
        if (failure != nullptr) {
            note("cannot go on. " + std::string(failure));
            return;
        }
        for (std::size_t a = 0; a < slots_.size(); ++a) {
            if (const auto* const local = static_cast<const std::byte*>(locals[a])) {
                const std::byte* const end = local + round_up(slots_[a].local_bytes) + guard_alignment;
                if (std::any_of(local + slots_[a].local_bytes, end,
                                [](std::byte b) { return b != guard_byte; })) {
                    note("wrote past the end of argument " + std::to_string(a) + ", " +
                         std::to_string(slots_[a].local_bytes) + " bytes of local memory");
                    return;
                }
            }
        }
    }
}

} // namespace ferry::host
