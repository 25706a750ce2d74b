// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/interop/mpi/leftovers.hpp>
#include <ferry/interop/mpi/route.hpp>
#include <ferry/interop/mpi/slots.hpp>

#include <cstddef>
#include <exception>
#include <iterator>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ferry::interop::mpi::detail {

/// The description of a message. Its data is sent after a header, in chunks whose size all ranks agree on, so
/// the two ends may use different routes.
struct Message {
    bool sends = false;
    Queue* queue = nullptr;
    Region region;
    int peer = 0;
    int tag = 0;
    Route route{};
    std::byte* address = nullptr; ///< Address for MPI. Null if staged.
    SourceLocation where;
    ferry::detail::MemoryHandle memory; ///< Owner of the region's memory, held for as long as MPI may use it.
};

/// A message in progress. All work happens in step(), on the calling thread.
class Transfer {
public:
    Transfer(const Message& message, MPI_Comm comm, std::size_t chunk, Slots& slots,
             std::shared_ptr<Leftovers> leftovers)
        : message_(message),
          comm_(comm),
          chunk_(chunk),
          slots_(&slots),
          leftovers_(std::move(leftovers)),
          total_(message.region.bytes) {
        if (total_ == 0) {
            header_.clear(); // Zero elements: no message.
        }
        if (message.route != Route::staged) {
            before_ = message.queue->record(message.where); // MPI starts after the present uses of the
                                                            // memory.
            message.queue->flush(message.where);
        }
    }
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;
    ~Transfer() {
        give_up();
        if (failure_ && !told_) {
            leftovers_->leave_untold(failure_);
        }
    }

    const Message& message() const noexcept { return message_; }
    Line line() const noexcept { return {message_.sends, message_.peer, message_.tag}; }
    bool is_done() const noexcept {
        return failure_ || (!is_wrong() && arrived_ == total_ && header_.empty());
    }
    /// True if the next message of the same rank and tag may start, because MPI has every chunk of this one
    /// or knows of it.
    bool is_posted() const noexcept {
        return failure_ || (posted_ == total_ && (message_.sends || header_.empty()));
    }
    /// True if the message waits for the other rank, not for the queue of this rank.
    bool waits_for_peer() const noexcept {
        return (!header_.empty() && header_.front().posted) || (!chunks_.empty() && chunks_.front().posted);
    }
    std::size_t arrived() const noexcept { return arrived_; } ///< In bytes.
    const Event& event() const noexcept { return after_; }
    void check() {
        told_ = true;
        if (failure_) {
            std::rethrow_exception(failure_);
        }
    }
    void fail(std::exception_ptr failure) noexcept {
        failure_ = std::move(failure);
        give_up();
    }
    /// The same, but the failure is not reported.
    void drop(const std::string& why) {
        told_ = true;
        if (!is_done()) {
            fail(std::make_exception_ptr(Error(Code::invalid_state, why, message_.where)));
        }
    }

    /// Does as much as is possible without waiting. Returns true if there was progress. `may_post`: no
    /// earlier message of the same rank and tag is pending.
    bool step(bool may_post) {
        if (is_done()) {
            return false;
        }
        bool moved = false;
        try {
            if (before_ && before_->ready()) {
                before_->wait(message_.where); // Throws an error of a command before it.
                before_.reset();
                moved = true;
            }
            if (!before_) {
                moved = (message_.sends ? step_send(may_post) : step_receive(may_post)) || moved;
            }
        } catch (...) {
            fail(std::current_exception());
            return true;
        }
        return moved;
    }

private:
    static constexpr std::size_t depth = 3; // One is copied, one is sent, one is free for the next.

    /// True if the message of the other rank has another size. It is received nevertheless, to keep later
    /// messages in order, and is then discarded.
    bool is_wrong() const noexcept { return total_ != message_.region.bytes; }
    bool is_staged() const noexcept { return message_.route == Route::staged || is_wrong(); }

