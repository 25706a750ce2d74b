// SPDX-License-Identifier: Apache-2.0
#include "base/decimal.hpp"
#include "commands.hpp"
#include "placement_run.hpp"
#include "plot.hpp"
#include "text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <map>

namespace cli {
namespace {

using Json = nlohmann::ordered_json;

void print(const PlacementCell& cell) {
    using ferry::detail::decimal;
    const auto us = [](double seconds) { return decimal(seconds * 1e6, 1) + " us"; };
    const double regret = cell.regret() * 100;
    std::cout << std::setw(9) << plot::bytes_text(static_cast<double>(cell.bytes)) << "  "
              << padded(cell.intent, 15) << ' ' << padded(to_string(cell.chosen), 8) << ' ' << std::setw(13)
              << us(cell.seconds()) << "   best " << padded(to_string(cell.best().placement), 8) << ' '
              << std::setw(13) << us(cell.best().seconds) << "   " << std::setw(6)
              << (regret < 0 ? "" : "+") + decimal(regret, 1) << " %"
              << (cell.good() ? "" : "  beyond 5 % + 2 us") << std::endl;
}

Json to_json(const ferry::Device& device, bool page_locked, const std::vector<PlacementCell>& cells) {
    Json rows = Json::array();
    for (const PlacementCell& cell : cells) {
        Json forced = Json::object();
        Json predicted = Json::object();
        for (const PlacementCell::Forced& one : cell.forced) {
            forced[std::string(to_string(one.placement))] = one.seconds;
            predicted[std::string(to_string(one.placement))] = one.predicted_seconds;
        }
        rows.push_back({{"bytes", cell.bytes},
                        {"intent", cell.intent},
                        {"chosen", to_string(cell.chosen)},
                        {"seconds", cell.seconds()},
                        {"free_seconds", cell.free_seconds},
                        {"forced_seconds", forced},
                        {"predicted_seconds", predicted},
                        {"rounds", cell.rounds},
                        {"regret", cell.regret()},
                        {"good", cell.good()}});
    }
    return {
        {"device", device.id()}, {"name", device.info().name}, {"page_locked", page_locked}, {"cells", rows}};
}

void write_plot(const ferry::Device& device, const std::vector<PlacementCell>& cells,
                const std::string& folder) {
    plot::Plot picture{.title = "Time of the chosen placement",
                       .subtitle = device.info().name,
                       .x_label = "size, bytes",
                       .y_label = "time, us",
                       .lines = {}};
    std::map<std::string, std::pair<plot::Line, plot::Line>> lines;
    for (const PlacementCell& cell : cells) {
        auto& [chosen, best] = lines[cell.intent];
        chosen.name = cell.intent;
        best.name = "the best placement";
        best.style = plot::Style::dashed;
        chosen.points.push_back({static_cast<double>(cell.bytes), cell.seconds() * 1e6});
        best.points.push_back({static_cast<double>(cell.bytes), cell.best().seconds * 1e6});
    }
    for (auto& [name, pair] : lines) {
        picture.lines.push_back(pair.first);
        picture.lines.push_back(pair.second);
    }
    std::string name = "placement-" + device.id() + ".svg";
    std::replace(name.begin(), name.end(), ':', '-');
    std::filesystem::create_directories(folder);
    picture.write_svg(std::filesystem::path(folder) / name);
    std::cerr << "wrote " << (std::filesystem::path(folder) / name).string() << '\n';
}

} // namespace

Status bench_placement(const BenchCommand& command) {
    std::vector<ferry::Device> devices;
    devices.reserve(command.devices.size());
    for (const std::string& selector : command.devices) {
        devices.push_back(ferry::find_device(selector));
    }
    if (devices.empty()) {
        devices = ferry::devices();
    }
    Status status = found;
    Json all = Json::array();
    for (const ferry::Device& device : devices) {
        const bool processor = device.info().kind == ferry::DeviceKind::cpu;
        std::size_t largest =
            command.largest != 0 ? command.largest : std::size_t{processor ? 64U : 1024U} << 20;
        if (device.info().max_allocation != 0) { // The limit is known.
            largest = std::min<std::size_t>(largest, device.info().max_allocation / 2);
        }
        largest = std::min(largest, std::size_t{1} << 30);
        if (command.quick) {
            largest = std::min<std::size_t>(largest, 64 << 10);
        }
        const int rounds = command.quick ? 2 : command.pairs != 0 ? command.pairs : 15;
        if (!command.json) {
            std::cout << device.id() << " (" << printable(device.info().name) << ')'
                      << (command.page_locked ? ", page-locked memory" : "") << '\n';
        }
        try {
            const auto each = [&](const PlacementCell& cell) {
                if (!command.json) {
                    print(cell);
                }
            };
            const auto cells =
                measure_placements(device, largest, rounds, command.page_locked, !command.quick, each);
            const auto good =
                std::count_if(cells.begin(), cells.end(), [](const auto& c) { return c.good(); });
            if (!command.json) {
                std::cout << good << " of " << cells.size() << " within 5 % and 2 us of the best\n";
            }
            all.push_back(to_json(device, command.page_locked, cells));
            if (!command.plot.empty() && !cells.empty()) {
                write_plot(device, cells, command.plot);
            }
        } catch (const std::exception& error) {
            std::cerr << device.id() << ": " << error.what() << '\n';
            all.push_back({{"device", device.id()}, {"name", device.info().name}, {"error", error.what()}});
            status = refused;
        }
    }
    if (command.json) {
        std::cout << all.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    }
    return status;
}

} // namespace cli
