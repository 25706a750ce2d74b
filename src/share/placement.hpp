// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "knowledge/placement_costs.hpp"

#include <ferry/placement.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// The choice of the cheapest placement: a pure function of facts, figures and intent.
namespace ferry::detail::placement {

using Reach = backend::ImportReach;

/// Costs on a device that was not measured: seconds, and bytes per second.
struct Costs {
    double command = 5e-6; ///< One more command of the host: a copy's latency.
    double wait = 3e-6;    ///< Until the host sees that a copy is done.
    double pinned_up = 10e9, pinned_down = 10e9;
    double pageable_up = 10e9, pageable_down = 10e9; ///< Of pageable memory, small copies.
    double staged_up = 10e9, staged_down = 10e9;     ///< The same from `staged_above` bytes on.
    double staged_above = 1e18;
    double link_read = 10e9, link_write = 10e9; ///< A kernel on imported memory.
    double link_random = 1;                     ///< Bytes transferred for one byte of a random access.
    double in_place_command = 0;                ///< Extra time for a share in place.
    double in_place_launch = 0;                 ///< Extra time for each launch of it.
    double device_memory = 50e9;                ///< A kernel on device memory.
    double lock_fixed = 10e-6, lock_bytes = 30e9;
    double allocate_fixed = 5e-6, allocate_bytes = 1e18;
    double fault_bytes = 5e9; ///< Pages that migrate.
};

struct Facts {
    std::string device; ///< "cuda:0".
    Reach reach = Reach::none;
    std::string no_import;    ///< A clause: the reason why this memory cannot be used in place. Empty if it
                              ///< can.
    bool page_locked = false; ///< The memory is already page-locked.
    bool locks = false;       ///< Importing the memory page-locks it for copies.
    bool processor = false;   ///< The device is a CPU.
    std::optional<std::size_t> free_memory; ///< Free bytes of the device.
    Costs costs;
    std::shared_ptr<const CostModel> measured; ///< Used instead of `costs` if it is known(). May be null.
};

struct Intent {
    Access access{};
    std::size_t bytes = 0;
    double passes = 1;
    Pattern pattern = Pattern::sequential;
};

struct Option {
    Placement placement{};
    double seconds = 0;    ///< Predicted, of one round: share, upload, passes, download.
    std::string why_not;   ///< Not empty: impossible, or `refused`.
    bool refused = false;  ///< Possible, but not allowed by the caller.
    bool measured = false; ///< `seconds` comes from rounds on this device.
    double built_in = 0;   ///< the same without them
};

/// Options that take no longer than this count as equal.
double enough(const Option& best);

/// All placements, possible ones first, best first. Placements within 2 % and 1 us count as equal; of these
/// the more predictable one wins: alias, copy, stage, link, migrate.
std::vector<Option> rank(const Facts& facts, const Intent& intent);

/// The properties of the memory that affect hints.
struct Memory {
    std::uintptr_t address = 0;
    bool stack = false;       ///< The stack of a thread.
    bool wants_pages = false; ///< The driver may copy memory that does not begin with a page.
    bool wants_lines = false; ///< Kernels may be slow on memory that does not begin with a cache line.
};

/// Changes that would make the chosen placement faster, as clauses. Empty if there are none.
std::vector<std::string> hints(const Facts& facts, const Memory& memory, Placement taken);

/// "allow alias: 0.42 ms predicted, not 1.3 ms, unless the driver refuses it", if the caller's own list
/// prevents a faster share. Otherwise empty.
std::string hint_to_allow(const std::vector<Option>& options, const Option& taken);

/// Explains how to measure costs, if built-in figures decided and may be misleading: for a device on a bus.
/// Otherwise empty.
std::string hint_to_measure(const Facts& facts, const Option& taken);

// Clauses of an Explanation.
std::string why_taken(const Facts& facts, const Option& taken);
std::string why_rejected(const Option& option, const Option& taken);

/// "0.42 ms".
std::string in_time(double seconds);

} // namespace ferry::detail::placement
