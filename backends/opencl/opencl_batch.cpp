// SPDX-License-Identifier: Apache-2.0
#include "opencl_batch.hpp"

#include "opencl_device.hpp"
#include "opencl_error.hpp"
#include "opencl_launch.hpp"
#include "opencl_queue.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

namespace ferry::opencl {
namespace {

/// Bytes that a work-item moves at a time if both ends allow it; each byte of an end has an item.
constexpr std::size_t unit = OwnKernel::least_group;
constexpr std::size_t bytes_of_group = std::size_t{16} << 10;
constexpr std::size_t most_listed = 4096; ///< In a part.
/// Bytes transferred to the device in the time that a command costs. Bytes between the sources in mirrored
/// memory are transferred too if they are at most this many for each source.
constexpr std::size_t most_hull = std::size_t{64} << 10;

bool suits(const backend::BatchCopy& one) {
    const bool between = one.from.memory != nullptr && one.to.memory != nullptr;
    return one.bytes <= (between ? Packs::largest_between : Packs::largest_with_host);
}

OpenclMemory* memory_at(const backend::Place& place) {
    return static_cast<OpenclMemory*>(place.memory);
}

bool is_mirrored(const OpenclMemory* memory) {
    return memory != nullptr && memory->storage == Storage::mirrored;
}

/// A launch takes the whole memory from the host, which may be using other bytes of it; a copy uses an
/// address.
bool is_mapped(const OpenclMemory* memory) {
    return memory != nullptr && memory->storage == Storage::mapped;
}

/// A kernel may not both read and write it.
bool is_for_one(const OpenclMemory* memory) {
    return memory != nullptr && !memory->kernels_update;
}

/// By their memories, then by their destinations.
bool stands_before(const Packs::Copy& a, const Packs::Copy& b) {
    const std::less<> less;
    if (a.from != b.from) {
        return less(a.from, b.from);
    }
    if (a.to != b.to) {
        return less(a.to, b.to);
    }
    return a.to != nullptr ? a.one->to.offset < b.one->to.offset : a.one->from.offset < b.one->from.offset;
}

/// Calls `run(begin, end)` for the longest ranges without a gap. The items must be in order.
template <class Item, class Begin, class Run>
void for_each_run(std::span<const Item> items, const Begin& begin, const Run& run) {
    std::size_t first = begin(items[0]);
    std::size_t end = first;
    for (const Item& item : items) {
        if (begin(item) != end) {
            run(first, end);
            first = begin(item);
        }
        end = begin(item) + item.bytes;
    }
    run(first, end);
}

} // namespace

// One copy for each group of the first dimension, shared by the groups of the second. `pack` has the list
// from its element `first` on: offsets in the two memories, and bytes.
const char* const copies_text = R"(
__kernel void ferry_copies(__global const ulong* pack, uint first, __global const uchar* from,
                           __global uchar* to) {
    __global const ulong* const one = pack + first + 3 * get_group_id(0);
    from += one[0];
    to += one[1];
    const ulong bytes = one[2];
    const uint apart = (uint)((uintptr_t)to ^ (uintptr_t)from);
    const uint unit = (apart & 15) == 0 ? 16 : (apart & 3) == 0 ? 4 : 1;
    const ulong head = min((ulong)((unit - ((uintptr_t)to & (unit - 1))) & (unit - 1)), bytes);
    const ulong count = (bytes - head) / unit;
    const ulong tail = bytes - head - count * unit;
    const ulong id = get_group_id(1) * get_local_size(0) + get_local_id(0);
    const ulong stride = get_num_groups(1) * get_local_size(0);
    if (id < head) {
        to[id] = from[id];
    }
    if (id < tail) {
        to[bytes - 1 - id] = from[bytes - 1 - id];
    }
    if (unit == 16) {
        __global uint4* const target = (__global uint4*)(to + head);
        __global const uint4* const source = (__global const uint4*)(from + head);
        for (ulong i = id; i < count; i += stride) {
            target[i] = source[i];
        }
    } else if (unit == 4) {
        __global uint* const target = (__global uint*)(to + head);
        __global const uint* const source = (__global const uint*)(from + head);
        for (ulong i = id; i < count; i += stride) {
            target[i] = source[i];
        }
    } else {
        for (ulong i = id; i < count; i += stride) {
            to[i] = from[i];
        }
    }
}
)";

