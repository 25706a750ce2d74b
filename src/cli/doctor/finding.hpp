// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cli::doctor {

/// Later is worse. Only a problem stops use, and makes ferry doctor end with 1.
enum class Severity : std::uint8_t { good, note, warning, problem };

/// "good", "note", "warning" or "problem".
std::string_view to_string(Severity severity) noexcept;

struct Finding {
    Severity severity{};
    std::string check;   ///< which check it is of: "kernel", "memlock"
    std::string subject; ///< "machine", a backend's name or a device's id
    std::string what;    ///< a whole sentence
    std::string mend;    ///< what to do, a whole sentence; empty if there is nothing to do
};
using Findings = std::vector<Finding>;

/// As --json prints it.
nlohmann::ordered_json to_json(const Finding& finding);
std::string to_json(const Findings& findings);
/// Throws nlohmann::json::exception for what is no finding.
Finding from_json(const nlohmann::ordered_json& json);

} // namespace cli::doctor
