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

// Ferry's memory over MPI, on any mix of backends. Needs an MPI (developed with Open MPI); Ferry does not.
//
//     namespace mpi = ferry::interop::mpi;
//     mpi::Environment environment{argc, argv};
//     mpi::Communicator world{MPI_COMM_WORLD, mpi::local_device(MPI_COMM_WORLD)};
//     auto arriving = world.irecv(queue, ghost, left);
//     auto leaving = world.isend(queue, edge, right);
//     arriving.wait();                                  // commands enqueued from here on see what arrived
//
// Every end says which queue it is in order with. A message leaves after the commands enqueued on it so far;
// commands enqueued behind a finished wait() see what was received. In between, as in MPI, what is sent must
// not be changed and what is received not be touched.
namespace ferry::interop::mpi {

struct CommunicatorOptions {
    DeviceAddresses device_addresses = DeviceAddresses::automatic;
    /// Bytes of a piece of a staged message, 256 to 1 GiB, the same on every rank.
    std::size_t chunk_bytes = std::size_t{1} << 20;
    /// A wait() or an allreduce() in which nothing moves for that long throws; 0: never. The time in which
    /// this rank's own queue works does not count.
    std::chrono::milliseconds timeout{0};
};

/// A message under way, from Communicator::isend() or irecv(). It moves on when any request of its
/// Communicator is waited for or tested, and in allreduce(). A copy is the same request. Dropping it is
/// allowed: the message goes on, and if it fails, the Communicator's next call that begins something throws
/// its error instead. The Communicator, the queue and the memory must outlive the message.
class Request {
public:
    Request() noexcept = default;
    /// For the Communicator.
    Request(detail::Engine& engine, std::shared_ptr<detail::Transfer> transfer) noexcept
        : engine_(&engine), transfer_(std::move(transfer)) {}

    /// Whether it is done, well or not. Does not block, and makes progress.
    bool test() const {
        if (transfer_ != nullptr && !transfer_->is_done()) {
            engine_->progress();
        }
        return transfer_ == nullptr || transfer_->is_done();
    }

    /// Blocks until it is done: what was sent may be changed by the host and by commands enqueued from now
    /// on; what was received is seen by commands enqueued from now on on its queue, and after event() by all.
    /// Throws Error: command_failed (MPI's words; nothing moved for CommunicatorOptions::timeout; a command
    /// before it on its queue failed), invalid_argument (the two ranks name different sizes: the receiver is
    /// told, once all that was sent is here, and has none of it; messages behind it are not disturbed).
    ///
    /// A message that failed may be tried again with the same rank and tag, unless MPI has carried a part of
    /// it already; isend() and irecv() tell. Ferry keeps memory of its own buffers alive for as long as MPI
    /// may still use it.
    void wait() const {
        if (transfer_ != nullptr) {
            engine_->wait(*transfer_);
        }
    }

    /// Complete when a received message is in its memory. For other queues, and for the host's waiting; of a
    /// message sent it is complete at once. Throws Error (invalid_state) before test() said yes.
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

    /// For the Communicator: gives it up, and nobody is told.
    void drop(const char* why) const { transfer_->drop(why); }

    /// wait(), and `queue` goes on only after event().
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
    int rank = MPI_PROC_NULL; ///< nobody: at an edge of the whole
    View<const T> send;
    View<T> receive;
    int send_tag = 0;
    int receive_tag = 0; ///< that of the neighbour's send
};

/// The ranks of an MPI communicator, each with a device. Making and destroying one is collective; it works on
/// a duplicate of the communicator given. Memory may be on its device, or on any the queue given reaches by
/// copies; ranks may have devices of different backends.
///
/// MPI gets memory in place where it can, which explain() tells: what the processor reaches (the host
/// device's buffers, page-locked and imported memory) always; device memory of CUDA and HIP if this MPI says
/// that it takes their addresses **and** a small exchange around all ranks was right, for messages alone: MPI
/// libraries do not sum there without blocking. All else is copied through page-locked memory, in chunks that
/// overlap: while one is sent, the next one is copied.
///
/// Calls of one Communicator come from one thread at a time (MPI_THREAD_SERIALIZED). Moves, does not copy.
/// Its end cancels what is not done.
class Communicator {
public:
    /// Collective. Throws Error: invalid_state (MPI is not running), invalid_argument (options that cannot
    /// be, or that are not the same on all ranks), unsupported (device addresses are required, and do not
    /// work on some rank). The last two on every rank.
    Communicator(MPI_Comm comm, const Device& device, const CommunicatorOptions& options = {},
                 SourceLocation where = SourceLocation::current());

    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }
    const Device& device() const noexcept { return engine_->device(); }
    /// The duplicate, for MPI calls of the program's own.
    MPI_Comm native() const noexcept { return engine_->comm(); }
    Explanation explain() const { return engine_->explanation; }

    /// Begins to send the elements, after the commands enqueued on `queue` so far. `to` may be this rank.
    /// Throws Error: invalid_argument (a rank or a tag that is not there), invalid_state (a message to that
    /// rank with that tag failed half way), and the error of an earlier message whose request was dropped;
    /// nothing has begun then. Zero elements are no message.
    template <class S>
        requires ferry::detail::DeviceElements<S>
            Request isend(Queue& queue, const S& from, int to, int tag = 0,
                          SourceLocation where = SourceLocation::current()) {
            engine_->tell_untold();
            return start(true, queue, ferry::detail::region_of(from), to, tag, where);
        }
    /// Begins to receive the elements; writes them after the commands enqueued on `queue` so far. Messages
    /// from one rank with one tag are received in the order in which they were sent.
    template <class D>
        requires ferry::detail::DeviceElements<D> Request
        irecv(Queue& queue, D&& to, int from, int tag = 0, SourceLocation where = SourceLocation::current()) {
            engine_->tell_untold();
            return start(false, queue, ferry::detail::region_of(to), from, tag, where);
        }
    /// isend() and irecv() with wait().
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

    /// Sends to and receives from all neighbours at once, and waits for all. If some fail, it throws the
    /// first error once none is under way any more.
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
    /// The same without waiting. Where it throws, nothing is under way.
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

    /// Combines the elements of all ranks, each with its like, and gives every rank the result in place.
    /// Collective; the same number of elements on every rank. Blocks until this rank's result is there;
    /// messages under way move on meanwhile. Throws Error: command_failed (MPI's words; the timeout, after
    /// which this Communicator takes no more of them: invalid_state), and the error of an earlier message
    /// whose request was dropped.
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
                            " is none of this communicator, which has ranks 0 to " +
                            std::to_string(size_ - 1),
                        where);
        }
        if (tag < 0 || tag > 32767) { // what every MPI takes
            throw Error(Code::invalid_argument, "Tag " + std::to_string(tag) + " is not one of 0 to 32767",
                        where);
        }
    }

    int rank_ = 0;
    int size_ = 1;
    std::unique_ptr<detail::Engine> engine_;
};

namespace detail {

/// Throws on every rank unless all gave that number of bytes.
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
                    "This rank's chunks have " + std::to_string(bytes) + " bytes, and those of the others " +
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
    // A rank that threw alone would leave the others with a Communicator that nobody answers.
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
    // An MPI that takes devices' addresses takes them in messages: Open MPI's MPI_Iallreduce does not.
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
