// SPDX-License-Identifier: Apache-2.0
#include "check/race.hpp"
#include "memory/memory_state.hpp"
#include "queue/copy_checks.hpp"
#include "queue/queue_state.hpp"
#include "queue/queue_submit.hpp"
#include "queue/race_notes.hpp"
#include "trace/trace.hpp"

#include <ferry/batch.hpp>
#include <ferry/queue.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

namespace ferry {

void Batch::add(const detail::BatchedCopy& one, std::size_t element, SourceLocation where) {
    detail::check_moved(one.from, "The source of a copy of the batch", where);
    detail::check_moved(one.to, "The destination of a copy of the batch", where);
    detail::check_sizes(one.from.bytes, one.to.bytes, element, where);
    if (one.to.bytes == 0) {
        return;
    }
    if (one.from.memory == nullptr) {
        detail::check_host(one.host_from, one.from.bytes, "The source", where);
    }
    if (one.to.memory == nullptr) {
        detail::check_host(one.host_to, one.to.bytes, "The destination", where);
    }
    const auto use = [&](const detail::Region& region, const void* host, bool written) {
        const std::size_t begin =
            region.memory != nullptr ? region.offset : reinterpret_cast<std::uintptr_t>(host);
        uses_.push_back({region.memory, begin, begin + region.bytes, written});
    };
    copies_.push_back(one);
    use(one.from, one.host_from, false);
    use(one.to, one.host_to, true);
    bytes_ += one.to.bytes;
    checked_ = false;
}

void Batch::reserve(std::size_t copies) {
    copies_.reserve(copies);
    uses_.reserve(2 * copies);
}

void Batch::clear() noexcept {
    copies_.clear();
    uses_.clear();
    bytes_ = 0;
    checked_ = true;
}

void Batch::check(SourceLocation where) {
    if (checked_) {
        return;
    }
    std::sort(uses_.begin(), uses_.end(), [](const Use& a, const Use& b) {
        return a.memory != b.memory ? std::less<>()(a.memory, b.memory) : a.begin < b.begin;
    });
    const Use* furthest = nullptr; // The use of this memory that ends last.
    const Use* furthest_written = nullptr;
    for (const Use& use : uses_) {
        if (furthest != nullptr && furthest->memory != use.memory) {
            furthest = furthest_written = nullptr;
        }
        const Use* const other = use.written ? furthest : furthest_written;
        if (other != nullptr && use.begin < other->end) {
            const auto text = [](const Use& u) {
                return std::string(u.written ? "written" : "read") + ", bytes " + std::to_string(u.begin) +
                       " to " + std::to_string(u.end);
            };
            throw Error(Code::invalid_argument,
                        std::string("Two copies of a batch overlap in ") +
                            (use.memory != nullptr ? "one buffer: " : "host memory: ") + text(*other) +
                            " by one, and " + text(use) +
                            " by another; the copies of a batch run in any order, so put them in two batches",
                        where);
        }
        if (furthest == nullptr || use.end > furthest->end) {
            furthest = &use;
        }
        if (use.written && (furthest_written == nullptr || use.end > furthest_written->end)) {
            furthest_written = &use;
        }
    }
    checked_ = true;
}

void Queue::copy(Batch& batch, SourceLocation where) {
    const trace::Span span("Queue::copy", where);
    detail::QueueState& queue = state(where);
    for (const detail::BatchedCopy& one : batch.copies()) {
        detail::race::check_alive(queue.race(), "batch of copies", one.from, where);
        detail::race::check_alive(queue.race(), "batch of copies", one.to, where);
        if (one.from.memory != nullptr) {
            detail::check_here(queue, one.from, "The source of a copy of the batch", where);
            one.from.memory->check_readable(where);
        }
        if (one.to.memory != nullptr) {
            detail::check_here(queue, one.to, "The destination of a copy of the batch", where);
            one.to.memory->check_writable(where);
        }
    }
    batch.check(where);
    if (!batch.empty()) {
        const detail::BatchCommand command{{where}, batch.copies(), batch.size_bytes()};
        detail::race::note(queue, command);
        queue.submit(command);
    }
}

} // namespace ferry
