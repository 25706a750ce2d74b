// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/interop/mpi/engine.hpp>

#include <array>
#include <chrono>
#include <climits>
#include <cstddef>
#include <exception>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

// Messages between Ferry memory on different MPI ranks, with any mix of backends. A program that includes
// this header needs an MPI library. It was developed with Open MPI. The Ferry library itself needs none.
//
//     namespace mpi = ferry::interop::mpi;
//     mpi::Environment environment{argc, argv};
//     mpi::Communicator world{MPI_COMM_WORLD, mpi::local_device(MPI_COMM_WORLD)};
//     auto arriving = world.irecv(queue, ghost, left);
//     auto leaving = world.isend(queue, edge, right);
//     arriving.wait();                                  // commands enqueued after this see the received data
//
// Each end of a message is ordered with a queue. A message is sent after the commands enqueued on the queue
// so far. Commands enqueued after wait() has returned see the received data. As in MPI, until then the sent
// data must not change and the received data must not be accessed.
namespace ferry::interop::mpi {

struct CommunicatorOptions {
    DeviceAddresses device_addresses = DeviceAddresses::automatic;
    /// Bytes of a piece of a staged message, 256 to 1 GiB. Must be the same on every rank.
    std::size_t chunk_bytes = std::size_t{1} << 20;
    /// A wait() or an allreduce() throws if there is no progress for this time. Default: 0, never. Time in
    /// which this rank's own queue works does not count.
    std::chrono::milliseconds timeout{0};
};

/// A message in progress, returned by Communicator::isend() or irecv(). It makes progress whenever any
/// request of its Communicator is waited for or tested, and in allreduce(). A copy refers to the same
/// request. A request may be destroyed before its message is done: the message continues, and if it fails,
/// the next call of the Communicator that starts something throws its error. The Communicator, the queue and
/// the memory must outlive the message.
class Request {
public:
    Request() noexcept = default;
    /// For use by the Communicator only.
    Request(detail::Engine& engine, std::shared_ptr<detail::Transfer> transfer) noexcept
        : engine_(&engine), transfer_(std::move(transfer)) {}

    /// True if the message is done, with or without an error. Does not block, and makes progress.
    bool test() const {
        if (transfer_ != nullptr && !transfer_->is_done()) {
            engine_->progress();
        }
        return transfer_ == nullptr || transfer_->is_done();
    }

    /// Blocks until the message is done. Sent data may then be changed by the host and by commands enqueued
    /// later. Received data is visible to commands enqueued later on its queue, and to all others after
    /// event().
    ///
    /// Throws Error:
    /// - command_failed for an error of MPI, for no progress within CommunicatorOptions::timeout, and for a
    ///   failed earlier command of its queue.
    /// - invalid_argument if the two ranks give different sizes. The receiver throws after the whole message
    ///   has arrived, and gets none of it. Later messages are not affected.
    ///
    /// A failed message may be repeated with the same rank and tag, unless MPI has already transferred a part
    /// of it; isend() and irecv() report that case. Ferry keeps the memory of its own buffers alive for as
    /// long as MPI may use it.
    void wait() const {
        if (transfer_ != nullptr) {
            engine_->wait(*transfer_);
        }
    }

    /// An event that is complete when a received message is in its memory, for other queues and for waiting
    /// on the host. For a sent message it is complete at once. Throws Error (invalid_state) before test() has
    /// returned true.
    Event event(SourceLocation where = SourceLocation::current()) const {
        if (transfer_ == nullptr) {
            return {};
        }
        if (!transfer_->is_done()) {
            throw Error(Code::invalid_state,
                        "The message with tag " + std::to_string(transfer_->message().tag) +
                            " is under way: its event is there once wait() has returned or test() was true",
                        where);
        }
        transfer_->check();
        return transfer_->event();
    }

    /// For use by the Communicator only: abandons the message without reporting it.
    void drop(const char* why) const { transfer_->drop(why); }

