// SPDX-License-Identifier: Apache-2.0
// Copies between devices that do not reach each other: through page-locked slots, with overlapping legs, or
// in one leg if the host can access the memory of one of them.
#include "base/copy_threads.hpp"
#include "base/host_pages.hpp"
#include "base/serial_thread.hpp"
#include "memory/memory_state.hpp"
#include "queue/queue_state.hpp"
#include "queue/queue_submit.hpp"
#include "staging/routes.hpp"
#include "trace/trace.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace ferry::detail {
namespace {

using staging::Leg;

void poll(backend::Event& event) {
    for (Backoff backoff; !event.ready();) {
        SerialThread::pause(backoff);
    }
}

/// A command of one leg, including the wait. Throws staging::Failure, with no command in flight.
template <class Command>
void run_alone(const Leg& leg, const Command& command) {
    staging::Failure::Of of = staging::Failure::Of::issue;
    try {
        const std::unique_ptr<backend::Event> done = leg.device.native().create_event(false);
        {
            const std::lock_guard lock(leg.mutex);
            command();
            leg.queue.record(*done);
            leg.queue.flush();
        }
        of = staging::Failure::Of::earlier;
        poll(*done);
    } catch (const Error& error) {
        staging::settle(leg);
        throw staging::Failure{error, of, &leg};
    }
}

void carry(const Leg& up, backend::Place from, const Leg& down, backend::Place to, std::size_t bytes,
           staging::Slots& source, staging::Slots& target) {
    staging::Route route;
    route.bytes = bytes;
    const bool one_slot = &source == &target;
    const bool source_first = std::less<>()(&source, &target); // The same order for all copies.
    staging::Lease first(one_slot || source_first ? source : target);
    std::optional<staging::Lease> second;
    if (!one_slot) {
        second.emplace(source_first ? target : source);
    }
    route.leases = {&first, second ? &*second : nullptr};
    const std::size_t read_into = one_slot || source_first ? 0 : 1;
    const std::size_t write_from = one_slot ? 0 : 1 - read_into;
    const std::size_t slot_bytes = std::min(source.slot_bytes(), target.slot_bytes());
    route.piece_bytes = staging::piece_bytes(bytes, slot_bytes, staging::Workers::get().most());
    route.steps.push_back(staging::read_step(up, from, read_into));
    if (!one_slot) {
        route.steps.push_back({nullptr, 0, [=](const staging::Piece& piece) {
                                   staging::stream_copy(piece.slot[write_from]->data,
                                                        piece.slot[read_into]->data, piece.bytes);
                               }});
    }
    route.steps.push_back(staging::write_step(down, to, write_from));
    std::make_shared<staging::Pipeline>(std::move(route))->run();
}

/// Whether the host can access the device's memory itself, so that a copy has no leg there.
bool is_at_hand(const Leg& leg, backend::Place place) {
    return leg.device.info().backend == Backend::host ? place.memory->host != nullptr
                                                      : leg.queue.maps_in_place(place);
}

/// Calls `use` with the bytes. Earlier work of the leg's queue is done.
template <class Use>
void with_bytes(const Leg& leg, backend::Place place, std::size_t bytes, Map access, const Use& use) {
    if (leg.device.info().backend == Backend::host) {
        use(static_cast<std::byte*>(place.memory->host) + place.offset);
        return;
    }
    void* mapped = nullptr;
    {
        const std::lock_guard lock(leg.mutex);
        mapped = leg.queue.map(place, bytes, access);
    }
    const auto unmap = [&] { run_alone(leg, [&] { leg.queue.unmap(place, bytes, access, mapped); }); };
    try {
        use(static_cast<std::byte*>(mapped));
    } catch (...) {
        try {
            unmap();
        } catch (const staging::Failure&) { // The first one is reported.
        }
        throw;
    }
    unmap();
}

/// Both ends are devices, or the host can access one.
void carry_any(const Leg& up, backend::Place from, const Leg& down, backend::Place to, std::size_t bytes,
               staging::Slots& source, staging::Slots& target) {
    staging::Slots& ordinary = staging::Slots::ordinary();
    if (is_at_hand(down, to)) {
        with_bytes(down, to, bytes, Map::discard, [&](std::byte* bytes_to) {
            if (&source == &ordinary) {
                run_alone(up, [&] { up.queue.read(from, bytes_to, bytes); });
                return;
            }
            staging::Lease lease(source);
            auto route = staging::download_route(up, lease, from, bytes_to, bytes);
            std::make_shared<staging::Pipeline>(std::move(route))->run();
        });
    } else if (is_at_hand(up, from)) {
        with_bytes(up, from, bytes, Map::read, [&](const std::byte* bytes_from) {
            if (&target == &ordinary) {
                run_alone(down, [&] { down.queue.write(bytes_from, to, bytes); });
                return;
            }
            staging::Lease lease(target);
            auto route = staging::upload_route(down, lease, bytes_from, to, bytes);
            std::make_shared<staging::Pipeline>(std::move(route))->run();
        });
    } else if (&source == &ordinary || &target == &ordinary) {
        staging::Slots& locked = &source == &ordinary ? target : source;
        carry(up, from, down, to, bytes, locked, locked);
    } else {
        carry(up, from, down, to, bytes, source, target);
    }
}

} // namespace

