// SPDX-License-Identifier: Apache-2.0
// Box copies between devices that do not reach each other: packed into page-locked memory, and unpacked from
// there.
#include "base/part_done.hpp"
#include "base/serial_thread.hpp"
#include "memory/memory_state.hpp"
#include "queue/queue_state.hpp"
#include "queue/queue_submit.hpp"
#include "staging/routes.hpp"
#include "staging/slots.hpp"
#include "system/mutex.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace ferry::detail {
namespace {

using staging::Leg;

/// Enqueues a command and records its end in the event. If a call fails, adds the bytes that the vendor
/// accepted before it to `accepted`.
template <class Command>
void start(const Leg& leg, const Command& command, backend::Event& done, std::size_t* accepted) {
    const std::lock_guard lock(leg.mutex);
    leg.queue.taken = {};
    try {
        command(leg.queue);
        leg.queue.record(done);
        leg.queue.flush();
    } catch (const Error&) {
        if (accepted != nullptr) {
            *accepted += leg.queue.taken.bytes;
        }
        throw;
    }
}

void await(backend::Event& event) {
    for (Backoff backoff; !event.ready();) {
        SerialThread::pause(backoff);
    }
}

template <class Command>
void run(const Leg& leg, const Command& command, backend::Event& done, std::size_t* accepted = nullptr) {
    start(leg, command, done, accepted);
    await(done);
}

/// A failed copy leaves no command in flight.
class UnderWay {
public:
    UnderWay(const Leg& up, const Leg& down) : up_(up), down_(down) {}
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;
    ~UnderWay() {
        if (!over_) {
            staging::settle(up_);
            staging::settle(down_);
        }
    }
    void is_over() noexcept { over_ = true; }

private:
    const Leg& up_;
    const Leg& down_;
    bool over_ = false;
};

/// One or two slots for the packed pieces.
class StagedRows {
public:
    explicit StagedRows(staging::Slots& slots) {
        lease_.emplace(slots);
        slots_[0] = lease_->wait();
        if (slots_[0] == nullptr) { // The system refuses page-locked memory.
            lease_.emplace(staging::Slots::ordinary());
            slots_[0] = lease_->wait();
        }
        if (slots_[0] == nullptr) {
            throw Error(Code::out_of_memory, "The host has no memory for a piece of the box");
        }
        slots_[1] = lease_->take();
    }
    StagedRows(const StagedRows&) = delete;
    StagedRows& operator=(const StagedRows&) = delete;
    ~StagedRows() {
        for (staging::Slot* const slot : slots_) {
            if (slot != nullptr) {
                lease_->give(slot);
            }
        }
    }

    std::size_t bytes() const noexcept {
        return slots_[1] != nullptr ? std::min(slots_[0]->bytes, slots_[1]->bytes) : slots_[0]->bytes;
    }
    void* data(std::size_t slot) const noexcept { return slots_[slot]->data; }
    std::size_t next(std::size_t slot) const noexcept { return slots_[1] != nullptr ? slot ^ 1U : slot; }

private:
    std::optional<staging::Lease> lease_;
    std::array<staging::Slot*, 2> slots_{};
};

/// Calls piece(z, y, x, box) for boxes of at most `most` bytes that together cover the whole: several slices,
/// several rows of one slice, or a part of a row.
template <class Piece>
void in_pieces(const backend::Box& whole, std::size_t most, const Piece& piece) {
    const std::size_t width = std::min(whole.width, most);
    const std::size_t height = width == whole.width ? std::min(whole.height, most / width) : 1;
    const std::size_t depth =
        width == whole.width && height == whole.height ? std::min(whole.depth, most / (width * height)) : 1;
    for (std::size_t z = 0; z < whole.depth; z += depth) {
        for (std::size_t y = 0; y < whole.height; y += height) {
            for (std::size_t x = 0; x < whole.width; x += width) {
                piece(z, y, x,
                      backend::Box{std::min(width, whole.width - x), std::min(height, whole.height - y),
                                   std::min(depth, whole.depth - z)});
            }
        }
    }
}

} // namespace

void QueueState::copy_box_by_host(const BoxCommand& command) {
    const Lock lock(mutex_);
    check_alive(command.where);
    admit(command, command.where);
    defer([this, kept = std::make_shared<const KeptCommand<BoxCommand>>(command)](const Error* failed) {
        if (failed != nullptr) {
            return;
        }
        const BoxCommand& box = kept->command;
        std::uint64_t number = 0;
        {
            const Lock held(mutex_);
            number = begin_task(box, CommandKind::none);
        }
        try {
            transfer_box(box.from, box.to, box.copy, number);
        } catch (const Error& error) {
            throw error
                .with_message("The copy of a box from " + box.from.region.memory->device().describe() +
                              " to " + box.to.region.memory->device().describe() + " failed: " + error.what())
                .with_where(box.where);
        }
    });
    note_deferred(command);
}

