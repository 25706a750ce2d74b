// SPDX-License-Identifier: Apache-2.0
#include "finding.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace cli::doctor {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::array<std::string_view, 4> names{"good", "note", "warning", "problem"};

} // namespace

std::string_view to_string(Severity severity) noexcept {
    return names[static_cast<std::size_t>(severity)];
}

Json to_json(const Finding& finding) {
    return {{"severity", to_string(finding.severity)},
            {"check", finding.check},
            {"subject", finding.subject},
            {"what", finding.what},
            {"mend", finding.mend.empty() ? Json(nullptr) : Json(finding.mend)}};
}

std::string to_json(const Findings& findings) {
    Json list = Json::array();
    for (const Finding& finding : findings) {
        list.push_back(to_json(finding));
    }
    return Json{{"findings", list}}.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Finding from_json(const Json& json) {
    const auto name = std::find(names.begin(), names.end(), json.at("severity").get<std::string>());
    const auto severity =
        name != names.end() ? static_cast<Severity>(name - names.begin()) : Severity::problem;
    return {severity, json.at("check"), json.at("subject"), json.at("what"),
            json.at("mend").is_string() ? json.at("mend").get<std::string>() : ""};
}

} // namespace cli::doctor
