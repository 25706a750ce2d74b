// SPDX-License-Identifier: Apache-2.0
#include "knowledge.hpp"

#include "cache/disk_cache.hpp"
#include "environment.hpp"
#include "litmus/litmus.hpp"

#include <array>
#include <chrono>
#include <map>
#include <mutex>

namespace ferry::detail {
namespace {

constexpr std::array kinds{MemoryKind::device, MemoryKind::host, MemoryKind::shared, MemoryKind::imported};
// Of the promised 2 s; the rest is for what runs when the time is up.
constexpr std::chrono::milliseconds budget{1800};
constexpr double part_for_costs = 0.5;

using Facts = std::array<MemoryCapabilities, kinds.size()>;

struct Knowledge {
    std::mutex measuring; ///< held while the device is measured, before All::mutex

    // Under All::mutex.
    bool begun = false; ///< the driver was asked, and the disk
    Facts facts;
    std::shared_ptr<const Calibration> costs = std::make_shared<Calibration>();
    bool has_facts = false, has_costs = false; ///< measured, or tried in vain
};

struct All {
    std::mutex mutex;
    std::map<const DeviceState*, Knowledge> devices; ///< devices live until the process ends
};
All& all() {
    static All* const known = new All; // as they do
    return *known;
}

thread_local bool measures = false; // what is measured shares memory itself

cache::Key key_of(DeviceState& device, std::string_view what) {
    const DeviceInfo& info = device.info();
    cache::Key key;
    key.add("measured", what)
        .add("form", 2)
        .add("backend", to_string(info.backend))
        .add("device", info.name)
        .add("platform", info.platform)
        .add("driver", info.driver_version)
        .add("api", info.api_version)
        .add("address", info.pci_address + " " + info.uuid)
        .add("index", info.index);
    for (const MemoryKind kind : kinds) { // a setting of the driver's may change them
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
        std::size_t end = 0;
        for (int line = 0; line < 9 && end != std::string_view::npos; ++line) {
            end = rest.find('\n', end);
            end += end != std::string_view::npos;
        }
        if (end == std::string_view::npos || !read_facts(rest.substr(0, end), facts)) {
            return false;
        }
        rest.remove_prefix(end);
    }
    return rest.empty();
}

Facts measure_facts(DeviceState& device, litmus::Session& session) {
    Facts all = declared(device);
    std::string text;
    for (MemoryCapabilities& facts : all) {
        facts = litmus::measure(session, std::move(facts));
        text += to_text(facts);
    }
    cache::shared().store(key_of(device, "facts"), text);
    return all;
}

std::shared_ptr<const Calibration> measure_costs(DeviceState& device, litmus::Session& session) {
    auto costs = std::make_shared<const Calibration>(calibrate(session));
    if (costs->known()) {
        cache::shared().store(key_of(device, "costs"), to_text(*costs));
    }
    return costs;
}

/// With All::mutex held, once in a process.
void begin(DeviceState& device, Knowledge& knowledge, Calibrating setting) {
    if (knowledge.begun) {
        return;
    }
    knowledge.facts = declared(device);
    knowledge.begun = true;
    if (setting != Calibrating::automatic) {
        return;
    }
    if (const auto text = cache::shared().load(key_of(device, "facts"))) {
        Facts read = knowledge.facts;
        knowledge.has_facts = load_facts(*text, read);
        knowledge.facts = knowledge.has_facts ? std::move(read) : std::move(knowledge.facts);
    }
    if (const auto text = cache::shared().load(key_of(device, "costs"))) {
        const auto read = calibration_from(*text);
        knowledge.has_costs = read && read->known();
        knowledge.costs = knowledge.has_costs ? std::make_shared<const Calibration>(*read) : knowledge.costs;
    }
}

/// What is missing, or everything.
void measure(DeviceState& device, Knowledge& knowledge, bool afresh) {
    All& known = all();
    const std::lock_guard one_at_a_time(knowledge.measuring);
    bool facts = false;
    bool costs = false;
    {
        const std::lock_guard lock(known.mutex);
        facts = afresh || !knowledge.has_facts;
        costs = afresh || !knowledge.has_costs;
    }
    if (!facts && !costs) {
        return; // another thread did
    }
    measures = true;
    try {
        litmus::Session session(Device(device), budget);
        if (facts) {
            session.reserve(costs ? part_for_costs : 0);
            Facts found = measure_facts(device, session);
            const std::lock_guard lock(known.mutex);
            knowledge.facts = std::move(found);
        }
        if (costs) {
            session.reserve(0);
            auto found = measure_costs(device, session);
            const std::lock_guard lock(known.mutex);
            knowledge.costs = std::move(found);
        }
    } catch (const std::exception&) { // no kernel can be built, or the device is lost: no more is known
    }
    measures = false;
    const std::lock_guard lock(known.mutex);
    knowledge.has_facts = knowledge.has_costs = true;
}

/// What is known now; the device's entry stays where it is.
Knowledge& knowledge_of(DeviceState& device, Calibrating setting, bool& complete) {
    All& known = all();
    const std::lock_guard lock(known.mutex);
    Knowledge& knowledge = known.devices[&device];
    begin(device, knowledge, setting);
    complete = knowledge.has_facts && knowledge.has_costs;
    return knowledge;
}

Knowledge& look(DeviceState& device, SourceLocation where) {
    const Calibrating setting = calibration_setting(where);
    bool complete = false;
    Knowledge& knowledge = knowledge_of(device, setting, complete);
    if (!complete && setting == Calibrating::fresh && !measures) {
        measure(device, knowledge, false);
    }
    return knowledge;
}

} // namespace

MemoryCapabilities capabilities_of(DeviceState& device, MemoryKind kind, Probe probe, SourceLocation where) {
    const Calibrating setting = calibration_setting(where);
    if (probe == Probe::declared || setting == Calibrating::off) {
        return device.native().memory_facts(kind);
    }
    bool complete = false;
    Knowledge& knowledge = knowledge_of(device, setting, complete);
    if (!complete || probe == Probe::fresh) {
        measure(device, knowledge, probe == Probe::fresh);
    }
    const std::lock_guard lock(all().mutex);
    return knowledge.facts[static_cast<std::size_t>(kind)];
}

MemoryCapabilities known_capabilities(DeviceState& device, MemoryKind kind, SourceLocation where) {
    const Knowledge& knowledge = look(device, where);
    const std::lock_guard lock(all().mutex);
    return knowledge.facts[static_cast<std::size_t>(kind)];
}

std::shared_ptr<const Calibration> known_calibration(DeviceState& device, SourceLocation where) {
    const Knowledge& knowledge = look(device, where);
    const std::lock_guard lock(all().mutex);
    return knowledge.costs;
}

} // namespace ferry::detail
