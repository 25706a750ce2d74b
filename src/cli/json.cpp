// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include "device/info_fields.hpp"

#include <nlohmann/json.hpp>

#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

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

template <class T>
Json field_json(const T& value, bool zero_is_known) {
    if constexpr (std::is_enum_v<T>) {
        return to_string(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
        return known(value);
    } else if constexpr (std::is_same_v<T, std::optional<bool>>) {
        return value ? Json(*value) : Json(nullptr);
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        return zero_is_known ? Json(value) : known(value);
    } else {
        return value;
    }
}

Json device_json(const ferry::Device& device, bool with_alternates, ferry::Probe probe, std::string& problem,
                 const ferry::StagingInfo* tried) {
    const ferry::DeviceInfo& info = device.info();
    Json json;
    json["id"] = device.id();
    for (const ferry::detail::InfoField& field : ferry::detail::info_fields) {
        std::visit([&](auto member) { json[field.name] = field_json(info.*member, field.zero_is_known); },
                   field.member);
    }
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
        Json reasons = Json::array();
        for (const ferry::BackendReason& reason : backend.reasons) {
            reasons.push_back(reason.text);
        }
        json["backends"].push_back({{"name", backend.name},
                                    {"available", backend.available},
                                    {"library", known(backend.library)},
                                    {"reasons", std::move(reasons)}});
    }
    // A driver may return text that is not valid UTF-8. Writing it must not throw.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace cli
