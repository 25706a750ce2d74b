// SPDX-License-Identifier: Apache-2.0
#include "measure/device_knowledge.hpp"

#include "base/no_destructor.hpp"
#include "base/settings.hpp"
#include "cache/disk_cache.hpp"
#include "knowledge/facts_text.hpp"
#include "measure/child_run.hpp"
#include "measure/memory_tests.hpp"
#include "staging/copy_thread_count.hpp"
#include "staging/device_key.hpp"
#include "staging/policy.hpp"
#include "staging/slot_sizes.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <mutex>

namespace ferry::detail {
namespace {

using child_run::Facts;
using child_run::kinds;

// The limit includes child_run::grace, for work in progress at the end of the time. Another process that
// repeats missing tests finds its kernels compiled, and has half of this time.
std::chrono::milliseconds budget() {
    return calibration_limit() - child_run::grace;
}

constexpr const char* name_of_facts = "facts";

struct Knowledge {
    std::mutex measuring; ///< Held while the device is measured. Taken before All::mutex.

    // Protected by All::mutex.
    bool begun = false; ///< The driver and the disk were queried.
    Facts facts;
    std::shared_ptr<const CostModel> costs = std::make_shared<CostModel>();
    bool has_facts = false, has_costs = false; ///< Measured, or tried without success.
    bool has_slots = false;                    ///< The same for the slots, or there is nothing to measure.
};

struct All {
    std::mutex mutex;
    std::map<const DeviceState*, Knowledge> devices; ///< Devices live until the process ends.
};
All& all() {
    static NoDestructor<All> known;
    return *known;
}

thread_local bool measures = false; // Measurements use shares themselves.

cache::Key key_of(DeviceState& device, std::string_view what) {
    cache::Key key = device_key(device, what);
    for (const MemoryKind kind : kinds) { // A setting of the driver may change them.
        key.add("declared", to_text(device.native().memory_facts(kind)));
    }
    return key;
}

Facts declared(DeviceState& device) {
    Facts facts;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        facts[i] = device.native().memory_facts(kinds[i]);
    }
    return facts;
}

bool load_facts(const std::string& text, Facts& all) {
    std::string_view rest = text;
    for (MemoryCapabilities& facts : all) {
        if (!take_facts(rest, facts)) {
            return false;
        }
    }
    return rest.empty();
}

// If the time was once too short, for example because of a compiler's first run, another process may succeed.
// A slow device is not measured in every process.
constexpr std::size_t most_tries = 3;

constexpr const char* tries_of_facts = "tries of facts";
constexpr const char* tries_of_costs = "tries of costs";

std::size_t tries_of(DeviceState& device, const char* what) {
    const auto tries = cache::shared().load(key_of(device, what));
    return tries ? tries->size() : 0;
}

void add_try(DeviceState& device, const char* what) {
    cache::shared().store(key_of(device, what), std::string(tries_of(device, what) + 1, 'x'));
}

std::size_t count_late(const Facts& all) {
    std::size_t count = 0;
    for (const MemoryCapabilities& facts : all) {
        count += memory_tests::count_late(facts);
    }
    return count;
}

/// Each process continues where the one before ran out of time. Only those that find out nothing count as
/// tries.
void keep(DeviceState& device, const Facts& before, const Facts& all) {
    std::string text;
    for (const MemoryCapabilities& facts : all) {
        text += to_text(facts);
    }
    cache::shared().store(key_of(device, name_of_facts), text);
    const std::size_t late = count_late(all);
    const std::size_t late_before = count_late(before);
    if (late != 0 && (late_before == 0 || late >= late_before)) {
        add_try(device, tries_of_facts);
    }
}

std::shared_ptr<const CostModel> keep(DeviceState& device, const CostModel& before, const CostModel& costs,
                                      bool lasting) {
    const bool more = costs.sizes() > before.sizes();
    if (costs.known() || more) {
        cache::shared().store(key_of(device, "costs"), to_text(costs));
    }
    if (costs.known()) {
        return std::make_shared<const CostModel>(costs);
    }
    if (lasting) { // no other process tries
        cache::shared().store(key_of(device, tries_of_costs), std::string(most_tries, 'x'));
    } else if (!more) {
        add_try(device, tries_of_costs);
    }
    return std::make_shared<const CostModel>(costs);
}

/// Under All::mutex, once in a process.
void begin(DeviceState& device, Knowledge& knowledge, Calibrating setting) {
    if (knowledge.begun) {
        return;
    }
    knowledge.facts = declared(device);
    knowledge.begun = true;
    if (setting != Calibrating::automatic) {
        return;
    }
    if (const auto text = cache::shared().load(key_of(device, name_of_facts))) {
        Facts read = knowledge.facts;
        if (load_facts(*text, read)) {
            knowledge.has_facts = std::none_of(read.begin(), read.end(), memory_tests::is_cut_short) ||
                                  tries_of(device, tries_of_facts) >= most_tries;
            knowledge.facts = std::move(read);
        }
    }
    if (const auto known = cache::shared().load(key_of(device, "costs"))) {
        const auto read = calibration_from(*known);
        knowledge.has_costs = read && read->known();
        knowledge.costs = read ? std::make_shared<const CostModel>(*read) : knowledge.costs;
    }
    knowledge.has_costs = knowledge.has_costs || tries_of(device, tries_of_costs) >= most_tries;
}

/// Takes the results, and keeps them for other processes unless only this process cannot measure.
void take(DeviceState& device, Knowledge& knowledge, const Facts& before, const child_run::Found& found,
          const CostModel& costs_before, bool facts, bool costs) {
    const CostModel calibration = found.costs.value_or(costs_before);
    const bool kept = found.answered || found.lasting;
    Facts now = found.facts;
    if (!found.answered) {
        child_run::excuse_all(now, found.why_not);
    }
    if (facts && kept) {
        keep(device, before, now);
    }
    const auto shared = costs && kept ? keep(device, costs_before, calibration, found.lasting)
                                      : std::make_shared<const CostModel>(calibration);
    const std::lock_guard lock(all().mutex);
    knowledge.facts = facts ? std::move(now) : knowledge.facts;
    knowledge.costs = costs ? shared : knowledge.costs;
}

/// Whether copies use slots, and no setting determines their size.
bool has_slots_to_learn(DeviceState& device) {
    return !measures && device.native().gains_from_staging() && staging::tuning().slot_bytes == 0;
}

bool was_tried(DeviceState& device) {
    return tries_of(device, tries_of_facts) + tries_of(device, tries_of_costs) != 0;
}

/// Measures missing results, or all of them.
void measure(DeviceState& device, Knowledge& knowledge, bool afresh, bool patient,
             child_run::Clock::time_point begun) {
    All& known = all();
    const std::lock_guard one_at_a_time(knowledge.measuring);
    bool facts = false;
    bool costs = false;
    Facts before = declared(device);
    CostModel costs_before;
    {
        const std::lock_guard lock(known.mutex);
        before = afresh ? before : knowledge.facts;
        costs_before = afresh ? costs_before : *knowledge.costs;
        facts = afresh || !knowledge.has_facts;
        costs = afresh || !knowledge.has_costs;
    }
    std::optional<child_run::Found> found;
    const auto run = [&](bool slots) {
        // Another thread may have measured another device meanwhile.
        const std::chrono::milliseconds mine = budget() / (!patient && was_tried(device) ? 2 : 1);
        const child_run::Time time{std::max(begun + mine, child_run::Clock::now() + mine / 2), patient};
        found = child_run::measure(device, before, facts, costs, time, slots, costs_before);
    };
    if (has_slots_to_learn(device)) {
        learn_slot_rates(device, afresh, [&](std::chrono::milliseconds) {
            run(true);
            return found->slots;
        });
    }
    if (facts || costs) { // Otherwise another thread measured them.
        if (!found) {
            run(false);
        }
        take(device, knowledge, before, *found, costs_before, facts, costs);
    }
    const std::lock_guard lock(known.mutex);
    knowledge.has_facts = knowledge.has_costs = knowledge.has_slots = true;
}

/// The present knowledge; the device's entry keeps its address.
Knowledge& knowledge_of(DeviceState& device, Calibrating setting, bool& complete) {
    All& known = all();
    const std::lock_guard lock(known.mutex);
    Knowledge& knowledge = known.devices[&device];
    begin(device, knowledge, setting);
    knowledge.has_slots = knowledge.has_slots || !has_slots_to_learn(device);
    complete = knowledge.has_facts && knowledge.has_costs && knowledge.has_slots;
    return knowledge;
}

/// Calls no driver. The device's costs depend on it.
void learn_copies(DeviceState& device, bool afresh) {
    if (!measures && device.native().gains_from_staging() && staging::tuning().threads == 0) {
        learn_copy_rates(staging::most_threads(), afresh);
    }
}

Knowledge& look(DeviceState& device, SourceLocation where) {
    const Calibrating setting = calibration_setting(where);
    bool complete = false;
    Knowledge& knowledge = knowledge_of(device, setting, complete);
    if (!complete && setting == Calibrating::fresh && !measures) {
        const child_run::Clock::time_point begun = child_run::Clock::now();
        learn_copies(device, false);
        measure(device, knowledge, false, true, begun);
    }
    return knowledge;
}

} // namespace

