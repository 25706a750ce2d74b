// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <ctime>

namespace bench {

namespace {

using Json = nlohmann::ordered_json;

std::string_view text(Timing timing) {
    constexpr std::string_view names[] = {"enqueue", "pipelined", "each", "device"};
    return names[static_cast<std::size_t>(timing)];
}

Json known(double value) {
    return value > 0 ? Json(value) : Json(nullptr);
}

Json words(std::string_view value) {
    return value.empty() ? Json(nullptr) : Json(value);
}

std::string now() {
    const std::time_t time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm parts{};
    gmtime_r(&time, &parts);
    char buffer[32];
    std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return buffer;
}

Json line_json(const ferry::Device& device, const Line& line) {
    const Figure& figure = line.figure;
    const auto seconds = [](double ns) { return ns / 1e9; };
    const auto quartiles = [&](const Spread& spread) {
        return Json{seconds(spread.low), seconds(spread.high)};
    };
    const double traffic = static_cast<double>(figure.bytes) * line.what->traffic;
    Json json;
    json["name"] = line.what->name;
    json["device"] = device.id();
    json["bytes"] = figure.bytes;
    json["seconds"] = seconds(figure.ferry.median);
    json["raw_seconds"] = figure.compared ? Json(seconds(figure.raw.median)) : Json(nullptr);
    json["why_no_raw"] = words(figure.why_not_compared);
    json["ratio_to_raw"] = figure.compared ? Json(figure.ratio.median) : Json(nullptr);
    json["ratio_interval"] = figure.compared ? Json{figure.ratio.low, figure.ratio.high} : Json(nullptr);
    json["limit_seconds"] = known(seconds(line.bound_ns));
    json["bytes_per_second"] =
        line.what->bound != Bound::none ? Json(traffic / seconds(figure.ferry.median)) : Json(nullptr);
    json["quartiles"] = quartiles(figure.ferry);
    json["raw_quartiles"] = figure.compared ? quartiles(figure.raw) : Json(nullptr);
    json["spread"] = figure.ferry.relative();
    json["raw_spread"] = figure.compared ? Json(figure.raw.relative()) : Json(nullptr);
    json["varied"] = figure.varied;
    json["timing"] = text(line.what->timing);
    json["clock"] = figure.device_clock ? "device" : "host";
    json["repetitions"] = figure.pairs;
    json["steps"] = figure.steps;
    return json;
}

} // namespace

std::string to_json(const std::vector<DeviceFigures>& devices, const std::vector<Failure>& failures,
                    bool quick) {
    Json json;
    json["ferry"] = ferry::version();
    json["date"] = now();
    json["quick"] = quick;
    json["devices"] = Json::array();
    json["results"] = Json::array();
    json["left_out"] = Json::array();
    json["failures"] = Json::array();
    for (const Failure& failure : failures) {
        json["failures"].push_back({{"device", failure.device.id()}, {"reason", failure.reason}});
    }
    for (const DeviceFigures& figures : devices) {
        const ferry::DeviceInfo& info = figures.device.info();
        json["devices"].push_back({{"id", figures.device.id()},
                                   {"name", info.name},
                                   {"platform", words(info.platform)},
                                   {"driver_version", words(info.driver_version)},
                                   {"largest_bytes", figures.largest},
                                   {"link", words(figures.limits.link_text())},
                                   {"link_bytes_per_second", known(figures.limits.link())},
                                   {"memory_bytes_per_second", known(figures.limits.memory())}});
        for (const Line& line : figures.lines) {
            json["results"].push_back(line_json(figures.device, line));
        }
        for (const LeftOut& left_out : figures.left_out) {
            json["left_out"].push_back(
                {{"name", left_out.what->name}, {"device", figures.device.id()}, {"reason", left_out.why}});
        }
    }
    // A driver may return text that is not valid UTF-8. Writing it must not throw.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace bench
