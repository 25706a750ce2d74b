// SPDX-License-Identifier: Apache-2.0
#include "staging/pipeline.hpp"

#include "base/copy_threads.hpp"
#include "base/part_done.hpp"
#include "base/serial_thread.hpp"
#include "device/device_state.hpp"
#include "system/pause.hpp"

#include <algorithm>
#include <utility>

namespace ferry::detail::staging {
namespace {

/// With few copy threads, the thread that controls the copy also runs tasks.
bool should_help() {
    return Workers::get().most() < 3;
}

/// About a millisecond: a sleep is as long as the bus needs for one piece. A copy that makes no progress for
/// longer usually waits for other commands.
constexpr unsigned yields_of_copies = 1000;

bool is_idle(const Leg& leg) {
    const std::lock_guard lock(leg.mutex);
    return leg.queue.idle();
}

} // namespace

bool settle(const Leg& leg) noexcept {
    constexpr int most_errors = 3; // After this many errors the device is lost.
    int errors = 0;
    for (Backoff backoff;;) {
        try {
            if (is_idle(leg)) {
                return true;
            }
            SerialThread::pause(backoff);
        } catch (const Error&) { // Already reported, or reported again by the next query.
            if (++errors == most_errors) {
                return true;
            }
        } catch (const SerialThread::Ending&) {
            return false;
        }
    }
}

void Pipeline::run() {
    commands_.resize(route_.steps.size());
    try {
        for (Backoff backoff(yields_of_copies); done_ != route_.bytes;) {
            bool moved = begin();
            moved = collect_work() || moved;
            moved = collect_commands() || moved;
            if (moved || (should_help() && Workers::get().help())) {
                backoff.reset();
            } else if (done_ != route_.bytes) {
                SerialThread::pause(backoff);
            }
        }
    } catch (const SerialThread::Ending&) {
        throw;
    } catch (const Failure& failure) {
        fail(failure);
    } catch (const Error& error) {
        fail({error, Failure::Of::work, nullptr});
    } catch (const std::exception& error) {
        fail({Error(Code::internal, error.what()), Failure::Of::work, nullptr});
    }
}

void Pipeline::fail(const Failure& failure) {
    std::size_t part = begun_; // The start of the first piece that is not done.
    for (const Piece& piece : pieces_) {
        if (std::find(spare_.begin(), spare_.end(), &piece) == spare_.end()) {
            part = std::min(part, piece.offset);
        }
    }
    abandon();
    const bool own = failure.of == Failure::Of::issue || failure.of == Failure::Of::work;
    if (!own || part == 0 || failure.error.code() == Code::device_lost) {
        throw Failure(failure);
    }
    throw Failure{after_part(failure.error, first_part(part, route_.bytes, "copied")), failure.of,
                  failure.leg};
}

bool Pipeline::begin() {
    bool moved = false;
    // Creates at most one slot for each call, because creating one is slow and pieces in flight must proceed.
    for (bool made = false; begun_ != route_.bytes && !made;) {
        if (spare_.empty()) {
            spare_.push_back(&pieces_.emplace_back());
        }
        Piece& piece = *spare_.back();
        const std::size_t slots = slots_made();
        if (!take_slots(piece)) {
            break;
        }
        made = slots_made() != slots;
        spare_.pop_back();
        std::size_t room = route_.piece_bytes;
        for (const Slot* slot : piece.slot) {
            room = slot != nullptr ? std::min(room, slot->bytes - route_.reserved) : room;
        }
        piece.offset = begun_;
        piece.bytes = std::min(room, route_.bytes - begun_);
        piece.step = 0;
        begun_ += piece.bytes;
        enter(piece);
        moved = true;
    }
    return moved;
}

std::size_t Pipeline::slots_made() const noexcept {
    std::size_t made = 0;
    for (const Lease* lease : route_.leases) {
        made += lease != nullptr ? lease->made() : 0;
    }
    return made;
}

bool Pipeline::take_slots(Piece& piece) {
    const bool nothing_under_way = spare_.size() == pieces_.size();
    for (std::size_t i = 0; i < route_.leases.size() && route_.leases[i] != nullptr; ++i) {
        Lease& lease = *route_.leases[i];
        piece.slot[i] = nothing_under_way ? lease.wait() : lease.take();
        if (piece.slot[i] != nullptr) {
            continue;
        }
        if (i == 1) {
            route_.leases[0]->give(std::exchange(piece.slot[0], nullptr));
        }
        if (nothing_under_way) {
            throw Failure{Error(Code::out_of_memory, lease.slots().info().note), Failure::Of::slots, nullptr};
        }
        return false;
    }
    return true;
}

void Pipeline::enter(Piece& piece) {
    const Step& step = route_.steps[piece.step];
    if (step.leg == nullptr) {
        piece.worked.store(false, std::memory_order_relaxed); // Before push(), which orders it by a mutex.
        piece.error.reset();
        working_.push_back(&piece);
        try {
            Workers::get().push([self = shared_from_this(), &step, &piece] {
                try {
                    step.run(piece);
                } catch (const Error& error) {
                    piece.error = error;
                } catch (const std::exception& error) {
                    piece.error = Error(Code::internal, error.what());
                }
                piece.worked.store(true, std::memory_order_release);
            });
        } catch (...) {
            working_.pop_back();
            throw;
        }
        return;
    }
    commands_[piece.step].push_back(&piece); // Also if the call fails, because the slot may be in use then.
    Slot* const slot = piece.slot[step.slot];
    backend::Event* done = nullptr;
    try {
        done = &slot->event(step.leg->device);
        const std::lock_guard lock(step.leg->mutex);
        step.run(piece);
        step.leg->queue.record(*done);
        step.leg->queue.flush();
    } catch (const Error& error) {
        throw Failure{error, Failure::Of::issue, step.leg};
    }
    if (route_.left_to != nullptr && piece.step + 1 == route_.steps.size()) {
        commands_[piece.step].pop_back();
        route_.leases[step.slot]->leave(std::exchange(piece.slot[step.slot], nullptr), *done, route_.left_to,
                                        route_.command);
        finish(piece);
    }
}

void Pipeline::advance(Piece& piece) {
    if (++piece.step == route_.steps.size()) {
        finish(piece);
    } else {
        enter(piece);
    }
}

void Pipeline::finish(Piece& piece) {
    for (std::size_t i = 0; i < piece.slot.size(); ++i) {
        if (piece.slot[i] != nullptr) {
            route_.leases[i]->give(std::exchange(piece.slot[i], nullptr));
        }
    }
    done_ += piece.bytes;
    spare_.push_back(&piece);
    if (route_.progress) {
        route_.progress(done_);
    }
}

bool Pipeline::collect_work() {
    bool moved = false;
    for (std::size_t i = 0; i < working_.size();) {
        Piece& piece = *working_[i];
        if (!piece.worked.load(std::memory_order_acquire)) {
            ++i;
            continue;
        }
        working_.erase(working_.begin() + static_cast<std::ptrdiff_t>(i));
        moved = true;
        if (piece.error) {
            for (std::size_t k = 0; k < piece.slot.size(); ++k) {
                if (piece.slot[k] != nullptr) {
                    route_.leases[k]->give(std::exchange(piece.slot[k], nullptr));
                }
            }
            throw Failure{*piece.error, Failure::Of::work, nullptr};
        }
        advance(piece);
    }
    return moved;
}

bool Pipeline::is_done(const Piece& piece) const {
    const Step& step = route_.steps[piece.step];
    try {
        return piece.slot[step.slot]->event(step.leg->device).ready();
    } catch (const Error& error) {
        throw Failure{error, Failure::Of::earlier, step.leg};
    }
}

bool Pipeline::collect_commands() {
    bool moved = false;
    for (auto& under_way : commands_) {
        while (!under_way.empty() && is_done(*under_way.front())) {
            Piece& piece = *under_way.front();
            under_way.pop_front();
            moved = true;
            advance(piece);
        }
    }
    return moved;
}

void Pipeline::abandon() noexcept {
    // A copy thread always finishes its task. A command has ended once its queue is idle, even after an
    // error.
    for (const Piece* piece : working_) {
        while (!piece->worked.load(std::memory_order_acquire)) {
            if (backend::process_is_exiting()) {
                return;
            }
            if (!Workers::get().help()) {
                yield_thread();
            }
        }
    }
    for (std::size_t i = 0; i < commands_.size(); ++i) {
        if (!commands_[i].empty() && !settle(*route_.steps[i].leg)) {
            return;
        }
    }
    for (Piece& piece : pieces_) {
        for (std::size_t i = 0; i < piece.slot.size(); ++i) {
            if (piece.slot[i] != nullptr) {
                route_.leases[i]->give(std::exchange(piece.slot[i], nullptr));
            }
        }
    }
}

} // namespace ferry::detail::staging