void Packs::choose(std::span<const backend::BatchCopy> copies) {
    chosen_.clear();
    rest_.clear();
    for (const backend::BatchCopy& one : copies) {
        if (suits(one)) {
            chosen_.push_back({memory_at(one.from), memory_at(one.to), &one});
        } else {
            rest_.push_back(&one);
        }
    }
    std::sort(chosen_.begin(), chosen_.end(), stands_before);
    auto kept = chosen_.begin();
    for (auto begin = chosen_.begin(); begin != chosen_.end();) {
        const auto end = std::find_if(begin, chosen_.end(), [&](const Copy& copy) {
            return copy.from != begin->from || copy.to != begin->to;
        });
        if (is_worth_launching({begin, end})) {
            kept = kept == begin ? end : std::move(begin, end, kept);
        } else {
            std::transform(begin, end, std::back_inserter(rest_), [](const Copy& copy) { return copy.one; });
        }
        begin = end;
    }
    chosen_.erase(kept, chosen_.end());
    if (chosen_.size() < worth_packing) {
        give_up();
    }
}

void Packs::give_up() {
    std::transform(chosen_.begin(), chosen_.end(), std::back_inserter(rest_),
                   [](const Copy& copy) { return copy.one; });
    chosen_.clear();
}

// The used part of mirrored memory must be transferred in both directions, and all bytes that are transferred
// back must have been written.
bool Packs::is_worth_launching(std::span<const Copy> group) {
    const auto unfit = [](const OpenclMemory* memory) { return is_mapped(memory) || is_for_one(memory); };
    if (group.size() < worth_launching || unfit(group[0].from) || unfit(group[0].to)) {
        return false;
    }
    if (is_mirrored(group[0].from)) {
        std::size_t begin = group[0].one->from.offset;
        std::size_t end = begin;
        for (const Copy& copy : group) {
            begin = std::min(begin, copy.one->from.offset);
            end = std::max(end, copy.one->from.offset + copy.one->bytes);
        }
        if (group[0].to == nullptr || end - begin > group.size() * most_hull) {
            return false;
        }
    }
    if (is_mirrored(group[0].to)) {
        std::size_t runs = 1;
        for (std::size_t i = 1; i < group.size(); ++i) {
            const backend::BatchCopy& before = *group[i - 1].one;
            runs += before.to.offset + before.bytes != group[i].one->to.offset ? 1 : 0;
        }
        return group[0].from != nullptr && runs * worth_launching <= group.size();
    }
    return true;
}

bool Packs::may_wait() const noexcept {
    return std::any_of(chosen_.begin(), chosen_.end(),
                       [](const Copy& copy) { return copy.from == nullptr || copy.to == nullptr; });
}

bool Packs::begin(OpenclDevice& device) {
    listed_.clear();
    launches_.clear();
    arrivals_.clear();
    Part& part = parts_[current_];
    begin_ = up_ = (part.used + unit - 1) / unit * unit;
    down_ = part_bytes;
    if (part.memory == nullptr) {
        try {
            part.memory = allocate_pack(device, part_bytes);
        } catch (const Error& error) {
            if (error.code() == Code::device_lost) {
                throw;
            }
        }
    }
    return part.memory != nullptr;
}