Measuring::Measuring() noexcept {
    measures = true;
}
Measuring::~Measuring() {
    measures = false;
}

void forget(DeviceState& device) {
    const std::lock_guard lock(all().mutex);
    Knowledge& knowledge = all().devices[&device];
    knowledge.begun = knowledge.has_facts = knowledge.has_costs = knowledge.has_slots = false;
    knowledge.costs = std::make_shared<CostModel>();
}

void adopt(DeviceState& device, const Facts& facts) {
    const std::lock_guard lock(all().mutex);
    Knowledge& knowledge = all().devices[&device];
    knowledge.begun = knowledge.has_facts = true;
    knowledge.facts = facts;
}

MemoryCapabilities capabilities_of(DeviceState& device, MemoryKind kind, Probe probe, SourceLocation where) {
    const Calibrating setting = calibration_setting(where);
    if (probe == Probe::declared || setting == Calibrating::off) {
        return device.native().memory_facts(kind);
    }
    const child_run::Clock::time_point begun = child_run::Clock::now();
    learn_copies(device, probe == Probe::fresh);
    bool complete = false;
    Knowledge& knowledge = knowledge_of(device, setting, complete);
    if (!complete || probe == Probe::fresh) {
        const bool fresh = probe == Probe::fresh;
        measure(device, knowledge, fresh, fresh || setting == Calibrating::fresh, begun);
    }
    const std::lock_guard lock(all().mutex);
    return knowledge.facts[static_cast<std::size_t>(kind)];
}

MemoryCapabilities known_capabilities(DeviceState& device, MemoryKind kind, SourceLocation where) {
    const Knowledge& knowledge = look(device, where);
    const std::lock_guard lock(all().mutex);
    return knowledge.facts[static_cast<std::size_t>(kind)];
}

std::shared_ptr<const CostModel> known_cost_model(DeviceState& device, SourceLocation where) {
    const Knowledge& knowledge = look(device, where);
    const std::lock_guard lock(all().mutex);
    return knowledge.costs;
}

} // namespace ferry::detail
