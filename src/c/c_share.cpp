// SPDX-License-Identifier: Apache-2.0
#include "c_call.hpp"

#include <bit>
#include <memory>

namespace ferry::c {
namespace {

Placements placements_of(std::uint32_t set, const Call& at) {
    constexpr std::uint32_t all = (1U << (FERRY_PLACEMENT_STAGE + 1)) - 1;
    if (set > all) {
        at.refuse(Code::invalid_argument, "The set of placements " + at.of() + " is " + std::to_string(set) +
                                              "; it is a sum of 1 << FERRY_PLACEMENT_..., at most " +
                                              std::to_string(all));
    }
    if (set == 0) {
        return Placements::all();
    }
    const auto first = static_cast<Placement>(std::countr_zero(set));
    const auto taken = [&](Placement one) {
        return (set >> static_cast<unsigned>(one) & 1U) != 0 ? one : first;
    };
    return {taken(Placement::alias), taken(Placement::link), taken(Placement::migrate),
            taken(Placement::copy), taken(Placement::stage)};
}

ShareOptions options_of(const ferry_share_options* options, const Call& at) {
    ShareOptions result;
    if (options != nullptr) {
        result.allowed = placements_of(options->allowed, at);
        result.passes = options->passes;
        result.pattern = at.choice(options->pattern, Pattern::random, "options->pattern");
        result.versions = options->versions;
    }
    return result;
}

} // namespace
} // namespace ferry::c

using ferry::c::Call;
using ferry::c::call;

ferry_code ferry_share_create(ferry_device* device, void* memory, size_t bytes, ferry_device_access access,
                              const ferry_share_options* options, ferry_share** share) {
    return call(__func__, [&](const Call& at) {
        ferry_share*& made = at.out(share, "share");
        const ferry::Device& with = at.get(device, "device").device;
        const auto use = at.choice(access, ferry::Access::device_updates, "access");
        const std::span span(static_cast<std::byte*>(memory), bytes);
        made = new ferry_share(ferry::share(with, span, use, ferry::c::options_of(options, at), at.where));
    });
}

ferry_code ferry_share_begin(ferry_share* share, ferry_queue* queue, ferry_host_access access, size_t offset,
                             size_t bytes, ferry_access** out, void** data) {
    return call(__func__, [&](const Call& at) {
        ferry_access*& made = at.out(out, "out");
        at.not_null(data, "data", "the address of a pointer");
        const ferry::Shared<std::byte>& shared = at.get(share, "share").shared;
        ferry::Queue& on = at.get(queue, "queue").queue;
        const auto use = at.choice(access, ferry::HostAccess::read_write, "access");
        static_cast<void>(shared.device(at.where)); // Throws for an ended share, which has no size.
        const std::size_t count = at.range(shared.size(), offset, bytes, "a share");
        auto handle = std::make_unique<ferry_access>(shared.host_part(on, use, offset, count, at.where));
        *data = handle->guard.data();
        made = handle.release();
    });
}

void ferry_access_release(ferry_access* access) {
    ferry::c::release(access);
}

ferry_code ferry_share_get_info(ferry_share* share, ferry_share_info* info) {
    return call(__func__, [&](const Call& at) {
        at.not_null(info, "info", "the address of a ferry_share_info");
        const ferry::Explanation now = at.get(share, "share").shared.explain(at.where);
        *info = {now.bytes_up, now.bytes_down, now.copies, static_cast<ferry_placement>(now.taken)};
    });
}

ferry_code ferry_share_explain(ferry_share* share, char* text, size_t capacity, size_t* needed) {
    return call(__func__, [&](const Call& at) {
        at.text(to_string(at.get(share, "share").shared.explain(at.where)), text, capacity, needed);
    });
}

ferry_code ferry_share_end(ferry_share* share) {
    return call(__func__, [&](const Call& at) { at.get(share, "share").shared.end(at.where); });
}

void ferry_share_release(ferry_share* share) {
    ferry::c::release(share);
}
