// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cstdio>
#include <string_view>

namespace bench {

namespace {

std::string duration(double ns) {
    char text[32];
    if (ns < 1e3) {
        std::snprintf(text, sizeof text, "%.0f ns", ns);
    } else if (ns < 1e6) {
        std::snprintf(text, sizeof text, "%.2f us", ns / 1e3);
    } else {
        std::snprintf(text, sizeof text, "%.2f ms", ns / 1e6);
    }
    return text;
}

std::string_view verdict(const Result& result) {
    if (result.ratio <= result.test->limit) {
        return "within";
    }
    return result.ratio_low <= result.test->limit ? "unclear" : "OVER";
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            out += escape;
        } else {
            out += c;
        }
    }
    return out + '"';
}

void write_spread(std::ostream& out, const char* name, const Spread& spread) {
    out << ", \"" << name << "\": {\"median\": " << spread.median << ", \"quartile1\": " << spread.low
        << ", \"quartile3\": " << spread.high << ", \"percentile10\": " << spread.fast << '}';
}

void write_result(std::ostream& out, const Result& result) {
    out << "        {\"name\": " << quoted(result.test->name) << ", \"bytes\": " << result.bytes
        << ", \"repetitions\": " << result.repetitions << ", \"steps\": " << result.steps;
    write_spread(out, "raw_ns", result.raw);
    write_spread(out, "ferry_ns", result.ferry);
    out << ", \"ratio\": " << result.ratio << ", \"ratio_low\": " << result.ratio_low
        << ", \"ratio_high\": " << result.ratio_high << ", \"ratio_fast\": " << result.ratio_fast
        << ", \"limit\": " << result.test->limit << ", \"verdict\": " << quoted(verdict(result)) << '}';
}

} // namespace

void print_header(const ferry::Device& device, const Options& options) {
    const ferry::DeviceInfo& info = device.info();
    std::printf("\n%s  %s, driver %s, timing %s%s\n", device.id().c_str(), info.name.c_str(),
                info.driver_version.c_str(), options.timing ? "on" : "off",
                options.quick ? ", quick: the times mean nothing" : "");
    std::printf("%-20s %11s %9s %11s %9s %7s %15s %7s %6s\n", "case", "raw", "+-", "Ferry", "+-", "ratio",
                "95 %", "fast", "limit");
}

void print_row(const Result& result) {
    const auto half = [](const Spread& spread) { return duration((spread.high - spread.low) / 2); };
    std::printf("%-20s %11s %9s %11s %9s %7.3f  %6.3f..%6.3f %7.3f %6.3f %s\n",
                std::string(result.test->name).c_str(), duration(result.raw.median).c_str(),
                half(result.raw).c_str(), duration(result.ferry.median).c_str(), half(result.ferry).c_str(),
                result.ratio, result.ratio_low, result.ratio_high, result.ratio_fast, result.test->limit,
                std::string(verdict(result)).c_str());
    std::fflush(stdout);
}

void write_json(std::ostream& out, const std::vector<DeviceResults>& devices, const Options& options) {
    out << "{\n  \"ferry\": " << quoted(ferry::version())
        << ",\n  \"timing\": " << (options.timing ? "true" : "false")
        << ",\n  \"quick\": " << (options.quick ? "true" : "false") << ",\n  \"devices\": [";
    const char* between = "\n";
    for (const DeviceResults& device : devices) {
        const ferry::DeviceInfo& info = device.device.info();
        out << between << "    {\"id\": " << quoted(device.device.id()) << ", \"name\": " << quoted(info.name)
            << ", \"platform\": " << quoted(info.platform)
            << ", \"driver_version\": " << quoted(info.driver_version) << ", \"results\": [\n";
        for (std::size_t i = 0; i < device.results.size(); ++i) {
            write_result(out, device.results[i]);
            out << (i + 1 < device.results.size() ? ",\n" : "\n");
        }
        out << "    ]}";
        between = ",\n";
    }
    out << "\n  ]\n}\n";
}

} // namespace bench
