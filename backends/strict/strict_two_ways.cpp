// SPDX-License-Identifier: Apache-2.0
// The second run of a launch, with its work-items and groups in the opposite order, and the comparison.
#include "host/host_exit.hpp"
#include "strict/strict_fence.hpp"
#include "strict/strict_launch.hpp"

#include <algorithm>
#include <utility>

namespace ferry::host {
namespace {

std::string hex(std::byte value) {
    constexpr const char* digits = "0123456789abcdef";
    const auto v = std::to_integer<unsigned>(value);
    return std::string("0x") + digits[v / 16] + digits[v % 16];
}

} // namespace

bool StrictLaunch::has_orders() const noexcept {
    return function_.any_order && count_ * grid_.local.x * grid_.local.y * grid_.local.z > 1;
}

StrictLaunch::Quiet StrictLaunch::quiet() const {
    Quiet all{std::in_place};
    for (const Use& use : uses()) {
        const auto one =
            use.block->on_host() ? std::optional<std::uint64_t>(0) : use.block->quiet(use.writes);
        if (!one) {
            return std::nullopt;
        }
        all->push_back(*one);
    }
    return all;
}

std::vector<StrictLaunch::Written> StrictLaunch::written(const std::vector<std::byte*>& bases) const {
    std::vector<Written> written;
    for (std::size_t i = 0; i < bases.size(); ++i) {
        if (uses()[i].writes) {
            written.push_back({i, {bases[i], bases[i] + uses()[i].bytes}});
        }
    }
    return written;
}

void StrictLaunch::try_way(const std::vector<std::byte*>& bases, std::vector<Written>& written, Way way) {
    std::vector<std::byte*> copies = bases;
    for (Written& w : written) {
        const Use& use = uses()[w.use];
        if (!w.trial) {
            Owner owner = use.block->owner();
            owner.role = Role::trial;
            owner.offset = use.offset;
            w.trial = std::make_unique<Fence>(use.bytes, owner);
        }
        copies[w.use] = w.trial->data();
        std::copy(w.before.begin(), w.before.end(), w.trial->data());
    }
    act_on(copies, way);
}

// Bytes that differ between two forward runs are ignored: an address, or an uninitialised private variable.
void StrictLaunch::compare_orders(const std::vector<std::byte*>& bases, std::vector<Written>& written) {
    try_way(bases, written, {true, true});
    if (failure_ && !stopping()) {
        fail("When its work-items run in another order, the kernel " + *failure_);
    }
    bool same = true;
    for (Written& w : written) {
        w.other.assign(w.trial->data(), w.trial->data() + w.trial->bytes());
        same = same && std::equal(w.other.begin(), w.other.end(), bases[w.use]);
    }
    if (same || stopping()) {
        return;
    }
    try_way(bases, written, {});
    for (const Written& w : written) {
        for (std::size_t i = 0; i < w.other.size() && !stopping(); ++i) {
            const std::byte here = bases[w.use][i];
            if (w.other[i] == here || w.trial->data()[i] != here) {
                continue;
            }
            const std::string was = hex(here) + " or " + hex(w.other[i]);
            try_way(bases, written, {false, true});
            const bool inside = w.trial->data()[i] != here;
            const Use& use = uses()[w.use];
            fail("Byte " + std::to_string(use.offset + i) + " of " + host::describe(use.block->owner()) +
                 " becomes " + was + ", by the order in which its work-items run: one of them writes what " +
                 (inside ? "another one of its work-group uses, in that buffer or in local memory, and no "
                           "barrier separates the two"
                         : "one of another work-group uses, and nothing but atomic operations orders those"));
        }
    }
}

} // namespace ferry::host
