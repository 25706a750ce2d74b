// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <array>
#include <cstdio>
#include <map>
#include <set>

namespace bench {

namespace {

template <class... Values>
std::string print(const char* format, Values... values) {
    std::array<char, 512> text{};
    std::snprintf(text.data(), text.size(), format, values...);
    return text.data();
}

std::string size_text(std::size_t bytes) {
    if (bytes == 0) {
        return "";
    }
    if (bytes >= 1U << 30 && bytes % (1U << 30) == 0) {
        return print("%zu GiB", bytes >> 30);
    }
    return bytes >= 1U << 20 ? print("%zu MiB", bytes >> 20) : print("%zu KiB", bytes >> 10);
}

} // namespace

void print_head(std::ostream& out, const ferry::Device& device, std::size_t largest, bool quick) {
    const ferry::DeviceInfo& info = device.info();
    out << '\n'
        << device.id() << "  " << info.name << (info.driver_version.empty() ? "" : ", driver ")
        << info.driver_version << ", sizes up to " << size_text(largest)
        << (quick ? ", quick: the times are not meaningful" : "") << '\n'
        << print("%-24s %8s %11s %5s %11s %11s %6s %15s %9s\n", "", "size", "Ferry", "+-", "rate", "raw call",
                 "ratio", "95 %", "of limit");
}

void print_line(std::ostream& out, const Line& line) {
    const Figure& figure = line.figure;
    out << print("%-24s %8s %11s %4.0f%%", std::string(line.what->name).c_str(),
                 size_text(figure.bytes).c_str(), duration_text(figure.ferry.median).c_str(),
                 figure.ferry.relative() * 50);
    const double traffic = static_cast<double>(figure.bytes) * line.what->traffic;
    const bool has_rate = figure.bytes != 0 && line.what->bound != Bound::none;
    out << print(" %11s", has_rate ? print("%.2f GB/s", traffic / figure.ferry.median).c_str() : "");
    if (figure.compared) {
        out << print(" %11s %6.3f  %6.3f..%6.3f", duration_text(figure.raw.median).c_str(),
                     figure.ratio.median, figure.ratio.low, figure.ratio.high);
    } else {
        out << print(" %11s %6s %15s", "-", "-", "");
    }
    out << print(" %9s",
                 line.bound_ns > 0 ? print("%.1f%%", line.bound_ns / figure.ferry.median * 100).c_str() : "")
        << (figure.varied ? "  varies" : "")
        << (line.what->timing == Timing::device && !figure.device_clock ? "  wall clock" : "") << '\n'
        << std::flush;
}

void print_foot(std::ostream& out, const DeviceFigures& figures) {
    std::map<std::string, std::string> left_out;
    for (const LeftOut& one : figures.left_out) {
        std::string& names = left_out[one.why];
        names += (names.empty() ? "" : ", ") + std::string(one.what->name);
    }
    for (const auto& [why, names] : left_out) {
        out << "Skipped: " << names << ". " << why << '\n';
    }
    if (figures.lines.empty()) {
        out << "Nothing was measured.\n";
        return;
    }
    bool varied = false;
    std::set<std::string_view> why_not_compared;
    for (const Line& line : figures.lines) {
        varied = varied || line.figure.varied;
        if (!line.figure.why_not_compared.empty()) {
            why_not_compared.insert(line.figure.why_not_compared);
        }
    }
    out << "Ratio: Ferry's time over the raw call's, below 1 is faster. +-: half the distance of the "
           "quartiles. "
           "Every result was checked.\n";
    for (const std::string_view why : why_not_compared) {
        out << "-: " << why << '\n';
    }
    if (varied) {
        out << print("varies: more than %.0f%% between the quartiles of a side, even after repeating.\n",
                     too_much_variation * 100);
    }
    const Limits& limits = figures.limits;
    if (limits.link() > 0) {
        out << "Limit of the link: " << limits.link_text()
            << print(", %.1f GB/s each way", limits.link() / 1e9) << " before the packets' own overhead.\n";
    }
    if (limits.memory() > 0) {
        out << "Limit of the memory, by its clock and width: "
            << print("%.0f GB/s.\n", limits.memory() / 1e9);
    }
}

} // namespace bench
