// SPDX-License-Identifier: Apache-2.0
#include "base/process_exit.hpp"
#include "base/serial_thread.hpp"
#include "device/device_state.hpp"
#include "memory/memory_state.hpp"
#include "queue/queue_state.hpp"
#include "staging/robust_median.hpp"
#include "staging/routes.hpp"
#include "staging/slot_rates.hpp"
#include "system/machine.hpp"
#include "system/mutex.hpp"
#include "system/pages.hpp"

#include <ferry/buffer.hpp>
#include <ferry/queue.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace ferry::detail::staging {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_copy = std::size_t{256} << 20;
constexpr std::size_t least_copy = std::size_t{32} << 20; // A few pieces of the largest size.
constexpr std::size_t part_of_free_memory = 4;
constexpr std::size_t part_of_device_memory = 8;
constexpr double longest_piece = 1.0 / 64; // As a part of the available time.
constexpr std::size_t most_slot_rounds = 5;

enum class Way : bool { up, down };

class SlotRates {
public:
    SlotRates(const Device& device, std::size_t bytes, Clock::time_point end)
        : end_(end),
          device_(device.state()),
          queue_(device),
          buffer_(device, bytes),
          room_(bytes),
          slots_(&device_, slot_sizes.back()) {
        queue_.fill(buffer_, std::byte{0});
        queue_.finish();
        slots_.prepare();
    }

    bool has_room() { return room_.data() != nullptr && slots_.info().slots >= fewest_slots; }

    /// Returns the time in seconds. Throws Failure, Error or SerialThread::Ending. Failure also means that
    /// the time is over.
    double copy(Way way, std::size_t piece, std::size_t bytes, std::size_t offset = 0) {
        const VendorCall call;
        call.check({});
        const Clock::time_point begin = Clock::now();
        const Leg leg{device_, queue_.handle()->native(), mutex_};
        const backend::Place place = place_of(buffer_.view().subview(offset, bytes).region());
        std::byte* const memory = room_.data() + offset;
        Lease lease(slots_);
        Route route = way == Way::up ? upload_route(leg, lease, memory, place, bytes)
                                     : download_route(leg, lease, place, memory, bytes);
        route.piece_bytes = piece;
        route.progress = [this](std::size_t) {
            if (Clock::now() > end_) {
                throw Error(Code::unavailable, "The time for measuring is over");
            }
        };
        std::make_shared<Pipeline>(std::move(route))->run();
        return std::chrono::duration<double>(Clock::now() - begin).count();
    }

private:
    Clock::time_point end_;
    DeviceState& device_;
    Queue queue_; ///< A separate queue, so that the leg's mutex is used only here.
    Mutex mutex_;
    Buffer<std::byte> buffer_;
    AnonymousMapping room_;
    Slots slots_;
};

std::size_t room_for(const Device& device) {
    const std::uint64_t largest = device.info().max_allocation;
    std::uint64_t bytes = std::min<std::uint64_t>(
        most_copy, host::free_memory().value_or(host::total_memory()) / part_of_free_memory);
    bytes = largest != 0 ? std::min(bytes, largest / part_of_free_memory) : bytes;
    if (const auto free = device.memory().free) { // Leaves free memory for the program.
        bytes = std::min<std::uint64_t>(bytes, *free / part_of_device_memory);
    }
    return static_cast<std::size_t>(bytes) / slot_sizes.back() * slot_sizes.back();
}

/// At process exit, copy threads may still be running and the driver may be unloaded, so the object is
/// leaked.
struct UnlessTheProcessEnds {
    void operator()(SlotRates* rates) const {
        if (const VendorCall call; call.allowed()) {
            delete rates;
        }
    }
};

std::vector<std::vector<SlotRate>> measure(const Device& device, std::chrono::milliseconds time) {
    const Clock::time_point end = Clock::now() + time;
    const std::size_t room = room_for(device);
    if (room < least_copy) {
        return {};
    }
    const std::unique_ptr<SlotRates, UnlessTheProcessEnds> kept(new SlotRates(device, room, end));
    SlotRates& rates = *kept;
    if (!rates.has_room()) {
        return {};
    }
    const std::size_t piece = slot_sizes.front();
    rates.copy(Way::down, piece, piece);
    if (rates.copy(Way::up, piece, piece) > longest_piece * std::chrono::duration<double>(time).count()) {
        return {};
    }
    // Allocates the pages, and determines how much can be copied in the available time.
    rates.copy(Way::down, slot_sizes.front(), room);
    const double speed =
        static_cast<double>(least_copy) / rates.copy(Way::up, slot_sizes.front(), least_copy);
    const double left = std::chrono::duration<double>(end - Clock::now()).count();
    const double fair = speed * left / static_cast<double>(most_slot_rounds * 2 * slot_sizes.size());
    const auto bytes = static_cast<std::size_t>(
        std::clamp(fair, static_cast<double>(least_copy), static_cast<double>(room)));

    std::vector<std::vector<SlotRate>> rounds;
    Clock::duration longest{};
    for (Clock::time_point now = Clock::now(); rounds.size() < most_slot_rounds && now + longest < end;) {
        std::vector<SlotRate> round;
        const auto rate = [&](Way way, std::size_t slot) {
            return static_cast<double>(bytes) / rates.copy(way, slot, bytes);
        };
        for (const std::size_t slot : slot_sizes) {
            const double up = rate(Way::up, slot);
            round.push_back({slot, up, rate(Way::down, slot)});
        }
        rounds.push_back(std::move(round));
        longest = std::max(longest, Clock::now() - now);
        now = Clock::now();
    }
    return rounds;
}

} // namespace

std::vector<std::vector<SlotRate>> measure_slot_rounds(const Device& device, std::chrono::milliseconds time) {
    try {
        return measure(device, time);
        // Out of memory, or a lost device, which the next user of the device reports.
    } catch (const std::exception&) {
        return {};
    } catch (const Failure&) {
        return {};
    } catch (const SerialThread::Ending&) {
        return {};
    }
}

std::optional<std::vector<SlotRate>> robust_slot_rates(const std::vector<std::vector<SlotRate>>& rounds) {
    const auto of = [&](std::size_t size, double SlotRate::*way) {
        std::vector<double> seen;
        seen.reserve(rounds.size());
        for (const std::vector<SlotRate>& round : rounds) {
            seen.push_back(round[size].*way);
        }
        return robust_median(std::move(seen));
    };
    std::vector<SlotRate> found;
    for (std::size_t i = 0; i < slot_sizes.size(); ++i) {
        const std::optional<double> up = of(i, &SlotRate::up);
        const std::optional<double> down = of(i, &SlotRate::down);
        if (!up || !down) {
            return std::nullopt;
        }
        found.push_back({slot_sizes[i], *up, *down});
    }
    return found;
}

} // namespace ferry::detail::staging