    /// Calls wait(), and makes `queue` wait for event().
    void join(Queue& queue, SourceLocation where = SourceLocation::current()) const {
        wait();
        queue.wait(event(where), where);
    }

private:
    detail::Engine* engine_ = nullptr;
    std::shared_ptr<detail::Transfer> transfer_;
};

/// One neighbour in Communicator::exchange().
template <Element T>
struct Halo {
    int rank = MPI_PROC_NULL; ///< The rank of the neighbour. Default: none, at an outer edge.
    View<const T> send;
    View<T> receive;
    int send_tag = 0;
    int receive_tag = 0; ///< The tag of the neighbour's send.
};

/// The ranks of an MPI communicator, each with a device. Creation and destruction are collective. It uses a
/// duplicate of the given communicator. Memory may be on its device or on any device that the given queue can
/// copy from and to. Ranks may have devices of different backends.
///
/// MPI accesses memory in place if possible, and explain() reports it. Memory that the processor can access
/// (buffers of the host device, page-locked and imported memory) is always used in place. Device memory of
/// CUDA and HIP is used in place if this MPI reports support for its addresses **and** a small exchange
/// between all ranks gave correct results. This applies to messages only, because MPI libraries do not reduce
/// device memory without blocking. All other memory is copied through page-locked memory in overlapping
/// chunks: while one is sent, the next one is copied.
///
/// Only one thread at a time may call a Communicator (MPI_THREAD_SERIALIZED). Movable, not copyable. The
/// destructor cancels unfinished messages.
class Communicator {
public:
    /// Collective. Throws Error: invalid_state (MPI is not running), invalid_argument (invalid options, or
    /// options that differ between ranks), unsupported (device addresses are required but do not work on some
    /// rank). The last two are thrown on every rank.
    Communicator(MPI_Comm comm, const Device& device, const CommunicatorOptions& options = {},
                 SourceLocation where = SourceLocation::current());

    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }
    const Device& device() const noexcept { return engine_->device(); }
    /// The duplicate, for direct MPI calls of the program.
    MPI_Comm native() const noexcept { return engine_->comm(); }
    Explanation explain() const { return engine_->explanation; }

    /// Starts to send the elements, after the commands enqueued on `queue` so far. `to` may be this rank.
    /// Zero elements are no message. If it throws, nothing was started. Throws Error: invalid_argument (an
    /// invalid rank or tag), invalid_state (a message to that rank with that tag failed half way), and the
    /// error of an earlier message whose request was destroyed.
    template <class S>
        requires ferry::detail::DeviceElements<S>
            Request isend(Queue& queue, const S& from, int to, int tag = 0,
                          SourceLocation where = SourceLocation::current()) {
            engine_->tell_untold();
            return start(true, queue, ferry::detail::region_of(from), to, tag, where);
        }
    /// Starts to receive the elements. They are written after the commands enqueued on `queue` so far.
    /// Messages from one rank with one tag are received in the order in which they were sent.
    template <class D>
        requires ferry::detail::DeviceElements<D> Request
        irecv(Queue& queue, D&& to, int from, int tag = 0, SourceLocation where = SourceLocation::current()) {
            engine_->tell_untold();
            return start(false, queue, ferry::detail::region_of(to), from, tag, where);
        }
    /// isend() or irecv(), followed by wait().
    template <class S>
        requires ferry::detail::DeviceElements<S>
    void send(Queue& queue, const S& from, int to, int tag = 0,
              SourceLocation where = SourceLocation::current()) {
        isend(queue, from, to, tag, where).wait();
    }
    template <class D>
        requires ferry::detail::DeviceElements<D>
    void recv(Queue& queue, D&& to, int from, int tag = 0, SourceLocation where = SourceLocation::current()) {
        irecv(queue, to, from, tag, where).wait();
    }

    /// Sends to and receives from all neighbours at once, and waits for all of them. If some fail, it throws
    /// the first error after all messages have ended.
    template <class T>
    void exchange(Queue& queue, std::span<const Halo<T>> halos,
                  SourceLocation where = SourceLocation::current()) {
        std::exception_ptr failed;
        for (const Request& request : iexchange(queue, halos, where)) {
            try {
                request.wait();
            } catch (const Error&) {
                failed = failed ? failed : std::current_exception();
            }
        }
        if (failed) {
            std::rethrow_exception(failed);
        }
    }
    /// The same without waiting. If it throws, no message is in progress.
    template <class T>
    std::vector<Request> iexchange(Queue& queue, std::span<const Halo<T>> halos,
                                   SourceLocation where = SourceLocation::current()) {
        engine_->tell_untold();
        for (const Halo<T>& halo : halos) {
            if (halo.rank != MPI_PROC_NULL) {
                check_peer(halo.rank, halo.receive_tag, where);
                check_peer(halo.rank, halo.send_tag, where);
            }
        }
        std::vector<Request> requests;
        requests.reserve(2 * halos.size());
        try {
            for (const bool sends : {false, true}) {
                for (const Halo<T>& halo : halos) {
                    if (halo.rank != MPI_PROC_NULL) {
                        requests.push_back(start(sends, queue,
                                                 sends ? halo.send.region() : halo.receive.region(),
                                                 halo.rank, sends ? halo.send_tag : halo.receive_tag, where));
                    }
                }
            }
        } catch (...) {
            for (const Request& request : requests) {
                request.drop("Another message of the same exchange could not begin");
            }
            throw;
        }
        return requests;
    }

