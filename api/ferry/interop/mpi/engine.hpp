// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/interop/mpi/transfer.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <thread>

namespace ferry::interop::mpi {

/// The use of device memory by a Communicator, and the reason for it. See Communicator::explain().
struct Explanation {
    Route route{};   ///< For memory of kind device.
    std::string why; ///< A clause.
    std::uint64_t messages = 0;
    std::uint64_t bytes_host = 0;   ///< Bytes that MPI accessed in place, in memory of the processor.
    std::uint64_t bytes_device = 0; ///< Bytes that MPI accessed by device address.
    std::uint64_t bytes_staged = 0; ///< Bytes copied through Ferry's host memory.
    std::size_t chunk_bytes = 0;
    bool pinned = false; ///< True if the staging memory is page-locked.
};

/// One line.
inline std::string to_string(const Explanation& explanation) {
    const auto bytes = [](std::uint64_t count) { return std::to_string(count) + " bytes"; };
    return std::string(to_string(explanation.route)) + ": " + explanation.why + "; " +
           std::to_string(explanation.messages) + " messages so far, " + bytes(explanation.bytes_host) +
           " in place, " + bytes(explanation.bytes_device) + " by the device's address, " +
           bytes(explanation.bytes_staged) + " staged through " +
           (explanation.pinned ? "page-locked" : "ordinary") + " memory in chunks of " +
           bytes(explanation.chunk_bytes);
}

namespace detail {

/// The messages of one Communicator. Not thread-safe.
class Engine {
public:
    Engine(MPI_Comm comm, const Device& device, std::size_t chunk, std::chrono::milliseconds timeout)
        : comm_(comm),
          device_(device),
          chunk_(chunk),
          timeout_(timeout),
          slots_(device, chunk),
          host_reaches_(host::reaches(device)) {}
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine() {
        enter();
        for (const std::shared_ptr<Transfer>& transfer : active_) {
            transfer->drop("The Communicator is gone, and its messages with it");
        }
        leftovers_->sweep();
        if (is_running() && std::uncaught_exceptions() == 0) { // An allreduce is collective, and the other
                                                               // ranks do not see the exception.
            MPI_Comm_free(&comm_);
        }
    }

    MPI_Comm comm() const noexcept { return comm_; }
    const Device& device() const noexcept { return device_; }
    std::size_t chunk() const noexcept { return chunk_; }
    Slots& slots() noexcept { return slots_; }
    const Leftovers& leftovers() const noexcept { return *leftovers_; }

    Route route_of(const Region& region, void*& address, SourceLocation where) const {
        address =
            host_address(region, ferry::detail::device_of(region, where) == device_ && host_reaches_, where);
        if (address != nullptr) {
            return Route::host;
        }
        if (device_addresses && ferry::detail::device_of(region, where) == device_ &&
            ferry::detail::kind_of(region, where) == MemoryKind::device) {
            address = device_address(region, device_.backend(), where);
            return Route::device;
        }
        return Route::staged;
    }

    /// Throws the error of a message whose request was destroyed, once.
    void tell_untold() { leftovers_->tell(); }

    std::shared_ptr<Transfer> start(Message message) {
        if (leftovers_->is_broken({message.sends, message.peer, message.tag})) {
            throw Error(Code::invalid_state,
                        std::string("No message can be ") + (message.sends ? "sent to" : "received from") +
                            " rank " + std::to_string(message.peer) + " with tag " +
                            std::to_string(message.tag) +
                            " any more, because one failed half way; take another tag, or make a new "
                            "Communicator",
                        message.where);
        }
        void* address = nullptr;
        if (message.region.bytes != 0) {
            message.route = route_of(message.region, address, message.where);
            message.memory = interop::detail::hold(message.region);
        }
        message.address = static_cast<std::byte*>(address);
        auto transfer = std::make_shared<Transfer>(message, comm_, chunk_, slots_, leftovers_);
        active_.push_back(transfer);
        if (message.region.bytes != 0) {
            count(message.route, message.region.bytes);
        }
        progress();
        return transfer;
    }

    void count(Route route, std::size_t bytes) noexcept {
        ++explanation.messages;
        (route == Route::host     ? explanation.bytes_host
         : route == Route::device ? explanation.bytes_device
                                  : explanation.bytes_staged) += bytes;
    }

