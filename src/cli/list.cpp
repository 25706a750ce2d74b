// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "json.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>
#include <iostream>

namespace cli {

namespace {

constexpr std::size_t list_columns = 5;
using ListRow = std::array<std::string, list_columns>;

ListRow row_of(const ferry::Device& device) {
    const ferry::DeviceInfo& info = device.info();
    std::string driver = info.driver_version;
    for (const std::string& more : {info.api_version, info.platform}) {
        if (!more.empty()) {
            driver += driver.empty() ? more : ", " + more;
        }
    }
    const std::vector<ferry::Device> alternates = device.alternates();
    for (std::size_t i = 0; i < alternates.size(); ++i) {
        driver += (i == 0 ? "; also " : ", ") + alternates[i].id();
    }
    return {device.id(), printable(info.name), std::string(to_string(info.kind)),
            bytes_text(info.total_memory), printable(driver)};
}

/// Lists the unavailable backends, because this is the first information needed if a device is missing.
std::string line_of_absent(const std::vector<ferry::BackendReport>& backends) {
    std::string names;
    for (const ferry::BackendReport& backend : backends) {
        if (!backend.available) {
            names += names.empty() ? backend.name : ", " + backend.name;
        }
    }
    return names.empty() ? names : "Not available: " + names + "; `ferry info` says why.\n";
}

} // namespace

Survey survey() {
    Survey survey;
    survey.backends = ferry::backends();
    try {
        survey.devices = ferry::devices();
        survey.chosen = ferry::default_device();
    } catch (const ferry::Error& error) {
        const bool nothing = survey.devices.empty() && error.code() == ferry::Code::unavailable;
        survey.problem = error;
        survey.status = nothing ? none : refused;
    }
    return survey;
}

Status list(bool json) {
    const Survey found = survey();
    if (std::string problem; json) {
        std::cout << to_json(found, found.devices, ferry::Probe::declared, problem);
    } else {
        std::vector<ListRow> rows;
        std::array<std::size_t, list_columns> widths{};
        for (const ferry::Device& device : found.devices) {
            rows.push_back(row_of(device));
            for (std::size_t i = 0; i + 1 < list_columns; ++i) {
                widths[i] = std::max(widths[i], text_width(rows.back()[i]));
            }
        }
        for (std::size_t r = 0; r < rows.size(); ++r) {
            std::cout << (found.chosen == found.devices[r] ? "* " : "  ");
            for (std::size_t i = 0; i < list_columns; ++i) {
                std::cout << padded(rows[r][i], widths[i]) << (i + 1 < list_columns ? "  " : "\n");
            }
        }
        if (!rows.empty()) {
            std::cout << line_of_absent(found.backends);
        }
    }
    if (found.problem) {
        std::cerr << found.problem->what() << '\n';
    }
    return found.status;
}

} // namespace cli