void QueueState::transfer_box(const BoxSide& from, const BoxSide& to, const BoxCopy& copy,
                              std::uint64_t number) {
    DeviceState& source = from.region.memory->device();
    DeviceState& target = to.region.memory->device();
    const backend::Place source_place = place_of(from.region);
    const backend::Place target_place = place_of(to.region);

    const bool reading_here = &source == device_;
    DeviceState& other = reading_here ? target : source;
    const Leg my_leg{*device_, *native_, mutex_};
    try {
        wait_for_earlier(my_leg);
    } catch (const staging::Failure& failure) {
        const std::optional<Error> reported = command_failed(failure.error, number);
        throw Error(reported ? *reported : failure.error);
    }

    DeviceState::Relay& relay = other.relay();
    const std::lock_guard using_relay(relay.mutex);
    Mutex relay_calls; // The relay is used exclusively while its mutex is held.
    const Leg other_leg{other, *relay.queue, relay_calls};
    const Leg& up = reading_here ? my_leg : other_leg;
    const Leg& down = reading_here ? other_leg : my_leg;
    const std::unique_ptr<backend::Event> read_done = source.native().create_event(false);
    const std::array<std::unique_ptr<backend::Event>, 2> write_done{target.native().create_event(false),
                                                                    target.native().create_event(false)};
    std::optional<StagedRows> staging; // Released when no command is in flight.
    UnderWay under_way(up, down);
    const std::size_t bytes = copy.box.width * copy.box.height * copy.box.depth;
    std::size_t copied = 0; // In the order of the rows.
    const auto with_part = [&](const Error& error) {
        return copied == 0 || error.code() == Code::device_lost
                   ? error
                   : after_part(error, first_part(copied, bytes, "copied"));
    };

    if (target.info().backend == Backend::host && target_place.memory->host != nullptr) {
        std::byte* const host = static_cast<std::byte*>(target_place.memory->host) + target_place.offset;
        try {
            run(
                up, [&](backend::Queue& q) { q.read_box(source_place, copy.from, host, copy.to, copy.box); },
                *read_done, &copied);
        } catch (const Error& error) {
            throw with_part(error);
        }
        under_way.is_over();
        return;
    }
    if (source.info().backend == Backend::host && source_place.memory->host != nullptr) {
        const std::byte* const host =
            static_cast<const std::byte*>(source_place.memory->host) + source_place.offset;
        try {
            run(
                down,
                [&](backend::Queue& q) { q.write_box(host, copy.from, target_place, copy.to, copy.box); },
                *write_done[0], &copied);
        } catch (const Error& error) {
            throw with_part(error);
        }
        under_way.is_over();
        return;
    }

    const auto at = [](backend::Place place, backend::Pitch pitch, std::size_t z, std::size_t y,
                       std::size_t x) {
        return backend::Place{place.memory, place.offset + z * pitch.slice + y * pitch.row + x};
    };
    staging.emplace(staging::slots_for(source, staging_));
    std::array<std::size_t, 2> writing{}; // The bytes on their way from each slot.
    std::size_t slot = 0;                 // Of the next piece. Its present piece is the older one.
    std::size_t accepted = 0;             // Of a piece whose write failed.
    bool is_sound = true;                 // All earlier pieces arrived.
    const auto finish = [&](std::size_t which) {
        if (is_sound && writing[which] != 0) {
            is_sound = false;
            await(*write_done[which]);
            is_sound = true;
            copied += std::exchange(writing[which], 0);
        }
    };
    const auto move = [&](std::size_t z, std::size_t y, std::size_t x, const backend::Box& piece) {
        finish(slot);
        void* const data = staging->data(slot);
        const backend::Pitch packed{piece.width, piece.width * piece.height};
        const auto read = [&](backend::Queue& q) {
            q.read_box(at(source_place, copy.from, z, y, x), copy.from, data, packed, piece);
        };
        run(up, read, *read_done);
        const auto write = [&](backend::Queue& q) {
            q.write_box(data, packed, at(target_place, copy.to, z, y, x), copy.to, piece);
        };
        start(down, write, *write_done[slot], &accepted);
        writing[slot] = piece.width * piece.height * piece.depth;
        slot = staging->next(slot);
    };
    try {
        in_pieces(copy.box, staging->bytes(), move);
        finish(slot);
        finish(staging->next(slot));
    } catch (const Error& error) {
        try {
            finish(slot);
            finish(staging->next(slot));
            copied += is_sound ? accepted : 0;
        } catch (const Error&) { // The pieces before it were copied.
        }
        throw with_part(error);
    }
    under_way.is_over();
}

} // namespace ferry::detail