bool Packs::add(const Copy& copy) {
    const backend::BatchCopy& one = *copy.one;
    const bool up = copy.from == nullptr;
    const bool down = copy.to == nullptr;
    const std::size_t list = (listed_.size() + 1) * sizeof(Listed) + unit;
    const std::size_t needed = up || down ? one.bytes + 2 * unit : 0;
    if (listed_.size() == most_listed || up_ + list + needed > down_) {
        return false;
    }
    Listed entry{one.from.offset, one.to.offset, one.bytes};
    // At the pack's end, a copy has the same distance from a multiple of the unit as at the other end.
    if (up) {
        const std::size_t at = (up_ + unit - 1) / unit * unit + one.to.offset % unit;
        std::memcpy(part().pointer + at, one.host_from, one.bytes);
        up_ = at + one.bytes;
        entry.from = at;
    } else if (down) {
        down_ = (down_ - one.bytes) / unit * unit - unit + one.from.offset % unit;
        arrivals_.push_back({down_, one.host_to, one.bytes});
        entry.to = down_;
    }
    if (launches_.empty() || launches_.back().from != copy.from || launches_.back().to != copy.to) {
        launches_.push_back({copy.from, copy.to, listed_.size(), 0, 0});
    }
    launches_.back().count += 1;
    launches_.back().longest = std::max<std::uint64_t>(launches_.back().longest, one.bytes);
    listed_.push_back(entry);
    return true;
}

std::size_t Packs::put_list() {
    up_ = (up_ + unit - 1) / unit * unit;
    std::memcpy(part().pointer + up_, listed_.data(), listed_.size() * sizeof(Listed));
    return up_;
}

void OpenclQueue::copy_batch(std::span<const backend::BatchCopy> copies) {
    if (!device_.packs_batches() || copies.size() < Packs::worth_packing) {
        Queue::copy_batch(copies);
        return;
    }
    if (packs_ == nullptr) {
        packs_ = std::make_unique<Packs>();
    }
    Packs& packs = *packs_;
    packs.choose(copies);
    OpenclKernel* const kernel =
        packs.chosen().empty()
            ? nullptr
            : device_.copy_kernel().get(device_, packs.chosen().size() >= Packs::worth_building);
    bool packing = kernel != nullptr && packs.begin(device_);
    if (!packing) {
        packs.give_up();
    }
    will_pack(packs);
    const bool may_wait = packs.may_wait();
    for (const Packs::Copy& copy : packs.chosen()) {
        bool packed = packing && packs.add(copy);
        if (!packed && packing) {
            launch_pack(*kernel);
            packing = next_part(may_wait);
            packed = packing && packs.add(copy);
        }
        if (!packed) {
            Queue::copy_batch({copy.one, 1});
        }
    }
    if (packing) {
        launch_pack(*kernel);
    }
    for (const backend::BatchCopy* one : packs.rest()) {
        Queue::copy_batch({one, 1});
    }
}

bool OpenclQueue::next_part(bool may_wait) {
    packs_->turn();
    if (packs_->is_used()) {
        cl_event const event = packs_->part().last_command();
        if (event != nullptr && !may_wait && status_of(api_, event) > CL_COMPLETE) {
            return false;
        }
        wait_for_pack(packs_->part());
        packs_->set_unused();
    }
    return packs_->begin(device_);
}

// Packed host memory is read now, and earlier commands may still write it.
void OpenclQueue::will_pack(const Packs& packs) {
    for (const Packs::Copy& copy : packs.chosen()) {
        if (copy.from == nullptr) {
            device_.wait_for_reads(copy.one->host_from, copy.one->bytes, Pages::locked);
        }
    }
}

bool OpenclQueue::wait_for_pack(OpenclMemory& pack) {
    cl_event const event = pack.last_command();
    if (event == nullptr) {
        return true;
    }
    cl_int status = status_of(api_, event);
    if (status > CL_COMPLETE) {
        check(api_.clFlush(queue_), "clFlush");
        try {
            wait_for(api_, event);
        } catch (const Error& error) {
            if (error.code() == Code::device_lost) {
                throw;
            }
        }
        status = status_of(api_, event);
    }
    pack.mapped_by(nullptr, nullptr);
    return status == CL_COMPLETE;
}

