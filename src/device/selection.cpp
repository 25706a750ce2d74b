// SPDX-License-Identifier: Apache-2.0
// The devices of this process, and the selection of one by a text.
#include "base/decimal.hpp"
#include "base/settings.hpp"
#include "base/text.hpp"
#include "device/allowed_backends.hpp"
#include "device/runtime.hpp"

#include <ferry/device.hpp>
#include <ferry/error.hpp>

#include <algorithm>

namespace ferry {
namespace detail {
namespace {

std::string left_out(Backend backend, const Allowed& allowed) {
    return "It is left out by " + allowed.setting.source + "=" + allowed.setting.value + "; add " +
           std::string(to_string(backend)) + " to that list to use it";
}

std::string why_not(Backend backend) {
    const BackendReport report = Runtime::get().report(backend);
    std::string text;
    for (const BackendReason& reason : report.reasons) {
        text += "\n    " + reason.text;
    }
    return text;
}

void append(std::vector<Device>& list, Backend backend) {
    for (const auto& device : Runtime::get().devices(backend)) {
        list.emplace_back(*device);
    }
}

/// A driver for graphics that computes on the processor, as Mesa's lavapipe. Many machines have one, and the
/// host backend is a better choice there.
bool is_software(const DeviceInfo& info) {
    return info.backend == Backend::vulkan && info.kind == DeviceKind::cpu;
}

std::vector<Device> list_all(const Allowed& allowed, SourceLocation where) {
    std::vector<Device> list;
    for (const Backend backend : allowed.backends) {
        append(list, backend);
    }
    if (!allowed.strict) {
        std::stable_partition(list.begin(), list.end(),
                              [](const Device& device) { return !is_software(device.info()); });
    }
    if (list.empty()) {
        std::string text = "No device is available";
        if (allowed.setting.set()) {
            text += " with " + allowed.setting.source + "=" + allowed.setting.value;
        }
        for (const Backend backend : allowed.backends) {
            text += "\n  " + std::string(to_string(backend)) + ":" + why_not(backend);
        }
        throw Error(Code::unavailable, std::move(text), where);
    }
    return list;
}

std::vector<Device> without_alternates(const std::vector<Device>& all) {
    std::vector<Device> list;
    for (const Device& device : all) {
        const bool seen = std::any_of(list.begin(), list.end(), [&](const Device& other) {
            return other.backend() != device.backend() && same_hardware(other.info(), device.info());
        });
        if (!seen) {
            list.push_back(device);
        }
    }
    return list;
}

std::string list_text(const std::vector<Device>& devices) {
    std::string text;
    for (const Device& device : devices) {
        text += "\n    " + device.state().describe();
    }
    return text.empty() ? " none" : text;
}

std::string hex_only(std::string_view text) {
    std::string result;
    for (const char c : lower(text)) {
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')) {
            result += c;
        }
    }
    return result;
}

bool names_hardware(const DeviceInfo& info, std::string_view selector) {
    std::string text = lower(selector);
    if (!info.pci_address.empty()) {
        const std::string pci = lower(info.pci_address);
        // "17:00.0" is "0000:17:00.0" without its domain.
        if (text == pci || (pci.size() > text.size() && text.size() >= 7 && pci.ends_with(":" + text))) {
            return true;
        }
    }
    if (text.starts_with("gpu-")) {
        text.erase(0, 4);
    }
    return !info.uuid.empty() && hex_only(text).size() == 32 && hex_only(text) == hex_only(info.uuid);
}

bool name_contains(const DeviceInfo& info, std::string_view selector) {
    const std::string part = lower(selector);
    return lower(info.name).find(part) != std::string::npos ||
           lower(info.platform).find(part) != std::string::npos;
}

Device find_in_backend(Backend backend, std::optional<std::size_t> index, std::string_view selector,
                       const std::string& source, const Allowed& allowed, SourceLocation where) {
    const std::string asked = source + " is \"" + std::string(selector) + "\", but ";
    if (!allowed.contains(backend)) {
        throw Error(Code::unavailable,
                    asked + "the backend " + std::string(to_string(backend)) + " is not used. " +
                        left_out(backend, allowed),
                    where);
    }
    std::vector<Device> list;
    append(list, backend);
    if (list.empty()) {
        throw Error(Code::unavailable,
                    asked + "the backend " + std::string(to_string(backend)) +
                        " is not available:" + why_not(backend),
                    where);
    }
    if (index.value_or(0) >= list.size()) {
        throw Error(Code::unavailable,
                    asked + std::string(to_string(backend)) + " has " + std::to_string(list.size()) +
                        (list.size() == 1 ? " device" : " devices") + ", numbered from 0:" + list_text(list),
                    where);
    }
    return list[index.value_or(0)];
}

Device the_one(const std::vector<Device>& found, std::string_view selector, const std::string& source,
               SourceLocation where) {
    if (found.size() > 1) {
        throw Error(Code::invalid_argument,
                    source + " is \"" + std::string(selector) + "\", which fits " +
                        std::to_string(found.size()) +
                        " devices; name one of them by its id:" + list_text(found),
                    where);
    }
    return found.front();
}

Device find(std::string_view selector, const std::string& source, SourceLocation where) {
    const std::string text = trim(selector);
    if (text.empty()) {
        throw Error(
            Code::invalid_argument,
            source +
                " is empty; it takes an index, backend:index, a UUID, a PCI address or a part of the name",
            where);
    }
    const Allowed allowed = allowed_backends(where);
    const auto colon = text.find(':');
    if (const auto backend = backend_from_name(lower(text.substr(0, colon)))) {
        if (colon == std::string::npos) {
            return find_in_backend(*backend, std::nullopt, selector, source, allowed, where);
        }
        if (const auto index = parse_number<std::size_t>(std::string_view(text).substr(colon + 1))) {
            return find_in_backend(*backend, index, selector, source, allowed, where);
        }
    }
    const std::vector<Device> all = list_all(allowed, where);
    const std::vector<Device> listed = without_alternates(all);
    if (const auto index = parse_number<std::size_t>(text)) {
        if (*index >= listed.size()) {
            throw Error(Code::unavailable,
                        source + " is " + text + ", but there are " + std::to_string(listed.size()) +
                            " devices, numbered from 0:" + list_text(listed),
                        where);
        }
        return listed[*index];
    }
    for (const auto& matches : {names_hardware, name_contains}) {
        for (const std::vector<Device>* list : {&listed, &all}) {
            std::vector<Device> found;
            std::copy_if(list->begin(), list->end(), std::back_inserter(found),
                         [&](const Device& device) { return matches(device.info(), text); });
            if (!found.empty()) {
                return the_one(found, selector, source, where);
            }
        }
    }
    throw Error(Code::unavailable,
                source + " is \"" + text + "\", and no device fits. Present are:" + list_text(all), where);
}

} // namespace
} // namespace detail

