// SPDX-License-Identifier: Apache-2.0
#include "cache/disk_cache.hpp"
#include "cache_torture.hpp"

#include <sys/resource.h>

namespace torture {
namespace {

constexpr std::uint64_t keys = 600;
// An entry of another version under the same name must not be used by this version.
constexpr const char* versions[] = {"0.1.0", "0.1.1"};

ferry::cache::Key key_of(std::uint64_t number, std::uint64_t version) {
    ferry::cache::Key key(versions[version]);
    key.add("number", number).add("source", std::string(number * 7 % 900, 's'));
    return key;
}

/// The only correct bytes for this key.
std::string value_of(std::uint64_t number, std::uint64_t version) {
    Random random(number + version * keys);
    std::string value(random() % (number % 10 == 0 ? 200000 : 5000), '\0');
    for (char& c : value) {
        c = static_cast<char>(random());
    }
    return value;
}

} // namespace

int work(const Place& place, Tally& tally, std::uint64_t seed) {
    if (place.largest_file != 0) {
        const struct rlimit most { place.largest_file, place.largest_file };
        ::setrlimit(RLIMIT_FSIZE, &most);
    }
    Random random(seed);
    const std::uint64_t version = random() % 2;
    ferry::cache::DiskCache cache({place.directory, "", place.limit, {}});
    ferry::CacheStatistics before;
    while (!tally.stop) {
        const std::uint64_t number = random() % keys;
        const std::optional<std::string> found = cache.load(key_of(number, version));
        ++tally.loads;
        if (found) {
            ++(*found == value_of(number, version) ? tally.right_of[version] : tally.wrong);
        }
        if (!found || random() % 8 == 0) {
            cache.store(key_of(number, version), value_of(number, version));
        }
        if (random() % 10000 == 0) {
            cache.clear();
            ++tally.clears;
        }
        if (random() % 1000 == 0) {
            cache.report();
        }
        const ferry::CacheStatistics now = cache.statistics();
        tally.add(now, before);
        before = now;
    }
    return 0;
}

} // namespace torture
