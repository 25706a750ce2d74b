// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "text.hpp"
#include "trace_summary.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <iostream>

namespace cli {
namespace {

/// Three digits before or after the point: "1234", "12.3", "0.012".
std::string digits(double value) {
    if (value == 0) {
        return "0";
    }
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(),
                  value >= 100  ? "%.0f"
                  : value >= 10 ? "%.1f"
                  : value >= 1  ? "%.2f"
                                : "%.3f",
                  value);
    return text.data();
}

/// "12.3 us", "1.20 ms", "3.50 s"
std::string duration(double us) {
    return us >= 1e6 ? digits(us / 1e6) + " s" : us >= 1e3 ? digits(us / 1e3) + " ms" : digits(us) + " us";
}

std::string right(const std::string& text, std::size_t width) {
    return std::string(width - std::min(width, text_width(text)), ' ') + text;
}

constexpr std::size_t name_width = 30;
constexpr std::size_t number_width = 11;

std::string short_name(const std::string& name) {
    const std::string text = printable(name);
    return text_width(text) <= name_width ? text : text.substr(0, name_width - 3) + "...";
}

void print_head(const char* what, bool bytes) {
    std::cout << "  " << padded(what, name_width) << right("count", number_width)
              << right("total", number_width) << right("mean", number_width)
              << right("longest", number_width);
    if (bytes) {
        std::cout << right("moved", number_width) << right("GB/s", number_width);
    }
    std::cout << '\n';
}

void print(const TraceRow& row) {
    std::cout << "  " << padded(short_name(row.name), name_width)
              << right(std::to_string(row.count), number_width) << right(duration(row.total), number_width)
              << right(duration(row.mean()), number_width) << right(duration(row.longest), number_width);
    if (row.bytes != 0) {
        std::cout << right(bytes_text(row.bytes), number_width)
                  << right(digits(row.bandwidth()), number_width);
    }
    std::cout << '\n';
}

void print_kind(const TraceDevice& device, bool kernels, const char* what) {
    bool first = true;
    for (const TraceRow& row : device.rows) {
        if (row.kernel == kernels) {
            if (first) {
                print_head(what, !kernels);
            }
            first = false;
            print(row);
        }
    }
}

std::string share(double part, double whole) {
    return whole > 0 ? " (" + digits(100 * part / whole) + " %)" : "";
}

void print(const TraceDevice& device) {
    std::cout << '\n'
              << printable(device.name) << ", "
              << counted(static_cast<std::ptrdiff_t>(device.queues), "queue") << '\n';
    std::cout << "  from the first to the last command " << duration(device.span()) << ", busy "
              << duration(device.busy) << share(device.busy, device.span()) << ", idle "
              << duration(device.idle()) << share(device.idle(), device.span()) << '\n';
    if (device.longest_idle > 0) {
        std::cout << "  longest time without a command " << duration(device.longest_idle) << ", "
                  << duration(device.longest_idle_at) << " after the start\n";
    }
    std::cout << "  several commands at a time " << duration(device.overlap)
              << share(device.overlap, device.busy) << ", a kernel beside another command "
              << duration(device.copy_beside) << share(device.copy_beside, device.busy) << '\n';
    for (const auto& [count, what] : {std::pair{device.failed, "failed"},
                                      {device.unfinished, "were unfinished"},
                                      {device.untimed, "have no device time"}}) {
        if (count != 0) {
            std::cout << "  " << counted(static_cast<std::ptrdiff_t>(count), "command") << ' ' << what
                      << '\n';
        }
    }
    print_kind(device, true, "kernel");
    print_kind(device, false, "copies and other commands");
}

void print_host(const char* title, const char* what, const std::vector<TraceRow>& rows) {
    if (rows.empty()) {
        return;
    }
    std::cout << '\n' << title << '\n';
    print_head(what, false);
    for (const TraceRow& row : rows) {
        print(row);
    }
}

nlohmann::ordered_json rows_json(const std::vector<TraceRow>& rows, bool commands) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const TraceRow& row : rows) {
        nlohmann::ordered_json one{{"name", row.name}};
        if (commands) {
            one["kernel"] = row.kernel;
        }
        one["count"] = row.count;
        one["total_us"] = row.total;
        one["mean_us"] = row.mean();
        one["longest_us"] = row.longest;
        if (commands) {
            one["bytes"] = row.bytes;
            one["gb_per_s"] = row.bandwidth();
        }
        all.push_back(std::move(one));
    }
    return all;
}

nlohmann::ordered_json to_json(const TraceSummary& summary) {
    nlohmann::ordered_json all;
    all["partial"] = summary.partial;
    all["ended"] = summary.ended;
    all["devices"] = nlohmann::ordered_json::array();
    for (const TraceDevice& device : summary.devices) {
        all["devices"].push_back({{"name", device.name},
                                  {"queues", device.queues},
                                  {"span_us", device.span()},
                                  {"busy_us", device.busy},
                                  {"idle_us", device.idle()},
                                  {"longest_idle_us", device.longest_idle},
                                  {"longest_idle_at_us", device.longest_idle_at},
                                  {"overlap_us", device.overlap},
                                  {"kernel_beside_others_us", device.copy_beside},
                                  {"failed", device.failed},
                                  {"unfinished", device.unfinished},
                                  {"untimed", device.untimed},
                                  {"commands", rows_json(device.rows, true)}});
    }
    all["ranges"] = rows_json(summary.ranges, false);
    all["calls"] = rows_json(summary.calls, false);
    return all;
}

} // namespace

Status trace(const std::string& file, bool json) {
    const TraceSummary summary = summarise_trace(file);
    if (json) {
        std::cout << to_json(summary).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                  << '\n';
        return found;
    }
    std::cout << printable(file)
              << (summary.partial ? ", of a process that did not end normally or is still running" : "")
              << '\n';
    if (!summary.ended.empty()) {
        std::cout << "The trace ended early: " << printable(summary.ended) << '\n';
    }
    if (summary.devices.empty()) {
        std::cout << "No device had a command.\n";
    }
    for (const TraceDevice& device : summary.devices) {
        print(device);
    }
    print_host("Ranges of the program", "range", summary.ranges);
    print_host("Threads of the program, time in calls", "call", summary.calls);
    return found;
}

} // namespace cli
