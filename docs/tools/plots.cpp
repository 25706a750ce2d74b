// SPDX-License-Identifier: Apache-2.0
// Draws the plots of docs/data/*.json: ferry_docs_plots FOLDER FILE.json ... writes the SVG files into
// FOLDER. The format is described in docs/bench.md, "Plots of the documents".
#include "plot.hpp"
#include "ratios.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>

namespace {

using Json = nlohmann::json;

std::string text(const Json& drawing, const char* name) {
    return drawing.value(name, std::string());
}

bool fits(const Json& row, const Json& where) {
    return std::all_of(where.items().begin(), where.items().end(), [&](const auto& item) {
        return row.contains(item.key()) && row.at(item.key()) == item.value();
    });
}

const Json& rows_of(const Json& data, const Json& drawing) {
    return data.at("tables").at(drawing.at("table").get<std::string>()).at("rows");
}

plot::Plot lines(const Json& data, const Json& drawing) {
    plot::Plot result{.title = drawing.at("title"),
                      .subtitle = text(drawing, "subtitle"),
                      .x_label = drawing.at("x"),
                      .y_label = drawing.at("y"),
                      .lines = {}};
    double first = 0;
    double last = 0;
    for (const Json& line : drawing.at("lines")) {
        const bool dashed = text(line, "style") == "dashed";
        plot::Line drawn{line.at("name"), {}, dashed ? plot::Style::dashed : plot::Style::solid};
        for (const Json& row : rows_of(data, drawing)) {
            const std::string value = line.at("value");
            if (!fits(row, line.at("where")) || !row.contains(value)) {
                continue;
            }
            const double bytes = row.at("bytes");
            const double y = row.at(value);
            const double shown = line.contains("rate") ? line.at("rate").get<double>() * bytes / y / 1e9
                                                       : y * line.value("scale", 1.0);
            drawn.points.push_back({bytes, shown});
            first = first == 0 ? bytes : std::min(first, bytes);
            last = std::max(last, bytes);
        }
        if (drawn.points.empty()) {
            throw std::runtime_error("no row fits the line " + drawn.name);
        }
        result.lines.push_back(drawn);
    }
    for (const Json& bound : drawing.value("bounds", Json::array())) {
        const double y = bound.at("value");
        result.lines.push_back({bound.at("name"), {{first, y}, {last, y}}, plot::Style::bound});
    }
    return result;
}

/// A number, the results of several runs, or a median with an interval.
plot::Ratio ratio(const Json& value) {
    if (value.is_array()) {
        auto runs = value.get<std::vector<double>>();
        std::sort(runs.begin(), runs.end());
        const std::size_t middle = runs.size() / 2;
        const double median = runs.size() % 2 != 0 ? runs[middle] : (runs[middle - 1] + runs[middle]) / 2;
        return {median, runs.front(), runs.back()};
    }
    if (value.is_object()) {
        const double median = value.at("median");
        return {median, value.value("low", median), value.value("high", median)};
    }
    return {value.get<double>(), value.get<double>(), value.get<double>()};
}

plot::Ratios ratios(const Json& data, const Json& drawing) {
    plot::Ratios result{.title = drawing.at("title"),
                        .subtitle = text(drawing, "subtitle"),
                        .x_label = drawing.at("x"),
                        .aim_name = text(drawing, "aim_name"),
                        .rows = {},
                        .aims = {},
                        .series = {}};
    for (const Json& series : drawing.at("series")) {
        result.series.push_back({series.at("name"), {}});
    }
    const std::string aim = text(drawing, "aim");
    for (const Json& row : rows_of(data, drawing)) {
        std::string label = row.at("figure");
        if (row.contains("bytes")) {
            label += ", " + plot::bytes_text(row.at("bytes"));
        }
        std::vector<std::optional<plot::Ratio>> marks;
        for (const Json& series : drawing.at("series")) {
            const std::string value = series.at("value");
            marks.push_back(row.contains(value) ? std::optional(ratio(row.at(value))) : std::nullopt);
            if (marks.back() && series.contains("over")) {
                const double over = row.at(series.at("over").get<std::string>());
                marks.back() = {marks.back()->value / over, marks.back()->low / over,
                                marks.back()->high / over};
            }
        }
        if (std::none_of(marks.begin(), marks.end(), [](const auto& mark) { return mark.has_value(); })) {
            continue;
        }
        result.rows.push_back(label);
        for (std::size_t i = 0; i < marks.size(); ++i) {
            result.series[i].ratios.push_back(marks[i]);
        }
        result.aims.push_back(row.contains(aim) ? std::optional(row.at(aim).get<double>()) : std::nullopt);
    }
    return result;
}

void draw(const std::filesystem::path& file, const std::filesystem::path& folder) {
    std::ifstream stream{file};
    const Json data = Json::parse(stream);
    for (const Json& drawing : data.at("plots")) {
        const std::filesystem::path picture = folder / drawing.at("file").get<std::string>();
        if (drawing.contains("series")) {
            ratios(data, drawing).write_svg(picture);
        } else {
            lines(data, drawing).write_svg(picture);
        }
    }
}

} // namespace

int main(int count, char** arguments) {
    if (count < 3) {
        std::cerr << "usage: ferry_docs_plots FOLDER FILE.json ...\n";
        return 2;
    }
    for (int i = 2; i < count; ++i) {
        try {
            std::filesystem::create_directories(arguments[1]);
            draw(arguments[i], arguments[1]);
        } catch (const std::exception& error) {
            std::cerr << arguments[i] << ": " << error.what() << '\n';
            return 1;
        }
    }
    return 0;
}
