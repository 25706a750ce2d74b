// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cli::doctor {

/// In ascending order. Only a problem prevents use, and makes ferry doctor exit with status 1.
enum class Severity : std::uint8_t { good, note, warning, problem };

/// "good", "note", "warning" or "problem".
std::string_view to_string(Severity severity) noexcept;

struct Finding {
    Severity severity{};
    std::string check;   ///< The name of the check: "kernel", "memlock".
    std::string subject; ///< "machine", the name of a backend, or the id of a device.
    std::string what;    ///< A complete sentence.
    std::string mend;    ///< Advice, as a complete sentence. May be empty.
};
using Findings = std::vector<Finding>;

/// The format of --json.
nlohmann::ordered_json to_json(const Finding& finding);
std::string to_json(const Findings& findings);
/// Throws nlohmann::json::exception if the value is not a finding.
Finding from_json(const nlohmann::ordered_json& json);

} // namespace cli::doctor
