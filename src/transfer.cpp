// SPDX-License-Identifier: Apache-2.0
// Copies between devices that do not reach each other: through page-locked memory, both legs overlapping.
#include "lane.hpp"
#include "memory_state.hpp"
#include "queue_state.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace ferry::detail {
namespace {

/// One side of a transfer: a vendor queue, the lock to hold while using it.
struct Leg {
    backend::Queue& queue;
    std::mutex& mutex;

    void read(backend::Place from, void* to, std::size_t bytes, backend::Event& done) const {
        const std::lock_guard lock(mutex);
        queue.read(from, to, bytes);
        queue.record(done);
        queue.flush();
    }
    void write(const void* from, backend::Place to, std::size_t bytes, backend::Event& done) const {
        const std::lock_guard lock(mutex);
        queue.write(from, to, bytes);
        queue.record(done);
        queue.flush();
    }
};

void poll(backend::Event& event) {
    for (unsigned round = 0; !event.ready();) {
        Lane::pause(round);
    }
}

/// Waits for what is in flight, so that staging and events can be used again after an error.
void settle(backend::Event& event) noexcept {
    try {
        poll(event);
    } catch (const Error&) { // told by whoever waits for it properly
    } catch (const Lane::Ending&) {
    }
}

} // namespace

void QueueState::copy_by_host(const Region& from, const Region& to, SourceLocation where) {
    const Lock lock(mutex_);
    device_->check_alive(where);
    defer([this, from, to, where, kept_from = keep(from), kept_to = keep(to)](const Error* failed) {
        if (failed != nullptr) {
            return;
        }
        try {
            transfer(from, to);
        } catch (const Error& error) {
            throw error
                .with_message("The copy from " + from.memory->device().describe() + " to " +
                              to.memory->device().describe() + " failed: " + error.what())
                .with_where(where);
        }
    });
}

void QueueState::transfer(const Region& from, const Region& to) {
    DeviceState& source = from.memory->device();
    DeviceState& target = to.memory->device();
    DeviceState& other = &source == device_ ? target : source;

    std::array<std::unique_ptr<backend::Event>, 2> mine{device_->native().create_event(false),
                                                        device_->native().create_event(false)};
    { // what was enqueued here before comes first, also for the other device
        const Lock lock(mutex_);
        native_->record(*mine[0]);
        native_->flush();
    }
    poll(*mine[0]);

    DeviceState::Relay& relay = other.relay();
    const std::lock_guard using_relay(relay.mutex);
    std::mutex relay_calls; // the relay is ours alone while its mutex is held
    const Leg my_leg{*native_, mutex_};
    const Leg other_leg{*relay.queue, relay_calls};
    const bool reading_here = &source == device_;
    const Leg& up = reading_here ? my_leg : other_leg;
    const Leg& down = reading_here ? other_leg : my_leg;
    backend::Event& read_done = reading_here ? *mine[0] : *relay.event[0];
    const std::array<backend::Event*, 2> write_done =
        reading_here ? std::array<backend::Event*, 2>{relay.event[0].get(), relay.event[1].get()}
                     : std::array<backend::Event*, 2>{mine[0].get(), mine[1].get()};

    backend::Memory& from_memory = from.memory->native();
    backend::Memory& to_memory = to.memory->native();
    if (target.info().backend == Backend::host && to_memory.host != nullptr) {
        up.read({&from_memory, from.offset}, static_cast<std::byte*>(to_memory.host) + to.offset, to.bytes,
                read_done);
        poll(read_done);
        return;
    }
    if (source.info().backend == Backend::host && from_memory.host != nullptr) {
        down.write(static_cast<const std::byte*>(from_memory.host) + from.offset, {&to_memory, to.offset},
                   to.bytes, *write_done[0]);
        poll(*write_done[0]);
        return;
    }

    std::array<bool, 2> writing{};
    try {
        std::size_t slot = 0;
        for (std::size_t done = 0; done < to.bytes; slot ^= 1U) {
            const std::size_t bytes = std::min(DeviceState::staging_bytes, to.bytes - done);
            if (writing[slot]) {
                poll(*write_done[slot]);
            }
            up.read({&from_memory, from.offset + done}, relay.staging[slot]->host, bytes, read_done);
            poll(read_done);
            down.write(relay.staging[slot]->host, {&to_memory, to.offset + done}, bytes, *write_done[slot]);
            writing[slot] = true;
            done += bytes;
        }
        for (std::size_t i = 0; i < 2; ++i) {
            if (writing[i]) {
                poll(*write_done[i]);
            }
        }
    } catch (const Error&) {
        for (std::size_t i = 0; i < 2; ++i) {
            if (writing[i]) {
                settle(*write_done[i]);
            }
        }
        throw;
    }
}

} // namespace ferry::detail
