// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <nlohmann/json.hpp>

#include <exception>
#include <utility>

namespace cli {

namespace {

using Json = nlohmann::ordered_json;

Json known(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}
Json known(std::uint64_t number) {
    return number == 0 ? Json(nullptr) : Json(number);
}

Json value_json(bool value) {
    return value;
}
Json value_json(std::size_t value) {
    return value;
}
template <class Class>
Json value_json(Class value) {
    return to_string(value);
}

template <class T>
Json fact_json(const ferry::Fact<T>& fact) {
    Json json;
    // If the confidence is unknown, the value is the conservative one, and a limit is null.
    json["value"] = value_json(fact.value);
    json["confidence"] = to_string(fact.confidence);
    json["source"] = known(fact.source);
    json["declared"] = known(fact.declared);
    return json;
}

Json memory_json(const ferry::MemoryCapabilities& facts) {
    Json json;
    json["kind"] = to_string(facts.kind);
    json["available"] = facts.available;
    json["why_not"] = known(facts.why_not);
    json["reach"] = fact_json(facts.reach);
    json["coherence"] = fact_json(facts.coherence);
    json["atomics"] = fact_json(facts.atomics);
    json["same_address"] = fact_json(facts.same_address);
    json["migrates"] = fact_json(facts.migrates);
    json["host_cached"] = fact_json(facts.host_cached);
    json["read_bandwidth"] = fact_json(facts.read_bandwidth);
    json["read_latency"] = fact_json(facts.read_latency);
    json["pointer_alignment"] = fact_json(facts.pointer_alignment);
    json["size_granularity"] = fact_json(facts.size_granularity);
    json["max_size"] = fact_json(facts.max_size);
    return json;
}

// The queries fail for a lost device. The rest of the document is still written.
void add_knowledge(Json& json, const ferry::Device& device, ferry::Probe probe, std::string& problem,
                   const ferry::StagingInfo* tried) {
    json["memory_kinds"] = Json::array();
    json["staging"] = nullptr;
    try {
        for (const ferry::MemoryKind kind : memory_kinds) {
            json["memory_kinds"].push_back(memory_json(device.capabilities(kind, probe)));
        }
        const ferry::StagingInfo staging = tried != nullptr ? *tried : ferry::staging_info(device);
        json["staging"] = {
            {"most_threads", staging.most_threads}, {"most_threads_source", staging.most_threads_source},
            {"slot_bytes", staging.slot_bytes},     {"slot_bytes_source", staging.slot_bytes_source},
            {"most_slots", staging.most_slots},     {"note", known(staging.note)}};
    } catch (const std::exception& error) {
        problem = error.what();
    }
    json["problem"] = known(problem);
}

Json device_json(const ferry::Device& device, bool with_alternates, ferry::Probe probe, std::string& problem,
                 const ferry::StagingInfo* tried) {
    const ferry::DeviceInfo& info = device.info();
    Json json;
    json["id"] = device.id();
    json["backend"] = to_string(info.backend);
    json["index"] = info.index;
    json["name"] = known(info.name);
    json["vendor"] = known(info.vendor);
    json["platform"] = known(info.platform);
    json["driver_version"] = known(info.driver_version);
    json["api_version"] = known(info.api_version);
    json["architecture"] = known(info.architecture);
    json["kind"] = to_string(info.kind);
    json["integrated"] = info.integrated ? Json(*info.integrated) : Json(nullptr);
    json["total_memory"] = known(info.total_memory);
    json["max_allocation"] = known(info.max_allocation);
    json["compute_units"] = known(info.compute_units);
    json["clock_mhz"] = known(info.clock_mhz);
    json["max_group_size"] = known(info.max_group_size);
    json["max_local"] = info.max_local;
    json["max_groups"] = info.max_groups;
    json["local_memory"] = info.local_memory;
    json["max_argument_bytes"] = known(info.max_argument_bytes);
    json["sub_group_width"] = known(info.sub_group_width);
    json["fp16"] = info.fp16;
    json["fp64"] = info.fp64;
    json["int64_atomics"] = info.int64_atomics;
    json["timing"] = info.timing;
    json["compiles"] = info.compiles;
    json["compile_note"] = known(info.compile_note);
    json["host_memory"] = info.host_memory;
    json["shared_memory"] = info.shared_memory;
    json["pci_address"] = known(info.pci_address);
    json["uuid"] = known(info.uuid);
    if (with_alternates) {
        json["alternates"] = Json::array();
        for (const ferry::Device& alternate : device.alternates()) {
            std::string theirs;
            json["alternates"].push_back(device_json(alternate, false, probe, theirs, nullptr));
        }
    }
    add_knowledge(json, device, probe, problem, tried);
    return json;
}

} // namespace

std::string to_json(const Survey& survey, const std::vector<ferry::Device>& devices, ferry::Probe probe,
                    std::string& problem, const ferry::StagingInfo* tried) {
    Json json;
    json["ferry"] = ferry::version();
    json["default"] = survey.chosen ? Json(survey.chosen->id()) : Json(nullptr);
    json["devices"] = Json::array();
    std::string known_problem = problem;
    for (const ferry::Device& device : devices) {
        std::string own = std::exchange(known_problem, {});
        json["devices"].push_back(device_json(device, true, probe, own, tried));
        problem = problem.empty() ? own : problem;
    }
    json["backends"] = Json::array();
    for (const ferry::BackendReport& backend : survey.backends) {
        json["backends"].push_back({{"name", backend.name},
                                    {"available", backend.available},
                                    {"library", known(backend.library)},
                                    {"reasons", backend.reasons}});
    }
    // A driver may return text that is not valid UTF-8. Writing it must not throw.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace cli