void QueueState::copy_by_host(const CopyCommand& command) {
    const Lock lock(mutex_);
    check_alive(command.where);
    admit(command, command.where);
    defer([this, kept = std::make_shared<const KeptCommand<CopyCommand>>(command)](const Error* failed) {
        if (failed != nullptr) {
            return;
        }
        const CopyCommand& copy = kept->command;
        {
            const Lock held(mutex_);
            begin_task(copy, CommandKind::none);
        }
        const trace::Span span("copy through the host", copy.where);
        try {
            transfer(copy);
        } catch (const Error& error) {
            throw error
                .with_message("The copy from " + copy.from.memory->device().describe() + " to " +
                              copy.to.memory->device().describe() + " failed: " + error.what())
                .with_where(copy.where);
        }
    });
    note_deferred(command);
}

void QueueState::transfer(const CopyCommand& command) {
    const Region& from = command.from;
    const Region& to = command.to;
    DeviceState& source = from.memory->device();
    DeviceState& target = to.memory->device();
    const bool reading_here = &source == device_;
    DeviceState& other = reading_here ? target : source;
    DeviceState::Relay& relay = other.relay();
    Mutex relay_calls; // The relay is used exclusively while its mutex is held.
    const Leg my_leg{*device_, *native_, mutex_};
    const Leg other_leg{other, *relay.queue, relay_calls};
    std::uint64_t number = 0;
    {
        const Lock lock(mutex_);
        number = log_.add(command);
        if (trace_) {
            trace_->begin();
        }
    }
    try {
        // Earlier commands of this queue come first, also for the other device. Commands that read here are
        // ordered by the queue, but memory that the host can access is read without a command.
        if (!reading_here || is_at_hand(my_leg, place_of(from))) {
            try {
                run_alone(my_leg, [] {});
            } catch (const staging::Failure& failure) {
                throw staging::Failure{failure.error, staging::Failure::Of::earlier, &my_leg};
            }
        }
        const std::lock_guard using_relay(relay.mutex);
        const Leg& up = reading_here ? my_leg : other_leg;
        const Leg& down = reading_here ? other_leg : my_leg;
        staging::Slots& read_slots = staging::slots_for(up.device, staging_);
        staging::Slots& write_slots = staging::slots_for(down.device, staging_);
        try {
            carry_any(up, place_of(from), down, place_of(to), to.bytes, read_slots, write_slots);
        } catch (const staging::Failure& failure) {
            if (failure.of != staging::Failure::Of::slots) {
                throw;
            }
            staging::Slots& ordinary = staging::Slots::ordinary();
            carry_any(up, place_of(from), down, place_of(to), to.bytes, ordinary, ordinary);
        }
        end_traced("copy between devices");
    } catch (const staging::Failure& failure) {
        end_traced(nullptr);
        if (failure.of == staging::Failure::Of::earlier && failure.leg == &my_leg) {
            if (const auto reported = command_failed(failure.error, number)) {
                throw Error(*reported);
            }
        }
        throw Error(failure.error);
    } catch (const Error&) {
        end_traced(nullptr);
        throw;
    }
}

} // namespace ferry::detail
