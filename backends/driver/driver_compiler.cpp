// SPDX-License-Identifier: Apache-2.0
#include "driver/driver_compiler.hpp"

#include <array>
#include <sstream>
#include <string_view>

namespace ferry::driver {

std::vector<std::string> split_options(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

std::optional<std::string> architecture_option(const std::vector<std::string>& options) {
    constexpr std::array<std::string_view, 4> names{"--gpu-architecture", "-arch", "--offload-arch",
                                                    "-march"};
    for (std::size_t i = 0; i < options.size(); ++i) {
        for (const std::string_view name : names) {
            const std::string_view option = options[i];
            if (!option.starts_with(name)) {
                continue;
            }
            if (option.size() > name.size() && option[name.size()] == '=') {
                return std::string(option.substr(name.size() + 1));
            }
            if (option.size() == name.size() && i + 1 < options.size()) {
                return options[i + 1];
            }
        }
    }
    return std::nullopt;
}

std::vector<std::string> compile_options(const BuildOptions& options, const std::vector<std::string>& extra) {
    std::vector<std::string> all;
    all.reserve(options.defines.size() + options.include_directories.size() + extra.size());
    for (const std::string& define : options.defines) {
        all.push_back("-D" + define);
    }
    for (const std::string& directory : options.include_directories) {
        all.push_back("-I" + directory);
    }
    all.insert(all.end(), extra.begin(), extra.end());
    return all;
}

Error compile_error(const std::string& target, VendorCall call, std::string log) {
    std::string message = describe(call, {}) + (target.empty() ? "" : " for " + target);
    if (!log.empty()) {
        message += "\n" + log;
    }
    return Error(Code::build_failed, std::move(message), std::move(call)).with_log(std::move(log));
}

} // namespace ferry::driver
