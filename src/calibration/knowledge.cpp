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
constexpr std::chrono::milliseconds litmus_time{1200};
constexpr std::chrono::milliseconds calibration_time{800};

struct Knowledge {
    std::array<MemoryCapabilities, kinds.size()> facts;
    Calibration calibration;
    bool facts_known = false;
    bool calibration_known = false;
};

struct All {
    std::mutex mutex;
    std::map<const DeviceState*, Knowledge> devices; ///< devices live until the process ends
};
All& all() {
    static All* const known = new All; // as they do
    return *known;
}

cache::Key key_of(DeviceState& device, std::string_view what) {
    const DeviceInfo& info = device.info();
    cache::Key key;
    key.add("measured", what)
        .add("form", 1)
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

void declare(DeviceState& device, Knowledge& knowledge) {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        knowledge.facts[i] = device.native().memory_facts(kinds[i]);
    }
}

bool load_facts(const std::string& text, Knowledge& knowledge) {
    std::string_view rest = text;
    for (MemoryCapabilities& facts : knowledge.facts) {
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

void measure_facts(DeviceState& device, Knowledge& knowledge) {
    try {
        litmus::Session session(Device(device), litmus_time);
        for (MemoryCapabilities& facts : knowledge.facts) {
            facts = litmus::measure(session, std::move(facts));
        }
    } catch (const Error&) { // no kernel can be built, or the device is lost: nothing more is known
        declare(device, knowledge);
        return;
    }
    std::string text;
    for (const MemoryCapabilities& facts : knowledge.facts) {
        text += to_text(facts);
    }
    cache::shared().store(key_of(device, "facts"), text);
}

void measure_costs(DeviceState& device, Knowledge& knowledge) {
    try {
        litmus::Session session(Device(device), calibration_time);
        knowledge.calibration = calibrate(session);
        if (session.time_left()) { // else another process may have more luck
            cache::shared().store(key_of(device, "costs"), to_text(knowledge.calibration));
        }
    } catch (const Error&) { // as above
    }
}

// Once in a process, FERRY_CALIBRATION=fresh is Probe::fresh.
bool look_on_disk(Probe probe, Calibrating setting) {
    return probe != Probe::fresh && setting != Calibrating::fresh;
}

} // namespace

MemoryCapabilities capabilities_of(DeviceState& device, MemoryKind kind, Probe probe, SourceLocation where) {
    const Calibrating setting = calibration_setting(where);
    if (probe == Probe::declared || setting == Calibrating::off) {
        return device.native().memory_facts(kind);
    }
    All& known = all();
    const std::lock_guard lock(known.mutex);
    Knowledge& knowledge = known.devices[&device];
    if (!knowledge.facts_known || probe == Probe::fresh) {
        declare(device, knowledge);
        const auto text =
            look_on_disk(probe, setting) ? cache::shared().load(key_of(device, "facts")) : std::nullopt;
        if (!text || !load_facts(*text, knowledge)) {
            declare(device, knowledge);
            measure_facts(device, knowledge);
        }
        knowledge.facts_known = true;
    }
    return knowledge.facts[static_cast<std::size_t>(kind)];
}

Calibration calibration_of(DeviceState& device, Probe probe, SourceLocation where) {
    const Calibrating setting = calibration_setting(where);
    if (probe == Probe::declared || setting == Calibrating::off) {
        return {};
    }
    All& known = all();
    const std::lock_guard lock(known.mutex);
    Knowledge& knowledge = known.devices[&device];
    if (!knowledge.calibration_known || probe == Probe::fresh) {
        const auto text =
            look_on_disk(probe, setting) ? cache::shared().load(key_of(device, "costs")) : std::nullopt;
        const auto read = text ? calibration_from(*text) : std::nullopt;
        if (read) {
            knowledge.calibration = *read;
        } else {
            measure_costs(device, knowledge);
        }
        knowledge.calibration_known = true;
    }
    return knowledge.calibration;
}

} // namespace ferry::detail
