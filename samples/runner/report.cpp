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

std::size_t first_column(const Suite& suite, std::span<const Lack> lacks) {
    std::size_t width = std::string_view{"sample"}.size();
    for (const std::string& sample : suite.samples) {
        width = std::max(width, sample.size());
    }
    for (const Lack& lack : lacks) {
        width = std::max(width, lack.sample.size());
    }
    return width;
}

std::size_t cell_width(const Suite& suite, const ferry::Device& device) {
    return std::max<std::size_t>(suite.twice ? 24 : 13, device.id().size());
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

std::string table_head(const Suite& suite, std::span<const Lack> lacks) {
    const std::size_t first = first_column(suite, lacks);
    std::string text = fmt::format("{:{}}", "sample", first);
    std::string times = fmt::format("{:{}}", "", first);
    for (const ferry::Device& device : suite.devices) {
        text += fmt::format("  {:{}}", device.id(), cell_width(suite, device));
        times += fmt::format("  {:{}}", fmt::format("{:>13}{}", "first", suite.twice ? "      again" : ""),
                             cell_width(suite, device));
    }
    return text + "\n" + times + "\n";
}

std::string table_row(const Suite& suite, std::span<const Lack> lacks, std::span<const Result> results) {
    std::string text = fmt::format("{:{}}", results.front().sample, first_column(suite, lacks));
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Result& result = results[i];
        std::string cell = fmt::format("{} {:6.2f} s", result.passed ? "PASS" : "FAIL", result.seconds);
        if (result.again) {
            cell += fmt::format("   {:6.2f} s", *result.again);
        }
        text += fmt::format("  {:{}}", cell, cell_width(suite, suite.devices[i]));
    }
    return text + "\n";
}

std::string table_end(const Suite& suite, std::span<const Lack> lacks) {
    std::string text;
    for (const Lack& lack : lacks) {
        text += fmt::format("{:{}}  {}: apt-get install {}\n", lack.sample, first_column(suite, lacks),
                            lack.effect, lack.package);
    }
    if (suite.twice) {
        text +=
            "\nThe first run of a sample also compiles its kernels for the device. Compiled kernels are kept "
            "for later runs.\n";
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

std::string json(const Suite& suite, std::span<const Lack> lacks, std::span<const Result> results) {
    nlohmann::json report{{"samples", suite.samples},
                          {"devices", nlohmann::json::array()},
                          {"lacks", nlohmann::json::array()},
                          {"results", nlohmann::json::array()}};
    for (const Lack& lack : lacks) {
        report["lacks"].push_back({{"sample", lack.sample},
                                   {"effect", lack.effect},
                                   {"library", lack.library},
                                   {"package", lack.package}});
    }
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
        if (result.again) {
            report["results"].back()["again"] = *result.again;
        }
    }
    // A driver's messages may contain invalid UTF-8.
    return report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}
