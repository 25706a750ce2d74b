// SPDX-License-Identifier: Apache-2.0
#include "share/placement.hpp"
#include "system/pages.hpp"

namespace ferry::detail::placement {
namespace {

constexpr std::uintptr_t cache_line = 64;

} // namespace

std::vector<std::string> hints(const Facts& facts, const Memory& memory, Placement taken) {
    std::vector<std::string> hints;
    const bool copies = taken == Placement::copy || taken == Placement::stage;
    const bool no_way = facts.reach == Reach::none || facts.reach == Reach::copy;
    if (copies && memory.stack && facts.reach != Reach::none) {
        hints.emplace_back("allocate the memory: a thread's stack is never used in place");
    }
    if (taken == Placement::stage && facts.reach == Reach::link && !facts.page_locked) {
        hints.emplace_back(
            "keep the data in a Buffer of MemoryKind::host, or say with ShareOptions::passes how "
            "often the device uses it: page-locked memory is copied without a detour");
    }
    if ((taken == Placement::copy || taken == Placement::link) && !facts.page_locked) {
        hints.emplace_back("keep the data in a Buffer of MemoryKind::host, or share it once for many rounds: "
                           "each share page-locks the memory again");
    }
    if (copies && no_way && !memory.stack) {
        hints.emplace_back(
            facts.device +
            " has no coherent link to the program's memory, so bytes are copied for each turn: "
            "share only what both sides use, and keep the rest in a Buffer of the device's");
    }
    if (taken == Placement::link) {
        hints.emplace_back("say with ShareOptions::passes if the device goes over the bytes more than once: "
                           "each time they cross the bus to " +
                           facts.device);
    }
    if (taken == Placement::alias && memory.wants_pages && memory.address % page_size() != 0) {
        hints.emplace_back("align the memory to " + std::to_string(page_size()) +
                           " bytes: OpenCL drivers of GPUs may copy what is not");
    }
    if (taken == Placement::alias && memory.wants_lines && memory.address % cache_line != 0) {
        hints.emplace_back(
            "align the memory to 64 bytes: kernels whose vectors cross from one line of the caches "
            "to the next were seen to take more than three times as long");
    }
    return hints;
}

std::string hint_to_allow(const std::vector<Option>& options, const Option& taken) {
    const Option* best = nullptr;
    for (const Option& option : options) {
        if (option.refused && (best == nullptr || option.seconds < best->seconds)) {
            best = &option;
        }
    }
    if (best == nullptr || enough(*best) >= taken.seconds) {
        return {};
    }
    // The driver has not been queried; it inspects the memory again.
    const char* const unless = best->placement == Placement::stage ? "" : ", unless the driver refuses it";
    return "allow " + std::string(to_string(best->placement)) + ": " + in_time(best->seconds) +
           " predicted, not " + in_time(taken.seconds) + unless;
}

std::string hint_to_measure(const Facts& facts, const Option& taken) {
    if (taken.measured || (facts.reach != Reach::link && facts.reach != Reach::migrates)) {
        return {};
    }
    return "have " + facts.device +
           " measured once, by Device::capabilities() or `ferry info` without FERRY_CALIBRATION=off: "
           "built-in "
           "figures of other machines chose";
}

std::string why_taken(const Facts& facts, const Option& taken) {
    const char* const how = taken.placement == Placement::alias || taken.placement == Placement::link
                                ? " uses the memory in place, "
                            : taken.placement == Placement::migrate
                                ? " takes the pages that it touches, which are not counted, "
                                : " works on a copy, ";
    return facts.device + how + in_time(taken.seconds) +
           (taken.measured ? " predicted from measurements" : " predicted by built-in figures");
}

std::string why_rejected(const Option& option, const Option& taken) {
    if (!option.why_not.empty()) {
        return option.why_not;
    }
    const bool slower = option.seconds > taken.seconds;
    return in_time(option.seconds) + (slower ? " predicted" : " predicted, a gain too small for its risk");
}

} // namespace ferry::detail::placement
