// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cstdio>
#include <string_view>

namespace bench {

namespace {

std::string_view verdict(const Result& result) {
    if (result.figure.ratio.median <= result.test->limit) {
        return "within";
    }
    return result.figure.ratio.low <= result.test->limit ? "unclear" : "OVER";
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
    const Figure& figure = result.figure;
    out << "        {\"name\": " << quoted(result.test->what.name) << ", \"bytes\": " << figure.bytes
        << ", \"repetitions\": " << figure.pairs << ", \"steps\": " << figure.steps;
    write_spread(out, "raw_ns", figure.raw);
    write_spread(out, "ferry_ns", figure.ferry);
    out << ", \"ratio\": " << figure.ratio.median << ", \"ratio_low\": " << figure.ratio.low
        << ", \"ratio_high\": " << figure.ratio.high << ", \"ratio_fast\": " << figure.ratio_fast
        << ", \"limit\": " << result.test->limit << ", \"verdict\": " << quoted(verdict(result)) << '}';
}

} // namespace

void print_header(const ferry::Device& device, const CallsOptions& options) {
    const ferry::DeviceInfo& info = device.info();
    std::printf("\n%s  %s, driver %s, timing %s%s\n", device.id().c_str(), info.name.c_str(),
                info.driver_version.c_str(), options.timing ? "on" : "off",
                options.quick ? ", quick: the times are not meaningful" : "");
    std::printf("%-20s %11s %9s %11s %9s %7s %15s %7s %6s\n", "case", "raw", "+-", "Ferry", "+-", "ratio",
                "95 %", "fast", "limit");
}

void print_row(const Result& result) {
    const Figure& figure = result.figure;
    const auto half = [](const Spread& spread) { return duration_text((spread.high - spread.low) / 2); };
    std::printf("%-20s %11s %9s %11s %9s %7.3f  %6.3f..%6.3f %7.3f %6.3f %s\n",
                std::string(result.test->what.name).c_str(), duration_text(figure.raw.median).c_str(),
                half(figure.raw).c_str(), duration_text(figure.ferry.median).c_str(),
                half(figure.ferry).c_str(), figure.ratio.median, figure.ratio.low, figure.ratio.high,
                figure.ratio_fast, result.test->limit, std::string(verdict(result)).c_str());
    std::fflush(stdout);
}

void write_json(std::ostream& out, const std::vector<DeviceResults>& devices, const CallsOptions& options) {
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
