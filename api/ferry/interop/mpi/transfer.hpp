// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/interop/mpi/route.hpp>
#include <ferry/interop/mpi/slots.hpp>

#include <cstddef>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace ferry::interop::mpi::detail {

/// What one message is. It travels in chunks of one size that all ranks agree on, so the two ends may take
/// different routes.
struct Message {
    bool sends = false;
    Queue* queue = nullptr;
    Region region;
    int peer = 0;
    int tag = 0;
    Route route{};
    std::byte* address = nullptr; ///< for MPI; null if staged
    SourceLocation where;
};

/// A message under way. Everything happens in step(), on the thread that calls it.
class Transfer {
public:
    Transfer(const Message& message, MPI_Comm comm, std::size_t chunk, Slots& slots)
        : message_(message), comm_(comm), chunk_(chunk), slots_(&slots) {
        if (message.route != Route::staged) {
            before_ = message.queue->record(message.where); // MPI comes after what uses the memory now
            message.queue->flush(message.where);
        }
    }
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;
    ~Transfer() { give_up(); }

    const Message& message() const noexcept { return message_; }
    bool is_done() const noexcept { return failure_ || arrived_ == message_.region.bytes; }
    /// No chunk of it has still to be given to MPI: the next message of the same rank and tag may begin.
    bool is_posted() const noexcept { return failure_ || posted_ == message_.region.bytes; }
    std::size_t arrived() const noexcept { return arrived_; } ///< bytes
    const Event& event() const noexcept { return after_; }
    void check() const {
        if (failure_) {
            std::rethrow_exception(failure_);
        }
    }
    void fail(std::exception_ptr failure) noexcept {
        failure_ = std::move(failure);
        give_up();
    }

    /// As much as is possible without waiting; true if something was. `may_post`: no earlier message of the
    /// same rank and tag is in the way.
    bool step(bool may_post) {
        bool moved = false;
        try {
            if (before_ && before_->ready()) {
                before_->wait(message_.where); // throws what failed before it
                before_.reset();
            }
            if (!before_) {
                moved = message_.sends ? step_send(may_post) : step_receive(may_post);
            }
        } catch (...) {
            fail(std::current_exception());
            return true;
        }
        return moved;
    }

private:
    static constexpr std::size_t depth = 3; // one is copied, one is sent, one is free for the next

    struct Chunk {
        std::size_t offset = 0;
        std::size_t bytes = 0;
        std::list<Slot> slot; ///< of one element; empty if MPI has the memory itself
        bool copied = false;
        bool posted = false;
        MPI_Request request = MPI_REQUEST_NULL;
    };

