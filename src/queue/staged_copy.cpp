// SPDX-License-Identifier: Apache-2.0
// The part of a queue that copies pageable memory through page-locked slots.
#include "base/copy_threads.hpp"
#include "base/serial_thread.hpp"
#include "memory/known_memory.hpp"
#include "memory/memory_state.hpp"
#include "queue/queue_state.hpp"
#include "queue/queue_submit.hpp"
#include "staging/routes.hpp"

#include <ferry/staging.hpp>

#include <memory>
#include <utility>

namespace ferry::detail {
namespace {

/// An error that already names its command.
struct ReportedError {
    Error error;
};

} // namespace

bool QueueState::stages(const void* host, const Region& region) {
    // With FERRY_SYNC the call waits for the copy, so the driver's own copy is equally good.
    if (sync_ || staging::is_page_locked(*device_, host, region.bytes)) {
        return false;
    }
    // A copy between two ranges of host memory uses no bus that staging could keep busy.
    return staging_ == Staging::on ||
           (region.memory->kind() != MemoryKind::host && region.memory->kind() != MemoryKind::imported &&
            device_->slots().worth(region.bytes));
}

QueueState::Carry QueueState::staged_copy(void* host, const Region& region, Way way) {
    return [=, this](const staging::Leg& leg, std::uint64_t number) {
        const backend::Place place = place_of(region);
        staging::Slots& slots = device_->slots();
        if (way == Way::up && may_be_written(host, region.bytes)) {
            wait_for_earlier(leg);
        }
        try {
            staging::Lease lease(slots);
            staging::Route route = way == Way::up
                                       ? staging::upload_route(leg, lease, host, place, region.bytes)
                                       : staging::download_route(leg, lease, place, host, region.bytes);
            if (way == Way::up) { // Later commands need not wait for the slots.
                route.left_to = shared_from_this();
                route.command = number;
            }
            std::make_shared<staging::Pipeline>(std::move(route))->run();
            slots.count(region.bytes);
        } catch (const staging::Failure& failure) {
            if (failure.of != staging::Failure::Of::slots) {
                throw;
            }
            const Lock lock(mutex_);
            native_->taken = {};
            try {
                if (way == Way::up) {
                    native_->write(host, place, region.bytes);
                } else {
                    native_->read(place, host, region.bytes);
                    host_writes_.note(host, region.bytes, number);
                }
            } catch (const Error& error) {
                throw log_.with_part(error, native_->taken.bytes, false);
            }
        }
    };
}

bool QueueState::may_be_written(const void* host, std::size_t bytes) const noexcept {
    // If staging is forced on a processor, kernels also access pageable memory. The load is relaxed, because
    // a program that submits commands itself has ordered them before this copy, and so the store of expose().
    const bool in_place = exposed_.load(std::memory_order_relaxed) || device_->has_imports() ||
                          !device_->native().gains_from_staging();
    const Lock lock(mutex_);
    return in_place || host_writes_.may_be_left(timeline(), host, bytes);
}

void QueueState::wait_for_earlier(const staging::Leg& leg) {
    try {
        const std::unique_ptr<backend::Event> done = device_->native().create_event(false);
        {
            const Lock lock(mutex_);
            leg.queue.record(*done);
            leg.queue.flush();
        }
        for (Backoff backoff; !done->ready();) {
            SerialThread::pause(backoff);
        }
    } catch (const Error& error) {
        throw staging::Failure{error, staging::Failure::Of::earlier, &leg};
    }
}

bool QueueState::is_staged(const WriteCommand& command) {
    return command.to.bytes > straight_up_ && stages(command.host, command.to);
}

bool QueueState::is_staged(const ReadCommand& command) {
    return command.from.bytes > straight_down_ && stages(command.host, command.from);
}

void QueueState::stage_later(const WriteCommand& command) {
    carry_later(command.to, staged_copy(const_cast<void*>(command.host), command.to, Way::up), command.where);
}

void QueueState::stage_later(const ReadCommand& command) {
    carry_later(command.from, staged_copy(command.host, command.from, Way::down), command.where);
}

void QueueState::carry(const Region& region, Carry run, const SourceLocation& where) {
    Lock lock(mutex_);
    check_alive(where);
    admit(HostCommand{{where}, region}, where);
    carry_later(region, std::move(run), where);
}

void QueueState::carry_later(const Region& region, Carry run, const SourceLocation& where) {
    const HostCommand command{{where}, region};
    defer([=, this, kept = keep(region), run = std::move(run)](const Error* failed) {
        if (failed != nullptr) {
            return;
        }
        std::uint64_t number = 0;
        {
            const Lock turn(mutex_);
            check_alive(where);
            // It remains the last one, because later commands are appended to the backlog.
            number = begin_task(command);
            if (trace_) {
                trace_->begin();
            }
        }
        try {
            try {
                run({*device_, *native_, mutex_}, number);
                end_traced("staged copy");
            } catch (const staging::Failure& failure) {
                if (failure.of == staging::Failure::Of::earlier ||
                    failure.error.code() == Code::device_lost) {
                    if (const auto reported = command_failed(failure.error, number)) {
                        throw ReportedError{*reported};
                    }
                }
                throw Error(failure.error);
            }
        } catch (const ReportedError& reported) {
            end_traced(nullptr);
            throw Error(reported.error);
        } catch (const Error& error) {
            end_traced(nullptr);
            const Lock turn(mutex_);
            throw log_.blame_last(error);
        }
    });
    note_deferred(command);
}

void QueueState::end_traced(const char* name) noexcept {
    const Lock lock(mutex_);
    if (trace_ && name != nullptr) {
        trace_->end(log_.latest(), name);
    } else if (trace_) {
        trace_->cancel();
    }
}

} // namespace ferry::detail

namespace ferry {

StagingInfo staging_info(const Device& device) {
    StagingInfo info = device.state().slots().info();
    info.threads = detail::staging::Workers::get().running();
    const detail::staging::ThreadLimit limit = detail::staging::thread_limit();
    info.most_threads = detail::staging::Workers::get().most();
    info.most_threads_source = limit.source;
    const detail::staging::SlotSize size = detail::staging::slot_size(&device.state());
    info.slot_bytes_source = size.bytes == info.slot_bytes
                                 ? size.source
                                 : "made before, or as large as the system gave; now " + size.source;
    return info;
}

StagingInfo prepare_staging(const Device& device) {
    detail::DeviceState& state = device.state();
    if (state.native().gains_from_staging()) {
        state.slots().prepare();
        try {
            detail::staging::Workers::get().push([] {}); // The thread releases unused slots once it is idle.
            // No thread can be started. A later copy or trim_staging() releases the slots.
        } catch (const Error&) {
        }
    }
    return staging_info(device);
}

void trim_staging() noexcept {
    detail::staging::Workers::get().end_idle();
    detail::staging::Slots::trim_all({});
}

} // namespace ferry
