// SPDX-License-Identifier: Apache-2.0
#include "disk_cache.hpp"
#include "entry.hpp"
#include "entry_file.hpp"
#include "sweep.hpp"

#include <algorithm>

namespace ferry::cache {
namespace {

constexpr std::size_t shown = 256;

std::chrono::system_clock::time_point time_of(std::chrono::nanoseconds since_1970) {
    using Clock = std::chrono::system_clock;
    return Clock::time_point(std::chrono::duration_cast<Clock::duration>(since_1970));
}

CacheEntry describe(const detail::FileDescriptor& directory, const std::string& name,
                    const detail::FileStatus& status) {
    CacheEntry result;
    result.file = name;
    result.bytes = status.bytes;
    result.stored = time_of(status.written);
    result.used = time_of(status.used);
    const EntryFile file = read_entry_file(directory, name);
    const std::optional<Entry> entry = file.outcome == Outcome::read ? decode(file.bytes) : std::nullopt;
    const std::optional<Fields> fields = entry ? fields_of(entry->key) : std::nullopt;
    if (!fields) {
        result.damaged = true;
        return result;
    }
    for (const auto& [field, value] : *fields) {
        result.fields.push_back({std::string(field), std::string(value.substr(0, shown)), value.size()});
    }
    return result;
}

} // namespace

CacheStatistics DiskCache::statistics() const noexcept {
    CacheStatistics statistics;
    statistics.hits = hits_;
    statistics.misses = misses_;
    statistics.stores = stores_;
    statistics.failed_stores = failed_stores_;
    statistics.failed_loads = failed_loads_;
    statistics.damaged = damaged_;
    statistics.evicted = evicted_;
    statistics.abandoned = abandoned_;
    return statistics;
}

std::string DiskCache::note() const {
    if (off()) {
        return location_.note;
    }
    Failure now;
    open_directory(location_, false, now);
    now = now.step == Failure::Step::missing ? whether_it_can_be_made(location_) : now;
    std::string text = text_of(now, location_);
    return text.empty() ? text_of(last_failure(), location_) : text;
}

CacheReport DiskCache::report() const {
    CacheReport report;
    report.directory = location_.directory;
    report.limit = location_.limit;
    report.note = note();
    report.statistics = statistics();
    if (off()) {
        return report;
    }
    Failure failure;
    const detail::FileDescriptor directory = open_directory(location_, false, failure);
    report.usable = directory || (failure.step == Failure::Step::missing &&
                                  whether_it_can_be_made(location_).step == Failure::Step::missing);
    if (!directory) {
        return report;
    }
    detail::list_files(directory, [&](const char* name, const detail::FileStatus& status) {
        if (is_file_name(name)) {
            report.entries.push_back(describe(directory, name, status));
            report.bytes += report.entries.back().bytes;
        }
    });
    std::stable_sort(report.entries.begin(), report.entries.end(),
                     [](const CacheEntry& a, const CacheEntry& b) { return a.used > b.used; });
    return report;
}

CacheCleared DiskCache::clear() {
    if (off()) {
        return {0, 0, location_.note};
    }
    Failure failure;
    const detail::FileDescriptor directory = open_directory(location_, false, failure);
    if (!directory) {
        const bool missing = failure.step == Failure::Step::missing;
        return {0, 0, text_of(missing ? whether_it_can_be_made(location_) : failure, location_)};
    }
    const Cleared cleared = remove_all(directory);
    CacheCleared result{cleared.files, cleared.bytes, {}};
    if (cleared.failed != 0) {
        result.note = text_of({Failure::Step::remove, static_cast<std::uint32_t>(cleared.error)}, location_);
    }
    return result;
}

} // namespace ferry::cache

namespace ferry {

CacheReport cache_report() {
    return cache::shared().report();
}

CacheCleared clear_cache() {
    return cache::shared().clear();
}

} // namespace ferry
