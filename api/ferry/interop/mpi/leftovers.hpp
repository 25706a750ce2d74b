// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/interop/mpi/basics.hpp>
#include <ferry/interop/mpi/slots.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <new>
#include <set>
#include <tuple>
#include <utility>

namespace ferry::interop::mpi::detail {

/// The messages that MPI keeps in order.
struct Line {
    bool sends = false;
    int peer = 0;
    int tag = 0;
    friend bool operator==(const Line&, const Line&) = default;
    friend bool operator<(const Line& a, const Line& b) noexcept {
        return std::tie(a.sends, a.peer, a.tag) < std::tie(b.sends, b.peer, b.tag);
    }
};

/// The data sent before a message.
struct Header {
    static constexpr std::uint64_t sign = 0x666572727920'6d31;
    std::uint64_t magic = 0; ///< `sign`, to detect data that is not a header.
    std::uint64_t bytes = 0; ///< Size of the message.
};

/// The memory of one MPI call, with its owner.
struct Piece {
    MPI_Request request = MPI_REQUEST_NULL;
    bool collective = false;
    bool posted = false;
    std::size_t offset = 0; ///< Offset in the message, in bytes.
    std::size_t bytes = 0;
    std::list<Slot> slot{}; ///< A list of one element. Empty if MPI accesses the memory directly.
    Header header{};
    ferry::detail::MemoryHandle memory{};
};

/// The remains of failed messages. Shared by a Communicator and its messages.
class Leftovers {
public:
    Leftovers() = default;
    Leftovers(const Leftovers&) = delete;
    Leftovers& operator=(const Leftovers&) = delete;
    ~Leftovers() {
        sweep();
        for (Piece& piece : pieces_) {
            if (is_running() && !piece.collective) { // Collective operations cannot be freed.
                MPI_Request_free(&piece.request);
            }
        }
        if (!pieces_.empty()) { // MPI may use it for an unknown time.
            static_cast<void>(new (std::nothrow) std::list<Piece>(std::move(pieces_)));
        }
    }

    /// A piece that MPI may still read or write although its message has ended.
    void keep(std::list<Piece>& from, std::list<Piece>::iterator piece) noexcept {
        pieces_.splice(pieces_.end(), from, piece);
    }
    /// Releases pieces that MPI has finished.
    void sweep() noexcept {
        if (!pieces_.empty() && is_running()) {
            std::erase_if(pieces_, [](Piece& piece) {
                int flag = 0;
                return MPI_Test(&piece.request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS || flag != 0;
            });
        }
    }
    std::size_t size() const noexcept { return pieces_.size(); }

    /// A message failed half way. Later data would be taken for the rest of it.
    void set_broken(const Line& line) noexcept {
        try {
            broken_.insert(line);
        } catch (const std::bad_alloc&) {
            all_broken_ = true;
        }
    }
    bool is_broken(const Line& line) const noexcept { return all_broken_ || broken_.contains(line); }

    /// Stores an error that was not collected. The first one stays.
    void leave_untold(const std::exception_ptr& failure) noexcept {
        if (!untold_) {
            untold_ = failure;
        }
    }
    void tell() {
        if (untold_) {
            std::rethrow_exception(std::exchange(untold_, nullptr));
        }
    }

private:
    std::list<Piece> pieces_;
    std::set<Line> broken_;
    bool all_broken_ = false;
    std::exception_ptr untold_;
};

} // namespace ferry::interop::mpi::detail
