// SPDX-License-Identifier: Apache-2.0
#include "base/decimal.hpp"
#include "commands.hpp"
#include "device/info_fields.hpp"
#include "json.hpp"
#include "text.hpp"

#include <array>
#include <iostream>
#include <optional>
#include <sstream>
#include <variant>

namespace cli {

namespace {

void line(std::string_view name, const std::string& value) {
    std::cout << "  " << padded(name, 20) << ' ' << printable(value) << '\n';
}
void optional_line(std::string_view name, const std::string& value) {
    line(name, value.empty() ? "not known" : value);
}
void number_line(std::string_view name, std::uint64_t value, std::string_view unit = "") {
    line(name, value == 0 ? "not known" : std::to_string(value) + std::string(unit));
}
void bytes_line(std::string_view name, std::uint64_t value) {
    line(name, value == 0     ? "not known"
               : value < 1024 ? bytes_text(value)
                              : bytes_text(value) + " (" + std::to_string(value) + " bytes)");
}
template <class Three>
void three_line(std::string_view name, const Three& value) {
    line(name,
         std::to_string(value[0]) + " x " + std::to_string(value[1]) + " x " + std::to_string(value[2]));
}

// "link (declared)". A second line shows a value that a measurement disproved, or the test that ended a
// measurement.
template <class T>
std::string fact_text(const T& value, ferry::Confidence confidence) {
    return std::string(value) + " (" + std::string(to_string(confidence)) + ")";
}
template <class T>
void doubt_line(std::string_view what, const ferry::Fact<T>& fact) {
    if (!fact.declared.empty()) {
        line("", std::string(what) + ": the driver's " + fact.declared + " is wrong; " + fact.source);
    } else if (is_doubted(fact)) {
        line("", std::string(what) + ": " + fact.source);
    }
}

void memory_lines(const ferry::MemoryCapabilities& facts) {
    const std::string name = "memory: " + std::string(to_string(facts.kind));
    if (!facts.available) {
        line(name, "no: " + facts.why_not);
        return;
    }
    std::string text = "reach " + fact_text(to_string(facts.reach.value), facts.reach.confidence) +
                       ", coherence " +
                       fact_text(to_string(facts.coherence.value), facts.coherence.confidence) +
                       ", atomics " + fact_text(to_string(facts.atomics.value), facts.atomics.confidence);
    for (const auto& [fact, word] :
         {std::pair{&facts.same_address, ", same address"}, std::pair{&facts.migrates, ", migrates"},
          std::pair{&facts.host_cached, ", cached on the host"}}) {
        if (fact->value) {
            text += fact_text(std::string(word), fact->confidence);
        }
    }
    if (facts.read_bandwidth.value != 0 && facts.read_latency.value != 0) {
        text += ", a kernel reads " +
                ferry::detail::significant(static_cast<double>(facts.read_bandwidth.value) / 1e9, 3) +
                " GB/s, one load takes " +
                ferry::detail::significant(static_cast<double>(facts.read_latency.value) / 1e3, 3) + " us";
    }
    line(name, text);
    doubt_line("reach", facts.reach);
    doubt_line("coherence", facts.coherence);
    doubt_line("atomics", facts.atomics);
    doubt_line("same address", facts.same_address);
    doubt_line("migration", facts.migrates);
    doubt_line("host caching", facts.host_cached);
    doubt_line("a kernel's speed", facts.read_bandwidth);
    doubt_line("a load's time", facts.read_latency);
}

void knowledge_lines(const ferry::Device& device, const ferry::StagingInfo* tried) {
    for (const ferry::MemoryKind kind : memory_kinds) {
        memory_lines(device.capabilities(kind));
    }
    const ferry::StagingInfo staging = tried != nullptr ? *tried : ferry::staging_info(device);
    line("copy threads",
         "at most " + std::to_string(staging.most_threads) + "; " + staging.most_threads_source);
    line("copy slots", "at most " + std::to_string(staging.most_slots) + " of " +
                           bytes_text(staging.slot_bytes) + "; " + staging.slot_bytes_source);
    if (!staging.note.empty()) {
        line("staging", staging.note);
        line("", "-> " + std::string(mend_locked_memory));
    }
}

using ferry::DeviceInfo;
using ferry::detail::InfoField;

void field_line(const InfoField& field, const DeviceInfo&, const std::string& value) {
    if (!value.empty() || field.text != std::string_view("platform")) { // Only OpenCL has platforms.
        optional_line(field.text, value);
    }
}
void field_line(const InfoField& field, const DeviceInfo& info, bool value) {
    const bool has_note =
        field.member == InfoField::Member(&DeviceInfo::compiles) && !info.compile_note.empty();
    line(field.text, std::string(value ? "yes" : "no") + (has_note ? ": " + info.compile_note : ""));
}
void field_line(const InfoField& field, const DeviceInfo&, std::uint64_t value) {
    if (field.unit != std::string_view("bytes")) {
        number_line(field.text, value, field.unit);
    } else if (field.zero_is_known) {
        line(field.text, bytes_text(value));
    } else {
        bytes_line(field.text, value);
    }
}
void field_line(const InfoField& field, const DeviceInfo& info, std::uint32_t value) {
    field_line(field, info, std::uint64_t{value});
}
void field_line(const InfoField& field, const DeviceInfo&, const std::array<std::size_t, 3>& value) {
    three_line(field.text, value);
}
void field_line(const InfoField& field, const DeviceInfo& info, ferry::DeviceKind value) {
    line(field.text,
         std::string(to_string(value)) + (!info.integrated   ? ""
                                          : *info.integrated ? ", shares its memory with the processor"
                                                             : ", has memory of its own"));
}
void field_line(const InfoField& field, const DeviceInfo&, ferry::Backend value) {
    line(field.text, std::string(to_string(value)));
}
void field_line(const InfoField& field, const DeviceInfo&, const std::optional<bool>& value) {
    line(field.text, std::string(!value ? "not known" : *value ? "yes" : "no"));
}

/// Prints the device. `problem` is a known problem of it, or empty. `tried` is its staging after the slots
/// were made, or null. Returns `problem` together with problems found here.
std::string print(const ferry::Device& device, std::string problem, const ferry::StagingInfo* tried) {
    const ferry::DeviceInfo& info = device.info();
    std::cout << device.id() << "  " << printable(info.name) << '\n';
    for (const ferry::detail::InfoField& field : ferry::detail::info_fields) {
        if (field.text != nullptr) {
            std::visit([&](auto member) { field_line(field, info, info.*member); }, field.member);
        }
    }
    try {
        knowledge_lines(device, tried);
        // For example, the device is lost. Other devices are printed all the same.
    } catch (const std::exception& error) {
        problem = error.what();
    }
    if (!problem.empty()) {
        line("problem", problem);
    }
    optional_line("PCI address", info.pci_address);
    optional_line("UUID", info.uuid);
    for (const ferry::Device& alternate : device.alternates()) {
        line("also seen as", alternate.id() + "  " + alternate.info().name);
    }
    std::cout << '\n';
    return problem;
}

void print(const ferry::BackendReport& backend) {
    std::cout << padded(backend.name, 7) << (backend.available ? " available" : " not available")
              << (backend.library.empty() ? "" : ": " + printable(backend.library)) << '\n';
    for (const ferry::BackendReason& reason : backend.reasons) {
        std::istringstream lines(reason.text);
        for (std::string text; std::getline(lines, text);) {
            std::cout << "        " << printable(text) << '\n';
        }
    }
}

Status tell(const std::string& problem) {
    if (!problem.empty()) {
        std::cerr << problem << '\n';
    }
    return problem.empty() ? found : refused;
}

Status info_of_one(const std::string& selector, bool json) {
    const ferry::Device device = ferry::find_device(selector);
    std::string problem;
    const ferry::StagingInfo staging = tried_staging(device, problem);
    if (json) {
        std::cout << to_json(survey(), {device}, ferry::Probe::cached, problem, &staging);
    } else {
        problem = print(device, problem, &staging);
    }
    return tell(problem);
}

} // namespace

Status info(const std::string& selector, bool json) {
    if (!selector.empty()) {
        return info_of_one(selector, json);
    }
    const Survey all = survey();
    std::string problem;
    if (json) {
        std::cout << to_json(all, all.devices, ferry::Probe::cached, problem);
    } else {
        for (const ferry::Device& device : all.devices) {
            const std::string more = print(device, {}, nullptr);
            problem = problem.empty() ? more : problem;
        }
        for (const ferry::BackendReport& backend : all.backends) {
            print(backend);
        }
        if (all.chosen) {
            std::cout << "\nThe default device is " << all.chosen->id() << ".\n";
        }
    }
    if (all.problem) {
        std::cerr << all.problem->what() << '\n';
    }
    return all.status == found ? tell(problem) : all.status;
}

} // namespace cli
