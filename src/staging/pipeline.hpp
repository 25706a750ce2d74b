// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "staging/slots.hpp"
#include "system/mutex.hpp"

#include <ferry/error.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace ferry::detail::staging {

/// One vendor queue that takes part in a copy.
struct Leg {
    DeviceState& device;
    backend::Queue& queue;
    Mutex& mutex; ///< Must be held while the queue is used.
};

/// Waits until the leg's queue is idle and has reported its pending errors. The memory of a failed copy may
/// then be released, and the next command on the queue does not report the old error. False at process exit:
/// the state of the queue is unknown.
bool settle(const Leg& leg) noexcept;

/// One part of a copy on its way through the steps.
struct Piece {
    std::size_t offset = 0; ///< In the copy.
    std::size_t bytes = 0;
    std::array<Slot*, 2> slot{}; ///< One from each lease.

private:
    friend class Pipeline;
    std::size_t step = 0;
    std::atomic<bool> worked{false};
    std::optional<Error> error; ///< Of a copy thread. Read it only if `worked` is true.
};

/// One operation that is applied to each piece.
struct Step {
    /// The queue on which `run` enqueues a command. Null: a copy thread calls `run`.
    const Leg* leg = nullptr;
    std::size_t slot = 0; ///< The slot that the command uses.
    std::function<void(const Piece&)> run;
};

struct Route {
    std::size_t bytes = 0;
    std::size_t piece_bytes = 0;
    std::size_t reserved = 0; ///< Bytes of each slot that pieces do not use.
    std::vector<Step> steps;
    /// In the order in which every copy acquires slots. The second may be null.
    std::array<Lease*, 2> leases{};
    /// If set, the pipeline does not wait for the commands of the last step. Their slots become free when
    /// this command of this queue is done.
    std::shared_ptr<QueueInterface> left_to;
    std::uint64_t command = 0;
    std::function<void(std::size_t done)> progress; ///< Called on the thread that called run().
};

/// The exception thrown by a pipeline.
struct Failure {
    enum class Of : std::uint8_t { work, issue, earlier, slots };
    Error error;
    /// work: a copy thread; issue: a call that enqueues a command; earlier: the queue, possibly because of an
    /// earlier command; slots: out of memory.
    Of of = Of::work;
    const Leg* leg = nullptr;
};

/// Moves a copy piece by piece through its steps, with as many pieces in flight as there are slots. Shared
/// with the copy threads, which may outlive run() at process exit.
class Pipeline : public std::enable_shared_from_this<Pipeline> {
public:
    explicit Pipeline(Route route) : route_(std::move(route)) {}

    /// Returns when all pieces are done, except commands left to `left_to`. Throws Failure once nothing is in
    /// flight and all slots are free, or SerialThread::Ending. If a call or a copy thread failed, the error
    /// states the number of leading bytes that were copied.
    void run();

private:
    bool begin();
    bool take_slots(Piece& piece);
    std::size_t slots_made() const noexcept;
    void enter(Piece& piece);
    void advance(Piece& piece);
    bool collect_work();
    bool collect_commands();
    bool is_done(const Piece& piece) const;
    void finish(Piece& piece);
    void abandon() noexcept;
    [[noreturn]] void fail(const Failure& failure);

    const Route route_;
    std::deque<Piece> pieces_;
    std::vector<Piece*> spare_;
    std::vector<Piece*> working_;
    std::vector<std::deque<Piece*>> commands_; ///< For each step, in order.
    std::size_t begun_ = 0;
    std::size_t done_ = 0;
};

} // namespace ferry::detail::staging
