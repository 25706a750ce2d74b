// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace absurd {

/// The word after "NAME:" in FERRY_DOUBLE_ABSURD, a comma-separated list; nothing if NAME is missing.
inline std::optional<std::string> word(const std::string& name) {
    const char* const said = std::getenv("FERRY_DOUBLE_ABSURD");
    const std::string list = said != nullptr ? "," + std::string(said) + "," : "";
    const std::size_t at = list.find("," + name + ":");
    if (at == std::string::npos) {
        return std::nullopt;
    }
    const std::size_t begin = at + name.size() + 2;
    return list.substr(begin, list.find(',', begin) - begin);
}

/// That word as a number; `usual` if it is missing.
template <class T>
T number(const std::string& name, T usual) {
    const std::optional<std::string> said = word(name);
    return said ? static_cast<T>(std::strtoull(said->c_str(), nullptr, 0)) : usual;
}

} // namespace absurd