    Chunk& begin_chunk() {
        Chunk& chunk = chunks_.emplace_back();
        chunk.offset = begun_;
        chunk.bytes = std::min(chunk_, message_.region.bytes - begun_);
        if (message_.route == Route::staged) {
            chunk.slot = slots_->take(chunk.bytes, message_.where);
        }
        begun_ += chunk.bytes;
        return chunk;
    }
    bool may_begin() const noexcept { return begun_ < message_.region.bytes && chunks_.size() < depth; }
    Region region_of(const Chunk& chunk) const noexcept {
        return {message_.region.memory, message_.region.offset + chunk.offset, chunk.bytes};
    }
    std::byte* address_of(const Chunk& chunk) const noexcept {
        return chunk.slot.empty() ? message_.address + chunk.offset : chunk.slot.front().data();
    }
    void post(Chunk& chunk) {
        const int bytes = static_cast<int>(chunk.bytes);
        if (message_.sends) {
            mpi::detail::check(MPI_Isend(address_of(chunk), bytes, MPI_BYTE, message_.peer, message_.tag,
                                         comm_, &chunk.request),
                               "MPI_Isend", message_.where);
        } else {
            mpi::detail::check(MPI_Irecv(address_of(chunk), bytes, MPI_BYTE, message_.peer, message_.tag,
                                         comm_, &chunk.request),
                               "MPI_Irecv", message_.where);
        }
        chunk.posted = true;
        posted_ += chunk.bytes;
    }
    /// Whether MPI is done with it.
    bool is_through(Chunk& chunk) {
        if (!chunk.posted) {
            return false;
        }
        int flag = 0;
        MPI_Status status{};
        const int code = MPI_Test(&chunk.request, &flag, &status);
        int error_class = MPI_SUCCESS;
        MPI_Error_class(code, &error_class);
        int bytes = 0;
        if (code == MPI_SUCCESS && flag != 0 && !message_.sends) {
            MPI_Get_count(&status, MPI_BYTE, &bytes);
        }
        if (error_class == MPI_ERR_TRUNCATE || (code == MPI_SUCCESS && flag != 0 && !message_.sends &&
                                                static_cast<std::size_t>(bytes) != chunk.bytes)) {
            throw Error(Code::invalid_argument,
                        "Rank " + std::to_string(message_.peer) + " sent " +
                            (bytes == 0 ? std::string("more") : std::to_string(bytes)) + " than the " +
                            std::to_string(chunk.bytes) + " bytes that were expected with tag " +
                            std::to_string(message_.tag) +
                            "; both ranks must name the same number of elements",
                        message_.where);
        }
        mpi::detail::check(code, message_.sends ? "MPI_Isend" : "MPI_Irecv", message_.where);
        return flag != 0;
    }
    void end_first() {
        arrived_ += chunks_.front().bytes;
        slots_->give_back(std::move(chunks_.front().slot));
        chunks_.pop_front();
    }

    bool step_send(bool may_post) {
        bool moved = false;
        while (may_begin()) {
            Chunk& chunk = begin_chunk();
            if (!chunk.slot.empty()) {
                chunk.slot.front().download(*message_.queue, region_of(chunk), message_.where);
            }
            moved = true;
        }
        for (Chunk& chunk : chunks_) {
            if (chunk.posted) {
                continue;
            }
            if (!may_post || (!chunk.slot.empty() && !chunk.slot.front().busy.ready())) {
                break; // in order
            }
            if (!chunk.slot.empty()) {
                chunk.slot.front().busy.wait(message_.where);
            }
            post(chunk);
            moved = true;
        }
        while (!chunks_.empty() && is_through(chunks_.front())) {
            end_first();
            moved = true;
        }
        return moved;
    }

    bool step_receive(bool may_post) {
        bool moved = false;
        while (may_post && may_begin()) {
            post(begin_chunk());
            moved = true;
        }
        while (!chunks_.empty() && is_through(chunks_.front())) {
            Chunk& chunk = chunks_.front();
            if (!chunk.slot.empty()) {
                chunk.slot.front().upload(*message_.queue, region_of(chunk), message_.where);
                after_ = chunk.slot.front().busy;
            }
            end_first();
            moved = true;
        }
        return moved;
    }

    /// What MPI may still read or write must stay: such slots are never used again.
    void give_up() noexcept {
        for (Chunk& chunk : chunks_) {
            if (chunk.request != MPI_REQUEST_NULL && is_running()) {
                if (!message_.sends) {
                    MPI_Cancel(&chunk.request);
                    MPI_Wait(&chunk.request, MPI_STATUS_IGNORE);
                    continue;
                }
                MPI_Request_free(&chunk.request);
            }
            if (chunk.posted && message_.sends && !chunk.slot.empty()) {
                static_cast<void>(new std::list<Slot>(std::move(chunk.slot)));
            }
        }
        chunks_.clear();
    }

    Message message_;
    MPI_Comm comm_;
    std::size_t chunk_;
    Slots* slots_;
    std::optional<Event> before_;
    Event after_;
    std::deque<Chunk> chunks_; ///< under way, in order
    std::size_t begun_ = 0;    ///< bytes
    std::size_t posted_ = 0;
    std::size_t arrived_ = 0;
    std::exception_ptr failure_;
};

} // namespace ferry::interop::mpi::detail