    /// Combines the elements of all ranks, index by index, and stores the result in place on every rank.
    /// Collective. The number of elements must be the same on every rank. Blocks until the result of this
    /// rank is complete; messages in progress continue meanwhile. Throws Error: command_failed (an error of
    /// MPI; the timeout, after which this Communicator rejects further reductions with invalid_state), and
    /// the error of an earlier message whose request was destroyed.
    template <class T>
    void allreduce(Queue& queue, const View<T>& elements, Reduce how,
                   SourceLocation where = SourceLocation::current());
    template <class T>
    void allreduce(Queue& queue, Buffer<T>& elements, Reduce how,
                   SourceLocation where = SourceLocation::current()) {
        allreduce(queue, elements.view(), how, where);
    }

private:
    Request start(bool sends, Queue& queue, const detail::Region& region, int peer, int tag,
                  SourceLocation where) {
        check_peer(peer, tag, where);
        return {*engine_, engine_->start({sends, &queue, region, peer, tag, {}, nullptr, where, {}})};
    }
    void check_peer(int peer, int tag, SourceLocation where) const {
        if (peer < 0 || peer >= size_) {
            throw Error(Code::invalid_argument,
                        "Rank " + std::to_string(peer) +
                            " is not in this communicator, which has ranks 0 to " + std::to_string(size_ - 1),
                        where);
        }
        if (tag < 0 || tag > 32767) { // Tags that every MPI accepts.
            throw Error(Code::invalid_argument, "Tag " + std::to_string(tag) + " is not one of 0 to 32767",
                        where);
        }
    }

    int rank_ = 0;
    int size_ = 1;
    std::unique_ptr<detail::Engine> engine_;
};

namespace detail {

/// Throws on every rank unless all ranks gave this number of bytes.
inline void check_chunk(MPI_Comm comm, std::size_t bytes, SourceLocation where) {
    constexpr std::size_t least = 256;
    constexpr std::size_t most = std::size_t{1} << 30;
    const bool valid = bytes >= least && bytes <= most;
    const std::array<long long, 2> mine{static_cast<long long>(bytes), -static_cast<long long>(bytes)};
    std::array<long long, 2> all{};
    check(MPI_Allreduce(mine.data(), all.data(), 2, MPI_LONG_LONG, MPI_MIN, comm), "MPI_Allreduce", where);
    if (!valid) {
        throw Error(Code::invalid_argument,
                    "Chunks of " + std::to_string(bytes) + " bytes cannot be; they have " +
                        std::to_string(least) + " to " + std::to_string(most) + " bytes",
                    where);
    }
    if (all[0] != -all[1]) {
        throw Error(Code::invalid_argument,
                    "This rank's chunks have " + std::to_string(bytes) + " bytes, and those of other ranks " +
                        std::to_string(all[0]) + " to " + std::to_string(-all[1]) +
                        "; CommunicatorOptions::chunk_bytes must be the same on every rank",
                    where);
    }
}

} // namespace detail

