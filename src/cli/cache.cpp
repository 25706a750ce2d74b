// SPDX-License-Identifier: Apache-2.0
#include "base/wrapped.hpp"
#include "commands.hpp"
#include "text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iostream>
#include <numeric>

namespace cli {

namespace {

using Json = nlohmann::ordered_json;
using Time = std::chrono::system_clock::time_point;

constexpr std::size_t longest_value = 48;
constexpr std::size_t columns = 4;
using Row = std::array<std::string, columns>;

std::string age_text(Time time) {
    struct Unit {
        long long seconds;
        const char* name;
    };
    constexpr std::array<Unit, 3> units{{{86400, "day"}, {3600, "hour"}, {60, "minute"}}};
    const auto age = std::chrono::system_clock::now() - time;
    const long long seconds =
        std::max(0LL, static_cast<long long>(std::chrono::ceil<std::chrono::seconds>(age).count()));
    for (const Unit& unit : units) {
        if (const long long count = seconds / unit.seconds; count > 0) {
            return std::to_string(count) + ' ' + unit.name + (count == 1 ? "" : "s");
        }
    }
    return std::to_string(seconds) + (seconds == 1 ? " second" : " seconds");
}

/// Fits on one line. A long text, such as a kernel source, is replaced by its length.
std::string field_text(const ferry::CacheField& field) {
    const bool short_enough = field.bytes <= longest_value && field.value.find('\n') == std::string::npos;
    const std::string value = short_enough ? field.value : '(' + bytes_text(field.bytes) + ')';
    return printable(field.name + '=' + value);
}

Row row_of(const ferry::CacheEntry& entry) {
    std::string what = entry.damaged ? "damaged; it will not be loaded" : "";
    for (const ferry::CacheField& field : entry.fields) {
        what += (what.empty() ? "" : " ") + field_text(field);
    }
    return {age_text(entry.used), age_text(entry.stored), bytes_text(entry.bytes), what};
}

void print(const ferry::CacheReport& report) {
    std::cout << "directory  " << printable(report.directory) << '\n'
              << "entries    " << report.entries.size() << ", " << bytes_text(report.bytes) << " of at most "
              << bytes_text(report.limit) << '\n';
    std::vector<Row> rows{{"used", "stored", "size", "what"}};
    for (const ferry::CacheEntry& entry : report.entries) {
        rows.push_back(row_of(entry));
    }
    std::array<std::size_t, columns> widths{};
    for (const Row& row : rows) {
        for (std::size_t i = 0; i + 1 < columns; ++i) {
            widths[i] = std::max(widths[i], text_width(row[i]));
        }
    }
    if (rows.size() == 1) {
        return;
    }
    const std::size_t before = std::accumulate(widths.begin(), widths.end(), 2 * (columns - 1));
    std::cout << '\n';
    for (const Row& row : rows) {
        for (std::size_t i = 0; i + 1 < columns; ++i) {
            std::cout << padded(row[i], widths[i] + 2);
        }
        std::cout << ferry::detail::wrapped(row.back(), before, before) << '\n';
    }
}

Json unix_time(Time time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

Json or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

void print(const Json& json) {
    std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

Json to_json(const ferry::CacheReport& report) {
    Json json{{"directory", or_null(report.directory)},
              {"usable", report.usable},
              {"note", or_null(report.note)},
              {"limit", report.limit},
              {"bytes", report.bytes},
              {"entries", Json::array()}};
    for (const ferry::CacheEntry& entry : report.entries) {
        Json key = Json::array();
        for (const ferry::CacheField& field : entry.fields) {
            key.push_back({{"name", field.name}, {"value", field.value}, {"bytes", field.bytes}});
        }
        json["entries"].push_back({{"file", entry.file},
                                   {"bytes", entry.bytes},
                                   {"stored", unix_time(entry.stored)},
                                   {"used", unix_time(entry.used)},
                                   {"damaged", entry.damaged},
                                   {"key", key}});
    }
    return json;
}

Status tell(const std::string& note, bool well) {
    if (!note.empty()) {
        std::cerr << note << '\n';
    }
    return well ? found : none;
}

} // namespace

Status show_cache(bool json) {
    const ferry::CacheReport report = ferry::cache_report();
    if (json) {
        print(to_json(report));
    } else if (report.usable) {
        print(report);
    }
    return tell(report.note, report.usable);
}

Status clear_cache(bool json) {
    const ferry::CacheCleared cleared = ferry::clear_cache();
    if (json) {
        print(Json{{"files", cleared.files}, {"bytes", cleared.bytes}, {"note", or_null(cleared.note)}});
    } else if (cleared.note.empty() || cleared.files != 0) {
        std::cout << "removed " << cleared.files << (cleared.files == 1 ? " file, " : " files, ")
                  << bytes_text(cleared.bytes) << '\n';
    }
    return tell(cleared.note, cleared.note.empty());
}

} // namespace cli