void OpenclQueue::launch_pack(OpenclKernel& kernel) {
    Packs& packs = *packs_;
    if (packs.listed().empty()) {
        return;
    }
    OpenclMemory& pack = packs.part();
    try {
        launch_copies(kernel, pack);
    } catch (...) {
        const Work all = work();
        static_cast<void>(all.finish()); // The first error is the one that is thrown.
        all.release();
        packs.drop();
        throw;
    }
    packs.launched();
    if (packs.arrivals().empty()) {
        return;
    }
    const bool arrived = wait_for_pack(pack);
    packs.set_unused();
    if (arrived) { // Otherwise the queue reports the error, and the destination stays undefined.
        for (const Packs::Arrival& arrival : packs.arrivals()) {
            std::memcpy(arrival.to, pack.pointer + arrival.at, arrival.bytes);
        }
    }
}

void OpenclQueue::lend_copies(const Packs::Launch& launch) {
    const auto copies = packs_->listed().subspan(launch.first, launch.count);
    if (launch.from != nullptr && is_mirrored(launch.from)) {
        std::uint64_t begin = copies[0].from;
        std::uint64_t end = begin;
        for (const Packs::Listed& copy : copies) {
            begin = std::min(begin, copy.from);
            end = std::max(end, copy.from + copy.bytes);
        }
        will_use({launch.from, begin}, end - begin, Use::reads);
    } else if (launch.from != nullptr) {
        will_use({launch.from, 0}, launch.from->bytes, Use::reads);
    }
    if (launch.to != nullptr && is_mirrored(launch.to)) {
        for_each_run(
            copies, [](const Packs::Listed& copy) { return copy.to; },
            [&](std::size_t begin, std::size_t end) {
                will_use({launch.to, begin}, end - begin, Use::writes);
            });
    } else if (launch.to != nullptr) {
        will_use({launch.to, 0}, launch.to->bytes, Use::updates);
    }
}

void OpenclQueue::launch_copies(OpenclKernel& kernel, OpenclMemory& pack) {
    Packs& packs = *packs_;
    const std::size_t list = packs.put_list() / sizeof(std::uint64_t);
    const std::size_t group = device_.copy_kernel().group_size();
    const Sizes local{group, 1, 1};
    const auto global = [&](const Packs::Launch& launch) {
        return Sizes{launch.count * group, (launch.longest + bytes_of_group - 1) / bytes_of_group, 1};
    };
    lent_.clear();
    will_use({&pack, packs.up_begin()}, packs.up_end() - packs.up_begin(), Use::reads);
    if (packs.down_begin() != pack.bytes) {
        will_use({&pack, packs.down_begin()}, pack.bytes - packs.down_begin(), Use::writes);
    }
    Sizes widest{};
    for (const Packs::Launch& launch : packs.launches()) {
        lend_copies(launch);
        const Sizes size = global(launch);
        widest = {std::max(widest[0], size[0]), std::max(widest[1], size[1]), 1};
    }
    with_kernel(kernel, local, widest, [&] {
        for (const Packs::Launch& launch : packs.launches()) {
            const auto first = static_cast<std::uint32_t>(list + 3 * launch.first);
            const auto whole = [&](OpenclMemory* memory) {
                return backend::Argument{
                    detail::ArgumentKind::buffer, 0, nullptr, {memory != nullptr ? memory : &pack, 0}};
            };
            const std::array<backend::Argument, 4> arguments{
                whole(&pack), backend::Argument{detail::ArgumentKind::value, sizeof first, &first, {}},
                whole(launch.from), whole(launch.to)};
            enqueue(kernel, 2, local, global(launch), arguments);
            for (const Packs::Listed& copy : packs.listed().subspan(launch.first, launch.count)) {
                taken.bytes += copy.bytes;
            }
        }
    });
}

} // namespace ferry::opencl
