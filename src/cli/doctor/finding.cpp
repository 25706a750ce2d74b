// SPDX-License-Identifier: Apache-2.0
#include "finding.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace cli::doctor {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::array<std::string_view, 4> names{"good", "note", "warning", "problem"};

} // namespace

std::string_view to_string(Severity severity) noexcept {
    return names[static_cast<std::size_t>(severity)];
}

std::string to_json(const Findings& findings) {
    Json list = Json::array();
    for (const Finding& finding : findings) {
        list.push_back({{"severity", to_string(finding.severity)},
                        {"check", finding.check},
                        {"subject", finding.subject},
                        {"what", finding.what},
                        {"mend", finding.mend.empty() ? Json(nullptr) : Json(finding.mend)}});
    }
    return Json{{"findings", list}}.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

bool from_json(const std::string& text, Findings& findings) {
    const Json document = Json::parse(text, nullptr, false);
    if (!document.is_object() || !document.contains("findings")) {
        return false;
    }
    for (const Json& entry : document["findings"]) {
        Finding finding;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (entry["severity"] == names[i]) {
                finding.severity = static_cast<Severity>(i);
            }
        }
        finding.check = entry["check"];
        finding.subject = entry["subject"];
        finding.what = entry["what"];
        finding.mend = entry["mend"].is_string() ? entry["mend"] : Json("");
        findings.push_back(std::move(finding));
    }
    return true;
}

} // namespace cli::doctor