    /// Advances all messages once. Returns true if one of them made progress.
    bool progress() {
        enter();
        leftovers_->sweep();
        bool moved = false;
        for (auto at = active_.begin(); at != active_.end();) {
            Transfer& transfer = **at;
            const bool blocked = std::any_of(active_.begin(), at, [&](const auto& earlier) {
                return !earlier->is_posted() && earlier->line() == transfer.line();
            });
            moved = transfer.step(!blocked) || moved;
            at = transfer.is_done() ? active_.erase(at) : std::next(at);
        }
        return moved;
    }

    /// Advances all messages until this one is done.
    void wait(Transfer& transfer) {
        const auto stuck = [&] {
            const auto first = std::find_if(active_.begin(), active_.end(), [&](const auto& other) {
                return other->line() == transfer.line();
            });
            return first != active_.end() && (*first)->waits_for_peer();
        };
        const bool in_time = await([&] { return transfer.is_done(); }, stuck);
        if (!in_time) {
            transfer.fail(std::make_exception_ptr(late(transfer)));
        }
        transfer.check();
    }
    /// The same until an event is complete. Throws an error of a command before the event.
    void wait(const Event& event, SourceLocation where) {
        await([&] { return event.ready(); }, [] { return false; });
        event.wait(where);
    }

    /// MPI_Allreduce in place; advances all messages meanwhile. `piece` owns the memory of `data`.
    void reduce(std::list<Piece>& piece, void* data, std::size_t count, MPI_Datatype type, MPI_Op how,
                SourceLocation where) {
        enter();
        MPI_Request& request = piece.front().request;
        check(MPI_Iallreduce(MPI_IN_PLACE, data, static_cast<int>(count), type, how, comm_, &request),
              "MPI_Iallreduce", where);
        int code = MPI_SUCCESS;
        const auto is_through = [&] {
            int flag = 0;
            code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            return code != MPI_SUCCESS || flag != 0;
        };
        if (!await(is_through, [] { return true; })) {
            piece.front().collective = true;
            leftovers_->keep(piece, piece.begin());
            reduces_ = false;
            throw Error(Code::command_failed,
                        "Nothing has moved for " + std::to_string(timeout_.count()) +
                            " ms: not every rank has come to its allreduce(); this Communicator takes none "
                            "any more",
                        where);
        }
        check(code, "MPI_Iallreduce", where);
    }
    void check_reduces(SourceLocation where) const {
        if (!reduces_) {
            throw Error(Code::invalid_state,
                        "An allreduce() of this Communicator failed by its timeout, and may still be under "
                        "way on other ranks; make a new Communicator",
                        where);
        }
    }

    bool device_addresses = false; ///< MPI accepts device addresses.
    Explanation explanation;

private:
    void enter() const noexcept {
        if (device_addresses) {
            entrance_();
        }
    }

    /// Makes progress until `done()`. Returns false if there is no progress within the timeout and `stuck()`
    /// is true, which means that this rank's own queues are not the cause.
    template <class Done, class Stuck>
    bool await(const Done& done, const Stuck& stuck) {
        auto last = std::chrono::steady_clock::now();
        for (unsigned idle = 0; !done();) {
            if (progress()) {
                idle = 0;
                last = std::chrono::steady_clock::now();
                continue;
            }
            constexpr unsigned spins = 300; // After that, yield the processor to ranks that compute.
            if (++idle < spins) {
                std::this_thread::yield();
            } else {
                std::this_thread::sleep_for(std::chrono::microseconds(50));
            }
            if (timeout_.count() > 0) {
                const auto now = std::chrono::steady_clock::now();
                if (!stuck()) {
                    last = now;
                } else if (now - last > timeout_) {
                    return false;
                }
            }
        }
        return true;
    }

    Error late(const Transfer& transfer) const {
        const Message& message = transfer.message();
        return Error(Code::command_failed,
                     "Nothing has moved for " + std::to_string(timeout_.count()) + " ms: of " +
                         std::to_string(message.region.bytes) + " bytes with tag " +
                         std::to_string(message.tag) + (message.sends ? " to rank " : " from rank ") +
                         std::to_string(message.peer) + ", " + std::to_string(transfer.arrived()) +
                         " have arrived; that rank may have ended, or not have called its part of it",
                     message.where);
    }

    MPI_Comm comm_;
    Device device_;
    Entrance entrance_{device_};
    std::size_t chunk_;
    std::chrono::milliseconds timeout_;
    std::shared_ptr<Leftovers> leftovers_ = std::make_shared<Leftovers>();
    Slots slots_;
    bool host_reaches_;
    bool reduces_ = true;
    std::list<std::shared_ptr<Transfer>> active_;
};

} // namespace detail

} // namespace ferry::interop::mpi
