// SPDX-License-Identifier: Apache-2.0
#include "disk_cache.hpp"

#include "base/no_destructor.hpp"
#include "entry.hpp"
#include "entry_file.hpp"
#include "sweep.hpp"

#include <algorithm>

namespace ferry::cache {
namespace {

constexpr unsigned half = 32;

} // namespace

std::optional<std::string> DiskCache::load(const Key& key) noexcept {
    if (off()) {
        return std::nullopt;
    }
    try {
        Failure failure;
        const detail::FileDescriptor directory = open_directory(location_, false, failure);
        if (directory) {
            const std::string name = file_name(key.text());
            EntryFile file = read_entry_file(directory, name);
            const std::optional<Entry> entry =
                file.outcome == Outcome::read ? decode(file.bytes) : std::nullopt;
            if (entry && entry->key == key.text()) {
                touch(file);
                ++hits_;
                const auto begin = static_cast<std::size_t>(entry->value.data() - file.bytes.data());
                const std::size_t size = entry->value.size();
                file.bytes.resize(begin + size);
                file.bytes.erase(0, begin);
                return std::move(file.bytes);
            }
            if (file.outcome == Outcome::damaged || (file.outcome == Outcome::read && !entry)) {
                remove_entry_file(directory, name, file);
                ++damaged_;
            }
            failed_loads_ += file.outcome == Outcome::failed ? 1 : 0;
            failure = file.failure;
        }
        remember(failure);
    } catch (...) {
        remember({Failure::Step::memory, 0});
    }
    ++misses_;
    return std::nullopt;
}

void DiskCache::store(const Key& key, std::string_view bytes) noexcept {
    if (off()) {
        return;
    }
    try {
        const Entry entry{key.text(), bytes};
        const std::uint64_t size = encoded_size(entry);
        Failure failure;
        if (size > std::min(location_.limit, largest_entry)) {
            failure = {Failure::Step::too_large, 0};
        } else if (const detail::FileDescriptor directory = open_directory(location_, true, failure)) {
            if (!make_room(directory, size)) {
                failure = {Failure::Step::busy, 0};
            } else {
                TemporaryFile temporary(directory);
                if (temporary.publish(encode(entry), file_name(key.text()))) {
                    ++stores_;
                    return;
                }
                failure = temporary.failure();
            }
        }
        remember(failure);
    } catch (...) {
        remember({Failure::Step::memory, 0});
    }
    ++failed_stores_;
}

bool DiskCache::make_room(const detail::FileDescriptor& directory, std::uint64_t coming) {
    const auto size = static_cast<std::int64_t>(coming);
    if (until_sweep_.fetch_sub(size) >= size) {
        return true;
    }
    const Swept swept = sweep(directory, location_.limit, coming);
    std::uint64_t more = 0;
    if (swept.by != Swept::By::nobody) {
        evicted_ += swept.evicted;
        abandoned_ += swept.abandoned;
        more = std::min(location_.limit / 64, location_.limit - std::min(location_.limit, swept.bytes));
    }
    until_sweep_ = static_cast<std::int64_t>(more);
    return swept.by != Swept::By::nobody;
}

void DiskCache::remember(const Failure& failure) noexcept {
    if (failure && failure.step != Failure::Step::missing) {
        last_failure_ = (static_cast<std::uint64_t>(failure.step) << half) | failure.number;
    }
}

Failure DiskCache::last_failure() const noexcept {
    const std::uint64_t packed = last_failure_;
    return {static_cast<Failure::Step>(packed >> half), static_cast<std::uint32_t>(packed)};
}

DiskCache& shared() {
    static detail::NoDestructor<DiskCache> cache(location_from_environment());
    return *cache;
}

} // namespace ferry::cache
