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
    try {
        Findings read;
        const Json document = Json::parse(text);
        for (const Json& entry : document.at("findings")) {
            const auto name = std::find(names.begin(), names.end(), entry.at("severity").get<std::string>());
            if (name == names.end()) {
                return false;
            }
            read.push_back({static_cast<Severity>(name - names.begin()), entry.at("check"),
                            entry.at("subject"), entry.at("what"),
                            entry.at("mend").is_string() ? entry.at("mend").get<std::string>() : ""});
        }
        findings.insert(findings.end(), read.begin(), read.end());
        return true;
    } catch (const Json::exception&) {
        return false;
    }
}

} // namespace cli::doctor