inline Communicator::Communicator(MPI_Comm comm, const Device& device, const CommunicatorOptions& options,
                                  SourceLocation where) {
    if (!detail::is_running()) {
        throw Error(
            Code::invalid_state,
            "MPI is not running: make an mpi::Environment or call MPI_Init first, and MPI_Finalize last",
            where);
    }
    const DeviceAddresses addresses = detail::device_addresses(options.device_addresses, where);
    MPI_Comm own = MPI_COMM_NULL;
    detail::check(MPI_Comm_dup(comm, &own), "MPI_Comm_dup", where);
    engine_ = std::make_unique<detail::Engine>(own, device, options.chunk_bytes, options.timeout);
    detail::check(MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler", where);
    detail::check(MPI_Comm_rank(own, &rank_), "MPI_Comm_rank", where);
    detail::check(MPI_Comm_size(own, &size_), "MPI_Comm_size", where);
    detail::check_chunk(own, options.chunk_bytes, where);

    Explanation& told = engine_->explanation;
    told.chunk_bytes = options.chunk_bytes;
    told.pinned = device.has(MemoryKind::host);
    bool able = false;
    if (host::reaches(device, where)) {
        told.route = Route::host;
        told.why = "the processor reaches the memory of " + device.id();
    } else {
        told.route = Route::staged;
        able = detail::takes_addresses(device.backend(), told.why);
        if (addresses == DeviceAddresses::never) {
            told.why = "device addresses were not asked for";
            able = false;
        }
    }
    const int mine = able ? 1 : 0;
    int any = 0;
    detail::check(MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, own), "MPI_Allreduce", where);
    std::string wrong;
    const bool works = any != 0 && detail::exchange_works(own, device, able, wrong, where);
    if (able) {
        engine_->device_addresses = works;
        told.route = works ? Route::device : Route::staged;
        told.why = "this MPI says that it takes the device's addresses, " +
                   (works ? "and an exchange of 251 bytes around all ranks was right" : "but " + wrong);
    }
    // All ranks must throw together; otherwise the others would wait for this one.
    const bool refuses = addresses == DeviceAddresses::required && told.route == Route::staged;
    const int refusing = refuses ? rank_ : size_;
    int first = size_;
    detail::check(MPI_Allreduce(&refusing, &first, 1, MPI_INT, MPI_MIN, own), "MPI_Allreduce", where);
    if (refuses) {
        throw Error(Code::unsupported,
                    "Memory of " + device.id() + " cannot be given to MPI in place: " + told.why, where);
    }
    if (first != size_) {
        throw Error(Code::unsupported,
                    "Device addresses are required, and memory of rank " + std::to_string(first) +
                        "'s device cannot be given to MPI in place; its own error says why",
                    where);
    }
}

template <class T>
void Communicator::allreduce(Queue& queue, const View<T>& elements, Reduce how, SourceLocation where) {
    engine_->tell_untold();
    if (elements.empty()) {
        return;
    }
    engine_->check_reduces(where);
    const auto combine = [&](std::list<detail::Piece>& piece, void* data, std::size_t count) {
        engine_->reduce(piece, data, count, detail::datatype<T>(), detail::operation(how), where);
    };
    const std::size_t step = (std::max<std::size_t>)(engine_->chunk() / sizeof(T), 1);
    const auto part = [&](std::size_t first) {
        return elements.subview(first, (std::min)(step, elements.size() - first), where);
    };
    void* address = nullptr;
    // An MPI that accepts device addresses accepts them in messages only: Open MPI's MPI_Iallreduce does not.
    const bool in_place = engine_->route_of(elements.region(), address, where) == Route::host;
    engine_->count(in_place ? Route::host : Route::staged, elements.size_bytes());
    if (in_place) {
        const Event before = queue.record(where);
        queue.flush(where);
        engine_->wait(before, where);
        std::list<detail::Piece> piece(1);
        piece.front().memory = interop::detail::hold(elements.region());
        for (std::size_t first = 0; first < elements.size(); first += step) {
            combine(piece, static_cast<T*>(address) + first, part(first).size());
        }
        return;
    }
    std::array<std::list<detail::Piece>, 2> pieces{std::list<detail::Piece>(1), std::list<detail::Piece>(1)};
    for (std::list<detail::Piece>& piece : pieces) {
        piece.front().slot = engine_->slots().take(step * sizeof(T), where);
    }
    pieces[0].front().slot.front().download(queue, part(0).region(), where);
    for (std::size_t first = 0, turn = 0; first < elements.size(); first += step, turn ^= 1) {
        detail::Slot& slot = pieces[turn].front().slot.front();
        engine_->wait(slot.busy, where);
        if (first + step < elements.size()) {
            pieces[turn ^ 1].front().slot.front().download(queue, part(first + step).region(), where);
        }
        combine(pieces[turn], slot.data(), part(first).size());
        slot.upload(queue, part(first).region(), where);
    }
    for (std::list<detail::Piece>& piece : pieces) {
        engine_->wait(piece.front().slot.front().busy, where);
        engine_->slots().give_back(std::move(piece.front().slot));
    }
}

} // namespace ferry::interop::mpi
