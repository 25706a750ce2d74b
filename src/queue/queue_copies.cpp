// SPDX-License-Identifier: Apache-2.0
// Commands on more than one range: boxes, batches, fills.
#include "memory/memory_state.hpp"
#include "queue/queue_state.hpp"
#include "queue/queue_submit.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace ferry::detail {

void QueueState::copy_box(const BoxSide& from, const BoxSide& to, const BoxCopy& copy,
                          const SourceLocation& where) {
    const std::size_t bytes = copy.box.width * copy.box.height * copy.box.depth;
    const auto logged = [&](const Region& region) { return Region{region.memory, region.offset, bytes}; };
    if (from.region.memory == nullptr) {
        submit(CommandLog::What::copy, logged(to.region), {}, where, [=, this] {
            native_->write_box(from.host, copy.from, place_of(to.region), copy.to, copy.box);
        });
        return;
    }
    if (to.region.memory == nullptr) {
        submit(CommandLog::What::copy, logged(from.region), {}, where, [=, this] {
            native_->read_box(place_of(from.region), copy.from, to.host, copy.to, copy.box);
            host_writes_.note(log_.last());
        });
        return;
    }
    DeviceState& source_device = from.region.memory->device();
    DeviceState& target_device = to.region.memory->device();
    if (&source_device == &target_device) {
        submit(CommandLog::What::copy, logged(to.region), from.region, where, [=, this] {
            native_->copy_box(place_of(from.region), copy.from, place_of(to.region), copy.to, copy.box);
        });
        return;
    }
    DeviceState& other = &source_device == device_ ? target_device : source_device;
    if (other.info().backend != device_->info().backend || !device_->native().reaches(other.native()) ||
        !copy_box_peer(from, to, copy, where)) {
        copy_box_by_host(from, to, copy, where);
    }
}

bool QueueState::copy_box_peer(const BoxSide& from, const BoxSide& to, const BoxCopy& copy,
                               const SourceLocation& where) {
    bool taken = false;
    {
        Lock lock(mutex_);
        check_alive(where);
        while (pending_ == 0 && !note(Regions{from.region, to.region})) {
            admit(Regions{from.region, to.region}, where);
        }
        if (pending_ != 0) {
            return false; // The caller copies through the host instead, which works in the backlog.
        }
        issue(
            [&] {
                log_.add(CommandLog::What::copy, copy.box.width * copy.box.height * copy.box.depth, where);
            },
            [&] {
                taken = native_->copy_box_peer(place_of(from.region), copy.from, place_of(to.region), copy.to,
                                               copy.box);
            });
        if (!taken) {
            log_.drop_last();
            if (trace_) {
                trace_->undo();
            }
            return false;
        }
        sync_if_asked();
    }
    return true;
}

void QueueState::copy_batch(std::span<const BatchedCopy> copies, std::size_t bytes,
                            const SourceLocation& where) {
    const auto run = [this](std::span<const BatchedCopy> all) {
        // Large groups, because a backend may merge more adjacent copies. The vector keeps its capacity.
        constexpr std::size_t at_once = 4096;
        while (!all.empty()) {
            const std::size_t count = std::min(all.size(), at_once);
            batched_.clear();
            for (const BatchedCopy& one : all.first(count)) {
                batched_.push_back(
                    {place_of(one.from), place_of(one.to), one.host_from, one.host_to, one.to.bytes});
            }
            native_->copy_batch(batched_);
            all = all.subspan(count);
        }
    };
    const auto note_host_writes = [this](std::span<const BatchedCopy> all) {
        const bool any = std::any_of(all.begin(), all.end(),
                                     [](const BatchedCopy& one) { return one.host_to != nullptr; });
        if (any) {
            host_writes_.note(log_.last());
        }
    };
    enqueue(
        copies, where, [&] { log_.add(CommandLog::What::batch, bytes, where); },
        [&] {
            run(copies);
            note_host_writes(copies);
        },
        [&]() -> Task {
            std::vector<std::shared_ptr<Memory>> memories;
            for (const BatchedCopy& one : copies) {
                memories.push_back(keep(one.from));
                memories.push_back(keep(one.to));
            }
            return
                [this, where, bytes, run, note_host_writes, kept = std::vector(copies.begin(), copies.end()),
                 memories = std::move(memories)](const Error* failed) {
                    if (failed == nullptr) {
                        const Lock lock(mutex_);
                        note(std::span<const BatchedCopy>(kept));
                        issue([&] { log_.add(CommandLog::What::batch, bytes, where); },
                              [&] {
                                  run(kept);
                                  note_host_writes(kept);
                              });
                    }
                };
        });
}

void QueueState::fill(const Region& to, const void* pattern, std::size_t size, const SourceLocation& where) {
    enqueue(
        Regions{to, {}}, where, [&] { log_.add(CommandLog::What::fill, to.bytes, where); },
        [&] { native_->fill(place_of(to), to.bytes, pattern, size); },
        [&]() -> Task {
            const auto* bytes = static_cast<const std::byte*>(pattern);
            return [this, to, where, kept_pattern = std::vector(bytes, bytes + size),
                    kept = keep(to)](const Error* failed) {
                if (failed == nullptr) {
                    const Lock lock(mutex_);
                    note(Regions{to, {}});
                    issue([&] { log_.add(CommandLog::What::fill, to.bytes, where); },
                          [&] {
                              native_->fill(place_of(to), to.bytes, kept_pattern.data(), kept_pattern.size());
                          });
                }
            };
        });
}

} // namespace ferry::detail
