// SPDX-License-Identifier: Apache-2.0
#include "trace_summary.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <stdexcept>
#include <utility>

namespace cli {
namespace {

using JsonValue = nlohmann::json;

struct Edge {
    double at;
    int commands; ///< +1: a command begins. -1: a command ends.
    int kernels;

    bool operator<(const Edge& other) const noexcept {
        return at != other.at ? at < other.at : commands < other.commands; // Ends come first.
    }
};

struct Device {
    TraceDevice summary;
    std::map<std::string, TraceRow> rows;
    std::set<std::uint64_t> queues;
    std::vector<Edge> edges;
};

JsonValue read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        throw std::runtime_error("'" + path + "' cannot be read: " +
                                 std::strerror(errno)); // NOLINT(concurrency-mt-unsafe): one thread
    }
    JsonValue events = JsonValue::parse(in, nullptr, false);
    if (events.is_object() && events.contains("traceEvents")) {
        events = JsonValue(events["traceEvents"]);
    }
    const bool ours =
        events.is_array() && std::all_of(events.begin(), events.end(), [](const JsonValue& event) {
            return event.is_object() && event.contains("ph") && event["ph"].is_string();
        });
    if (!ours) {
        throw std::runtime_error("'" + path + "' is not a trace of Ferry (FERRY_TRACE writes them)");
    }
    return events;
}

double number(const JsonValue& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

std::uint64_t whole(const JsonValue& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::string text(const JsonValue& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

void add(TraceRow& row, double time, std::uint64_t bytes) {
    ++row.count;
    row.total += time;
    row.longest = std::max(row.longest, time);
    row.bytes += bytes;
}

void add_command(Device& device, const JsonValue& event) {
    const JsonValue arguments = event.value("args", JsonValue::object());
    device.queues.insert(whole(event, "tid"));
    TraceDevice& summary = device.summary;
    summary.failed += arguments.contains("failed") ? 1 : 0;
    summary.unfinished += arguments.contains("unfinished") ? 1 : 0;
    summary.untimed += arguments.contains("no device time") ? 1 : 0;
    const bool kernel = arguments.contains("grid");
    const double begin = number(event, "ts");
    const double length = number(event, "dur");
    const double time = arguments.contains("device_us") ? number(arguments, "device_us") : length;
    TraceRow& row = device.rows[(kernel ? "k" : "c") + text(event, "name")];
    row.name = text(event, "name");
    row.kernel = kernel;
    add(row, time, whole(arguments, "bytes"));
    device.edges.push_back({begin, 1, kernel ? 1 : 0});
    device.edges.push_back({begin + length, -1, kernel ? -1 : 0});
}

void measure_time(Device& device) {
    std::sort(device.edges.begin(), device.edges.end());
    TraceDevice& summary = device.summary;
    if (device.edges.empty()) {
        return;
    }
    summary.first = device.edges.front().at;
    summary.last = device.edges.back().at;
    int commands = 0;
    int kernels = 0;
    double since = summary.first;
    for (const Edge& edge : device.edges) {
        const double time = edge.at - since;
        if (commands == 0 && time > summary.longest_idle) {
            summary.longest_idle = time;
            summary.longest_idle_at = since;
        }
        summary.busy += commands > 0 ? time : 0;
        summary.overlap += commands > 1 ? time : 0;
        summary.copy_beside += kernels > 0 && commands > kernels ? time : 0;
        since = edge.at;
        commands += edge.commands;
        kernels += edge.kernels;
    }
}

std::vector<TraceRow> sorted(const std::map<std::string, TraceRow>& rows) {
    std::vector<TraceRow> all;
    all.reserve(rows.size());
    for (const auto& [key, row] : rows) {
        all.push_back(row);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const TraceRow& a, const TraceRow& b) { return a.total > b.total; });
    return all;
}

} // namespace

TraceSummary summarise_trace(const std::string& path) {
    TraceSummary summary;
    summary.partial = path.ends_with(".partial");
    std::map<std::uint64_t, Device> devices;
    std::map<std::uint64_t, std::string> names;
    std::map<std::string, TraceRow> ranges;
    std::map<std::string, TraceRow> calls;
    for (const JsonValue& event : read(path)) {
        const std::string name = text(event, "name");
        const std::string phase = event["ph"].get<std::string>();
        const std::uint64_t group = whole(event, "pid");
        const JsonValue arguments = event.value("args", JsonValue::object());
        if (phase == "M" && name == "process_name") {
            names[group] = text(arguments, "name");
        } else if (phase == "X" && text(event, "cat") == "command") {
            add_command(devices[group], event);
        } else if (phase == "X") {
            TraceRow& row = (text(event, "cat") == "range" ? ranges : calls)[name];
            row.name = name;
            add(row, number(event, "dur"), 0);
        } else if (name == "end of the trace") {
            summary.ended = text(arguments, "reason");
        }
    }
    for (auto& [group, device] : devices) {
        measure_time(device);
        device.summary.name = names[group];
        device.summary.queues = device.queues.size();
        device.summary.rows = sorted(device.rows);
        summary.devices.push_back(std::move(device.summary));
    }
    summary.ranges = sorted(ranges);
    summary.calls = sorted(calls);
    return summary;
}

} // namespace cli