    Piece& begin_chunk() {
        Piece& chunk = chunks_.emplace_back();
        chunk.offset = begun_;
        chunk.bytes = (std::min)(chunk_, total_ - begun_);
        if (is_staged()) {
            chunk.slot = slots_->take(chunk.bytes, message_.where);
        }
        begun_ += chunk.bytes;
        return chunk;
    }
    bool may_begin() const noexcept { return begun_ < total_ && chunks_.size() < depth; }
    Region region_of(const Piece& chunk) const noexcept {
        return {message_.region.memory, message_.region.offset + chunk.offset, chunk.bytes};
    }
    void post(Piece& piece, void* data, std::size_t bytes) {
        const int count = static_cast<int>(bytes);
        mpi::detail::check(
            message_.sends
                ? MPI_Isend(data, count, MPI_BYTE, message_.peer, message_.tag, comm_, &piece.request)
                : MPI_Irecv(data, count, MPI_BYTE, message_.peer, message_.tag, comm_, &piece.request),
            call(), message_.where);
        piece.posted = true;
    }
    void post_header() {
        header_.front().header = message_.sends ? Header{Header::sign, total_} : Header{};
        post(header_.front(), &header_.front().header, sizeof(Header));
    }
    void post_chunk(Piece& chunk) {
        post(chunk, chunk.slot.empty() ? message_.address + chunk.offset : chunk.slot.front().data(),
             chunk.bytes);
        posted_ += chunk.bytes;
    }
    bool has_posted_header() const noexcept { return header_.empty() || header_.front().posted; }
    const char* call() const noexcept { return message_.sends ? "MPI_Isend" : "MPI_Irecv"; }

    /// True if MPI has finished the piece. `bytes`: the size of a received one.
    bool is_through(Piece& piece, std::size_t bytes) {
        if (!piece.posted) {
            return false;
        }
        int flag = 0;
        MPI_Status status{};
        const int code = MPI_Test(&piece.request, &flag, &status);
        int error_class = MPI_SUCCESS;
        MPI_Error_class(code, &error_class);
        if (is_wrong() && error_class == MPI_ERR_TRUNCATE) {
            return true; // The first chunk, which was posted before the size was known.
        }
        int came = 0;
        if (code == MPI_SUCCESS && flag != 0 && !message_.sends) {
            MPI_Get_count(&status, MPI_BYTE, &came);
        }
        if (error_class == MPI_ERR_TRUNCATE || (code == MPI_SUCCESS && flag != 0 && !message_.sends &&
                                                !is_wrong() && static_cast<std::size_t>(came) != bytes)) {
            throw out_of_step();
        }
        mpi::detail::check(code, call(), message_.where);
        return flag != 0;
    }
    Error out_of_step() const {
        return Error(Code::command_failed,
                     "What came from rank " + std::to_string(message_.peer) + " with tag " +
                         std::to_string(message_.tag) +
                         " is no part of the message that was expected: a message before it failed half way, "
                         "or other code sends over Communicator::native() with this tag",
                     message_.where);
    }
    Error wrong_size() const {
        return Error(Code::invalid_argument,
                     "Rank " + std::to_string(message_.peer) + " sent " + std::to_string(total_) +
                         " bytes with tag " + std::to_string(message_.tag) + ", " +
                         (total_ < message_.region.bytes ? "fewer" : "more") + " than the " +
                         std::to_string(message_.region.bytes) +
                         " that were expected; both ranks must name the same number of elements",
                     message_.where);
    }
    void end_first() {
        arrived_ += chunks_.front().bytes;
        slots_->give_back(std::move(chunks_.front().slot));
        chunks_.pop_front();
    }

    bool step_send(bool may_post) {
        bool moved = false;
        if (may_post && !has_posted_header()) {
            post_header();
            moved = true;
        }
        while (may_begin()) {
            Piece& chunk = begin_chunk();
            if (!chunk.slot.empty()) {
                chunk.slot.front().download(*message_.queue, region_of(chunk), message_.where);
            }
            moved = true;
        }
        for (Piece& chunk : chunks_) {
            if (chunk.posted) {
                continue;
            }
            if (!may_post || (!chunk.slot.empty() && !chunk.slot.front().busy.ready())) {
                break; // Chunks complete in order.
            }
            if (!chunk.slot.empty()) {
                chunk.slot.front().busy.wait(message_.where);
            }
            post_chunk(chunk);
            moved = true;
        }
        if (!header_.empty() && is_through(header_.front(), sizeof(Header))) {
            header_.clear();
            moved = true;
        }
        while (!chunks_.empty() && is_through(chunks_.front(), chunks_.front().bytes)) {
            end_first();
            moved = true;
        }
        return moved;
    }