std::vector<BackendReport> backends() {
    const detail::Allowed allowed = detail::allowed_backends({});
    std::vector<BackendReport> reports;
    for (const backend::Row& row : backend::rows) {
        if (allowed.contains(row.backend)) {
            reports.push_back(detail::Runtime::get().report(row.backend));
        } else {
            BackendReport report;
            report.backend = row.backend;
            report.name = to_string(row.backend);
            report.reasons.push_back({BackendProblem::not_selected, detail::left_out(row.backend, allowed)});
            reports.push_back(std::move(report));
        }
    }
    return reports;
}

std::vector<Device> all_devices(SourceLocation where) {
    return detail::list_all(detail::allowed_backends(where), where);
}

std::vector<Device> devices(SourceLocation where) {
    return detail::without_alternates(all_devices(where));
}

Device default_device(SourceLocation where) {
    if (const detail::Setting setting = detail::device_setting(); setting.set()) {
        return detail::find(setting.value, setting.source, where);
    }
    const detail::Allowed allowed = detail::allowed_backends(where);
    for (const Backend backend : allowed.backends) {
        const auto& list = detail::Runtime::get().devices(backend);
        if (!list.empty() && (allowed.strict || !detail::is_software(list.front()->info()))) {
            return Device(*list.front());
        }
    }
    return detail::list_all(allowed, where).front(); // Throws, with the reasons.
}

Device find_device(std::string_view selector, SourceLocation where) {
    return detail::find(selector, "The device selector", where);
}

} // namespace ferry
