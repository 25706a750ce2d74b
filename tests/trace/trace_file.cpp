// SPDX-License-Identifier: Apache-2.0
#include "trace_file.hpp"

#include <fstream>
#include <stdexcept>

namespace trace_test {

TraceFile::TraceFile(const std::filesystem::path& file) {
    std::ifstream stream(file);
    const nlohmann::json document = nlohmann::json::parse(stream);
    for (const nlohmann::json& event : document.at("traceEvents")) {
        const std::string phase = event.at("ph");
        const std::string name = event.at("name");
        const Row row{event.at("pid"), event.at("tid")};
        const double time = event.at("ts");
        if (phase == "M") {
            const std::string value = event.at("args").at("name");
            if (name == "process_name") {
                groups[row.first] = value;
            } else if (!rows.emplace(row, value).second) {
                throw std::runtime_error("row " + value + " has two names");
            }
        } else if (phase == "X") {
            const double duration = event.at("dur");
            slices[row].push_back({name, time, time + duration,
                                   event.contains("args") ? event["args"] : nlohmann::json::object()});
        } else if (phase == "s") {
            begins[event.at("id")].push_back({row.first, row.second, time});
        } else if (phase == "f") {
            if (event.at("bp") != "e") {
                throw std::runtime_error("an arrow does not end at the slice around it");
            }
            ends[event.at("id")].push_back({row.first, row.second, time});
        } else if (phase == "i" && name == "clock calibration") {
            calibrations[row].push_back(event.at("args").at("error_us"));
        } else if (phase == "i" && name == "end of the trace") {
            reason = event.at("args").at("reason");
        } else {
            throw std::runtime_error("unknown event: " + event.dump());
        }
    }
}

std::vector<TraceFile::Row> TraceFile::queues(const std::string& device) const {
    std::vector<Row> found;
    for (const auto& [row, name] : rows) {
        const auto group = groups.find(row.first);
        if (name.starts_with("queue ") && group != groups.end() && group->second.starts_with(device + " ")) {
            found.push_back(row);
        }
    }
    return found;
}

} // namespace trace_test
