// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace {

constexpr std::size_t lines_shown = 12;

std::string_view last_lines(std::string_view text, std::size_t count) {
    while (!text.empty() && text.back() == '\n') {
        text.remove_suffix(1);
    }
    std::size_t from = text.size();
    for (; count > 0 && from != std::string_view::npos && from > 0; --count) {
        from = text.rfind('\n', from - 1);
    }
    return count > 0 || from == std::string_view::npos ? text : text.substr(from + 1);
}

} // namespace

std::string device_list(std::span<const ferry::Device> devices) {
    std::string text;
    for (const ferry::Device& device : devices) {
        const ferry::DeviceInfo& info = device.info();
        text += fmt::format("{:10} {}{}{}\n", device.id(), info.name, info.platform.empty() ? "" : ", ",
                            info.platform);
    }
    return text;
}

std::string table(const Suite& suite, std::span<const Result> results) {
    std::size_t first = std::string_view{"sample"}.size();
    for (const std::string& sample : suite.samples) {
        first = std::max(first, sample.size());
    }
    std::string text = fmt::format("{:{}}", "sample", first);
    std::vector<std::size_t> widths;
    for (const ferry::Device& device : suite.devices) {
        widths.push_back(std::max<std::size_t>(13, device.id().size()));
        text += fmt::format("  {:{}}", device.id(), widths.back());
    }
    text += '\n';
    for (const std::string& sample : suite.samples) {
        text += fmt::format("{:{}}", sample, first);
        for (std::size_t i = 0; i < suite.devices.size(); ++i) {
            const auto result = std::find_if(results.begin(), results.end(), [&](const Result& r) {
                return r.sample == sample && r.device == suite.devices[i].id();
            });
            const std::string cell =
                result == results.end()
                    ? "not run"
                    : fmt::format("{} {:6.2f} s", result->passed ? "PASS" : "FAIL", result->seconds);
            text += fmt::format("  {:{}}", cell, widths[i]);
        }
        text += '\n';
    }
    return text;
}

std::string failures(std::span<const Result> results) {
    std::string text;
    for (const Result& result : results) {
        if (!result.passed) {
            text += fmt::format("\n{} on {}: {}\n", result.sample, result.device, result.reason);
            for (std::string_view rest = last_lines(result.output, lines_shown); !rest.empty();) {
                const std::size_t end = std::min(rest.find('\n'), rest.size());
                text += fmt::format("    {}\n", rest.substr(0, end));
                rest.remove_prefix(std::min(end + 1, rest.size()));
            }
        }
    }
    return text;
}

std::string json(const Suite& suite, std::span<const Result> results) {
    nlohmann::json report{{"samples", suite.samples},
                          {"devices", nlohmann::json::array()},
                          {"results", nlohmann::json::array()}};
    for (const ferry::Device& device : suite.devices) {
        const ferry::DeviceInfo& info = device.info();
        report["devices"].push_back({{"id", device.id()},
                                     {"name", info.name},
                                     {"backend", std::string{to_string(info.backend)}},
                                     {"platform", info.platform},
                                     {"driver_version", info.driver_version}});
    }
    for (const Result& result : results) {
        report["results"].push_back({{"sample", result.sample},
                                     {"device", result.device},
                                     {"verdict", result.passed ? "PASS" : "FAIL"},
                                     {"reason", result.reason},
                                     {"output", result.passed ? "" : result.output},
                                     {"seconds", result.seconds}});
    }
    // A driver's words may hold bytes that are no UTF-8.
    return report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}
