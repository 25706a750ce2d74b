// SPDX-License-Identifier: Apache-2.0
// Files into a device's memory and back, as commands of a queue.
#include "memory_state.hpp"
#include "queue_state.hpp"
#include "staging/file.hpp"
#include "staging/routes.hpp"
#include "staging/workers.hpp"
#include "trace/trace.hpp"

#include <ferry/file.hpp>

#include <memory>
#include <string>
#include <utility>

namespace ferry::detail {
namespace {

using staging::file_page;
using staging::Piece;

void check_device(const QueueState& queue, const Region& region, const char* what, SourceLocation where) {
    if (region.memory != nullptr && &region.memory->device() != &queue.device()) {
        throw Error(Code::invalid_argument,
                    std::string(what) + " is on " + region.memory->device().describe() +
                        ", but the queue is on " + queue.device().describe(),
                    where);
    }
}

/// Runs a route made for given slots, and again for ordinary memory if page-locked memory is refused.
template <class MakeSteps>
void run_file_route(const staging::Leg& leg, staging::Mode mode, std::uint64_t bytes,
                    const FileOptions& options, const MakeSteps& steps) {
    const auto run = [&](staging::Slots& slots) {
        slots.worth(bytes); // counts them, so that slots are made
        staging::Lease lease(slots);
        staging::Route route;
        route.bytes = bytes;
        route.reserved = 2 * file_page;
        route.piece_bytes =
            staging::piece_bytes(bytes, slots.slot_bytes(), staging::Workers::get().most()) - route.reserved;
        route.leases = {&lease, nullptr};
        route.steps = steps();
        if (options.progress) {
            route.progress = [&](std::size_t done) { options.progress({done, bytes}); };
        }
        std::make_shared<staging::Pipeline>(std::move(route))->run();
    };
    try {
        run(staging::slots_for(leg.device, mode));
    } catch (const staging::Failure& failure) {
        if (failure.of != staging::Failure::Of::slots) {
            throw;
        }
        run(staging::Slots::ordinary());
    }
}

} // namespace

void read_file(Queue& queue, const std::filesystem::path& path, const Region& to, FileOptions options,
               SourceLocation where) {
    const trace::Span span("read_file", where);
    QueueState& state = queue.state(where);
    check_device(state, to, "The destination of a file", where);
    const std::uint64_t offset = options.offset.value_or(0);
    const auto file = std::make_shared<staging::InputFile>(path.string(), offset, to.bytes, where);
    if (to.bytes == 0) {
        return;
    }
    to.memory->check_writable(where);
    const auto run = [=, mode = state.staging(), options = std::move(options)](const staging::Leg& leg,
                                                                               std::uint64_t) {
        const std::size_t skew = offset % file_page;
        run_file_route(leg, mode, to.bytes, options, [&] {
            return std::vector<staging::Step>{{nullptr, 0,
                                               [=](const Piece& piece) {
                                                   file->read(piece.slot[0]->data, offset + piece.offset,
                                                              piece.bytes);
                                               }},
                                              staging::write_step(leg, place_of(to), 0, skew)};
        });
    };
    state.carry(to, run, where);
}

void write_file(Queue& queue, const Region& from, const std::filesystem::path& path, FileOptions options,
                SourceLocation where) {
    const trace::Span span("write_file", where);
    QueueState& state = queue.state(where);
    check_device(state, from, "The source of a file", where);
    if (from.memory != nullptr) {
        from.memory->check_readable(where);
    }
    const bool whole = !options.offset;
    const std::uint64_t offset = options.offset.value_or(0);
    const auto file = std::make_shared<staging::OutputFile>(path.string(), whole, from.bytes, where);
    const auto run = [=, mode = state.staging(), options = std::move(options)](const staging::Leg& leg,
                                                                               std::uint64_t) {
        const std::size_t skew = offset % file_page;
        if (from.bytes != 0) {
            run_file_route(leg, mode, from.bytes, options, [&] {
                return std::vector<staging::Step>{staging::read_step(leg, place_of(from), 0, skew),
                                                  {nullptr, 0, [=](const Piece& piece) {
                                                       file->write(piece.slot[0]->data + skew,
                                                                   offset + piece.offset, piece.bytes);
                                                   }}};
            });
        }
        file->commit();
    };
    state.carry(from, run, where);
}

} // namespace ferry::detail
