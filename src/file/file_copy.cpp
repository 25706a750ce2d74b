// SPDX-License-Identifier: Apache-2.0
// Queue commands that copy between files and device memory.
#include "base/copy_threads.hpp"
#include "base/serial_thread.hpp"
#include "base/text.hpp"
#include "check/race.hpp"
#include "file/file.hpp"
#include "memory/memory_state.hpp"
#include "queue/copy_checks.hpp"
#include "queue/queue_state.hpp"
#include "queue/race_notes.hpp"
#include "staging/routes.hpp"
#include "system/no_cancellation.hpp"
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
    check_moved(region, what, where);
    if (region.memory != nullptr && &region.memory->device() != &queue.device()) {
        throw Error(Code::invalid_argument,
                    std::string(what) + " is on " + region.memory->device().describe() +
                        ", but the queue is on " + queue.device().describe(),
                    where);
    }
}

/// Larger positions would wrap to other bytes of the file.
void check_places(const char* doing, std::uint64_t bytes, std::uint64_t offset, const FilePath& path,
                  SourceLocation where) {
    constexpr std::uint64_t most = most_file_bytes;
    if (offset > most || bytes > most - offset) {
        throw Error(Code::out_of_range,
                    std::string(doing) + " " + in_bytes(bytes) + " from byte " + std::to_string(offset) +
                        " of the file '" + path.string() + "' exceeds the largest size of a file, " +
                        std::to_string(most) + " bytes",
                    where);
    }
}

/// An exception of the caller's function fails the command. It becomes an Error of Ferry here, so that it is
/// not mistaken for an error of the library or the device.
void tell(const FileOptions& options, const char* function, std::uint64_t done, std::uint64_t total) {
    std::string thrown;
    try {
        options.progress({done, total});
        return;
    } catch (const SerialThread::Ending&) {
        throw;
    } catch (const std::exception& error) {
        thrown = error.what();
    } catch (...) {
        thrown = "something that is not a std::exception";
    }
    throw Error(Code::command_failed,
                "The progress function of " + std::string(function) + "() threw: " + thrown);
}

/// Runs the route with slots of the device, and again with pageable slots if page-locked memory is refused.
template <class MakeSteps>
void run_file_route(const staging::Leg& leg, Staging mode, std::uint64_t bytes, const FileOptions& options,
                    const char* function, const MakeSteps& steps) {
    const auto run = [&](staging::Slots& slots) {
        slots.worth(bytes); // Counts the bytes, so that slots are created.
        staging::Lease lease(slots);
        staging::Route route;
        route.bytes = bytes;
        route.reserved = 2 * file_page;
        route.piece_bytes =
            staging::piece_bytes(bytes, slots.slot_bytes(), staging::Workers::get().most()) - route.reserved;
        route.leases = {&lease, nullptr};
        route.steps = steps();
        if (options.progress) {
            route.progress = [&](std::size_t done) { tell(options, function, done, bytes); };
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

void note_race(const QueueState& queue, const char* call, const race::Access& access,
               const SourceLocation& where) {
    if (queue.race() != race::host) [[unlikely]] {
        race::note(queue, std::string(call) + " of " + in_bytes(access.region.bytes), {&access, 1}, where);
    }
}

} // namespace

void read_file(Queue& queue, const FilePath& path, const Region& to, FileOptions options,
               SourceLocation where) {
    const trace::Span span("read_file", where);
    const detail::NoCancellation not_cancelled;
    QueueState& state = queue.state(where);
    race::check_alive(state.race(), "read_file", to, where);
    check_device(state, to, "The destination of a file", where);
    const std::uint64_t offset = options.offset.value_or(0);
    check_places("Reading", to.bytes, offset, path, where);
    const auto file = std::make_shared<staging::InputFile>(path.string(), offset, to.bytes, where);
    if (to.bytes == 0) {
        return;
    }
    to.memory->check_writable(where);
    note_race(state, "read_file", {to, nullptr, 0, true}, where);
    const auto run = [=, mode = state.staging(), options = std::move(options)](const staging::Leg& leg,
                                                                               std::uint64_t) {
        const std::size_t skew = offset % file_page;
        run_file_route(leg, mode, to.bytes, options, "read_file", [&] {
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

void write_file(Queue& queue, const Region& from, const FilePath& path, FileOptions options,
                SourceLocation where) {
    const trace::Span span("write_file", where);
    const detail::NoCancellation not_cancelled;
    QueueState& state = queue.state(where);
    race::check_alive(state.race(), "write_file", from, where);
    check_device(state, from, "The source of a file", where);
    if (from.memory != nullptr) {
        from.memory->check_readable(where);
    }
    const bool whole = !options.offset;
    const std::uint64_t offset = options.offset.value_or(0);
    check_places("Writing", from.bytes, offset, path, where);
    const auto file = std::make_shared<staging::OutputFile>(path.string(), whole, from.bytes, where);
    if (from.bytes != 0) {
        note_race(state, "write_file", {from, nullptr, 0, false}, where);
    }
    const auto run = [=, mode = state.staging(), options = std::move(options)](const staging::Leg& leg,
                                                                               std::uint64_t) {
        const std::size_t skew = offset % file_page;
        if (from.bytes != 0) {
            run_file_route(leg, mode, from.bytes, options, "write_file", [&] {
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
