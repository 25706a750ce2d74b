// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.hpp"
#include "hal/backend.hpp"
#include "staging/slots.hpp"

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

/// A vendor's queue as a copy uses it.
struct Leg {
    DeviceState& device;
    backend::Queue& queue;
    Mutex& mutex; ///< to hold while using it
};

/// Returns once nothing is under way on the leg's queue, well or not, and it has said what it had to: so the
/// memory of a copy that failed is free, and the next command on the queue hears nothing of it. False: the
/// process ends, and nothing is known.
bool settle(const Leg& leg) noexcept;

/// What is under way between the two ends of a copy.
struct Piece {
    std::size_t offset = 0; ///< in the copy
    std::size_t bytes = 0;
    std::array<Slot*, 2> slot{}; ///< one from each lease

private:
    friend class Pipeline;
    std::size_t step = 0;
    std::atomic<bool> worked{false};
    std::optional<Error> error; ///< of a copy thread; to be read once `worked`
};

/// One thing to be done to each piece.
struct Step {
    const Leg* leg = nullptr; ///< whose queue `run` puts a command on; null: a copy thread runs it
    std::size_t slot = 0;     ///< that the command uses
    std::function<void(const Piece&)> run;
};

struct Route {
    std::size_t bytes = 0;
    std::size_t piece_bytes = 0;
    std::size_t reserved = 0; ///< bytes of each slot that no piece takes
    std::vector<Step> steps;
    std::array<Lease*, 2> leases{}; ///< in the order in which every copy takes them; the second may be null
    /// The commands of the last step need not be waited for: their slots are left to this queue's command.
    std::shared_ptr<QueueInterface> left_to;
    std::uint64_t command = 0;
    std::function<void(std::size_t done)> progress; ///< on the calling thread
};

/// What a pipeline throws.
struct Failure {
    enum class Of : std::uint8_t { work, issue, earlier, slots };
    Error error;
    Of of = Of::work; ///< a copy thread; a command's call; the queue, perhaps of a command before; no memory
    const Leg* leg = nullptr;
};

/// Carries a copy piece by piece through its steps, as many pieces at once as it has slots. Shared with the
/// copy threads, which may outlast run() at the end of the process.
class Pipeline : public std::enable_shared_from_this<Pipeline> {
public:
    explicit Pipeline(Route route) : route_(std::move(route)) {}

    /// Returns when all is done, except what is left. Throws Failure after everything under way has ended and
    /// all slots are given back, or Lane::Ending. The error of a call or a copy thread states how many of the
    /// first bytes were copied before it.
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
    std::vector<std::deque<Piece*>> commands_; ///< by step, in order
    std::size_t begun_ = 0;
    std::size_t done_ = 0;
};

} // namespace ferry::detail::staging
