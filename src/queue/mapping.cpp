// SPDX-License-Identifier: Apache-2.0
#include "check/race.hpp"
#include "memory/memory_state.hpp"
#include "queue/copy_checks.hpp"
#include "queue/queue_state.hpp"
#include "queue/queue_submit.hpp"
#include "system/fork.hpp"
#include "system/no_cancellation.hpp"
#include "trace/trace.hpp"

#include <ferry/mapping.hpp>

#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace ferry::detail {

struct MappedRange {
    std::shared_ptr<QueueState> queue;
    std::shared_ptr<Memory> memory;
    Region region;
    Map access{};
};

MapHandle::MapHandle() noexcept = default;

MapHandle::MapHandle(Queue& queue, const Region& region, Map access, bool read_only, MappedElements elements,
                     SourceLocation where) {
    QueueState& state = queue.state(where);
    const trace::Span span("map", where);
    const NoCancellation not_cancelled;
    if (read_only && access != Map::read) {
        throw Error(Code::invalid_argument,
                    "A view of const elements cannot be mapped for " + std::string(to_string(access)) +
                        ", which may change them; map it for read, or a view of elements that are not const",
                    where);
    }
    check_moved(region, "The buffer to map", where);
    if (region.bytes == 0) {
        return;
    }
    race::check_alive(state.race(), "mapping", region, where);
    if (&region.memory->device() != &state.device()) {
        throw Error(Code::invalid_argument,
                    "The buffer to map is on " + region.memory->device().describe() +
                        ", but the queue is on " + state.device().describe(),
                    where);
    }
    region.memory->check_destroyed(where);
    auto range = std::make_unique<MappedRange>(MappedRange{queue.handle(), keep(region), region, access});
    region.memory->begin_map(region, access, where);
    try {
        if (state.race() != race::host) [[unlikely]] {
            race::host_waits(state.race()); // Like map().
            const race::Access used{region, nullptr, 0, access != Map::read};
            race::Checker::get().access(race::host, "mapping for " + std::string(to_string(access)),
                                        {&used, 1}, where);
        }
        data_ = state.map(region, access, elements, where);
    } catch (...) {
        region.memory->end_map(region, access);
        throw;
    }
    range_ = std::move(range);
}

MapHandle::MapHandle(MapHandle&& other) noexcept
    : range_(std::move(other.range_)), data_(std::exchange(other.data_, nullptr)) {}

MapHandle& MapHandle::operator=(MapHandle&& other) noexcept {
    if (this != &other) {
        const MapHandle old = std::move(*this); // Ends like a mapping.
        range_ = std::move(other.range_);
        data_ = std::exchange(other.data_, nullptr);
    }
    return *this;
}

MapHandle::~MapHandle() {
    if (backend::process_is_exiting()) {
        return;
    }
    if (range_ != nullptr && range_->queue->forks() != fork_count()) {
        abandon(range_);
        return;
    }
    if (range_ == nullptr) {
        return;
    }
    const std::shared_ptr<QueueState> queue = range_->queue;
    try {
        unmap(SourceLocation());
    } catch (const std::exception& error) {
        queue->leave_to_finish(error);
    }
}

void MapHandle::unmap(SourceLocation where) {
    const NoCancellation not_cancelled;
    std::unique_ptr<MappedRange> range = std::move(range_);
    if (range == nullptr) {
        return;
    }
    void* const host = std::exchange(data_, nullptr);
    if (range->queue->forks() != fork_count()) {
        abandon(range);
        throw Error(Code::invalid_state,
                    "The mapping was made before fork(), and only the parent process can end it", where);
    }
    // From here on the range counts as unmapped, even if the vendor's call fails.
    struct End {
        MappedRange& range;
        ~End() { range.memory->end_map(range.region, range.access); }
    } const end{*range};
    std::optional<Error> raced; // Thrown last, because the vendor's mapping ends in any case.
    if (range->queue->race() != race::host && range->access != Map::read) [[unlikely]] {
        const race::Access used{range->region, nullptr, 0, true};
        try {
            race::Checker::get().access(range->queue->race(), "end of a mapping for writing", {&used, 1},
                                        where);
        } catch (const Error& error) {
            raced = error;
        }
    }
    range->queue->submit(UnmapCommand{{where}, range->region, range->access, host});
    if (raced) {
        throw Error(*raced);
    }
}

} // namespace ferry::detail
