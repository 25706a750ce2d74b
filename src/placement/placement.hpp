// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"
#include "calibration/calibration.hpp"

#include <ferry/placement.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// Which placement is cheapest: a pure function of facts, figures and intent.
namespace ferry::detail::placement {

using Reach = backend::ImportReach;

/// What things cost on one device where it was not measured: seconds, and bytes in a second.
struct Costs {
    double command = 5e-6; ///< a command of the host's more: a copy's latency
    double wait = 3e-6;    ///< until the host sees that a copy is over
    double pinned_up = 10e9, pinned_down = 10e9;
    double pageable_up = 10e9, pageable_down = 10e9; ///< of ordinary memory, small copies
    double staged_up = 10e9, staged_down = 10e9;     ///< the same from `staged_above` bytes on
    double staged_above = 1e18;
    double link_read = 10e9, link_write = 10e9; ///< a kernel on imported memory
    double link_random = 1;                     ///< bytes that cross for one that a random access wants
    double in_place_command = 0;                ///< more for a share in place
    double in_place_launch = 0;                 ///< more for each launch of one
    double device_memory = 50e9;                ///< a kernel on device memory
    double lock_fixed = 10e-6, lock_bytes = 30e9;
    double allocate_fixed = 5e-6, allocate_bytes = 1e18;
    double fault_bytes = 5e9; ///< pages that migrate
};

struct Facts {
    std::string device; ///< "cuda:0"
    Reach reach = Reach::none;
    std::string no_import;    ///< a clause: why this memory cannot be used in place; empty: it can
    bool page_locked = false; ///< the memory is so already
    bool locks = false;       ///< importing it page-locks it for copies
    bool processor = false;   ///< the device is a CPU
    std::optional<std::size_t> free_memory; ///< bytes of the device
    Costs costs;
    std::shared_ptr<const Calibration> measured; ///< used in place of `costs` where it is known(); or null
};

struct Intent {
    Access access{};
    std::size_t bytes = 0;
    double passes = 1;
    Pattern pattern = Pattern::sequential;
};

struct Option {
    Placement placement{};
    double seconds = 0;    ///< predicted, of one round: share, upload, passes, download
    std::string why_not;   ///< not empty: impossible, or
    bool refused = false;  ///< the caller does not allow what is possible
    bool measured = false; ///< `seconds` comes of rounds on this device
    double built_in = 0;   ///< the same without them
};

/// What takes no longer is as good.
double enough(const Option& best);

/// Every placement, possible ones first, the best of them first. Of those that are as good within 2 % and 1
/// us the one with fewer surprises wins: alias, copy, stage, link, migrate.
std::vector<Option> rank(const Facts& facts, const Intent& intent);

/// The memory, as far as a hint depends on it.
struct Memory {
    std::uintptr_t address = 0;
    bool stack = false;       ///< of a thread
    bool wants_pages = false; ///< the driver may copy what does not begin with a page
    bool wants_lines = false; ///< kernels may be slow on what does not begin with a line of the caches
};

/// What would make the placement that was taken better: clauses, none where nothing would.
std::vector<std::string> hints(const Facts& facts, const Memory& memory, Placement taken);

/// "allow alias: 0.42 ms predicted, not 1.3 ms, unless the driver refuses it", where the caller's own list is
/// what keeps a share from being faster; else empty.
std::string hint_to_allow(const std::vector<Option>& options, const Option& taken);

/// How to have costs measured, where built-in ones chose and another device's may mislead: where a bus leads
/// to the device. Else empty.
std::string hint_to_measure(const Facts& facts, const Option& taken);

// Clauses of an Explanation.
std::string why_taken(const Facts& facts, const Option& taken);
std::string why_rejected(const Option& option, const Option& taken);

/// "0.42 ms".
std::string in_time(double seconds);

} // namespace ferry::detail::placement