    bool step_receive(bool may_post) {
        bool moved = false;
        if (!has_posted_header()) {
            if (!may_post) {
                return false;
            }
            post_header();
            post_chunk(begin_chunk()); // The first chunk arrives whatever the header contains.
            moved = true;
        }
        if (!header_.empty()) {
            if (!is_through(header_.front(), sizeof(Header))) {
                return moved;
            }
            read_header();
            moved = true;
        }
        while (may_begin()) {
            post_chunk(begin_chunk());
            moved = true;
        }
        while (!chunks_.empty() && is_through(chunks_.front(), chunks_.front().bytes)) {
            Piece& chunk = chunks_.front();
            if (!chunk.slot.empty() && !is_wrong()) {
                chunk.slot.front().upload(*message_.queue, region_of(chunk), message_.where);
                after_ = chunk.slot.front().busy;
            }
            end_first();
            moved = true;
        }
        if (is_wrong() && arrived_ == total_) {
            throw wrong_size();
        }
        return moved;
    }
    void read_header() {
        const Header header = header_.front().header;
        if (header.magic != Header::sign || header.bytes == 0) {
            throw out_of_step();
        }
        header_.clear();
        total_ = static_cast<std::size_t>(header.bytes);
        if (is_wrong()) {
            chunks_.front().bytes = begun_ = posted_ = (std::min)(chunk_, total_);
        }
    }

    /// Moves memory that MPI may still access to the leftovers. Last piece first, so that no other message is
    /// matched with the place of a cancelled one.
    void give_up() noexcept {
        bool whole = header_.empty() && posted_ == total_; // No part of it is transferred after this.
        bool begun = has_posted_header() && total_ != 0;
        if (message_.sends) {
            whole = has_posted_header() && posted_ == total_;
        }
        chunks_.splice(chunks_.begin(), header_);
        while (!chunks_.empty()) {
            const auto piece = std::prev(chunks_.end());
            const bool is_header = piece->bytes == 0;
            if (!piece->posted || !is_running()) {
                slots_->give_back(std::move(piece->slot));
            } else if (was_cancelled(*piece)) {
                whole = false;
                begun = begun && !is_header;
            } else if (piece->request != MPI_REQUEST_NULL) {
                piece->memory = message_.memory;
                leftovers_->keep(chunks_, piece);
                continue;
            }
            chunks_.erase(piece);
        }
        if (begun && !whole) {
            leftovers_->set_broken(line());
        }
    }
    /// True if the transfer never happened; only a receive can be cancelled. Frees the request if MPI has
    /// finished.
    bool was_cancelled(Piece& piece) const noexcept {
        if (!message_.sends) {
            MPI_Cancel(&piece.request);
        }
        int flag = 0;
        int cancelled = 0;
        MPI_Status status{};
        if (MPI_Test(&piece.request, &flag, &status) == MPI_SUCCESS && flag != 0 && !message_.sends) {
            MPI_Test_cancelled(&status, &cancelled);
        }
        return cancelled != 0;
    }

    Message message_;
    MPI_Comm comm_;
    std::size_t chunk_;
    Slots* slots_;
    std::shared_ptr<Leftovers> leftovers_;
    std::optional<Event> before_;
    Event after_;
    std::list<Piece> header_ = std::list<Piece>(1); ///< Until MPI has finished it.
    std::list<Piece> chunks_;                       ///< In progress, in order.
    std::size_t total_;                             ///< Bytes of the whole message.
    std::size_t begun_ = 0;                         ///< In bytes.
    std::size_t posted_ = 0;
    std::size_t arrived_ = 0;
    bool told_ = false;
    std::exception_ptr failure_;
};

} // namespace ferry::interop::mpi::detail
