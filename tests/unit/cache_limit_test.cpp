// SPDX-License-Identifier: Apache-2.0
#include "cache/entry_file.hpp"
#include "cache/sweep.hpp"
#include "cache_fixture.hpp"

#include <doctest/doctest.h>
#include <sys/file.h>

#include <string>

using ferry::cache::DiskCache;

TEST_CASE_FIXTURE(CacheFixture, "the entry that was used longest ago goes first") {
    const std::string value(1000, 'x');
    {
        DiskCache cache(location());
        for (int i = 0; i < 8; ++i) {
            cache.store(key(std::to_string(i)), value);
            age(file_of(key(std::to_string(i))), 800 - i * 100);
        }
        REQUIRE(cache.load(key("1"))); // makes it the entry used last
    }
    const std::uint64_t one = std::filesystem::file_size(file_of(key("0")));
    DiskCache cache(location(8 * one)); // an eighth of the size, one entry, stays free
    cache.store(key("8"), value);
    CHECK(cache.statistics().evicted == 2);
    CHECK_FALSE(cache.load(key("0")));
    CHECK(cache.load(key("1")));
    CHECK_FALSE(cache.load(key("2")));
    CHECK(cache.load(key("3")));
    CHECK(cache.load(key("8")));
    CHECK(cache.report().bytes <= 8 * one);
}

TEST_CASE_FIXTURE(CacheFixture, "one process never leaves more than the limit") {
    constexpr std::uint64_t limit = 100000;
    DiskCache cache(location(limit));
    for (int i = 0; i < 300; ++i) {
        cache.store(key(std::to_string(i)), std::string(static_cast<std::size_t>(i * 37 % 5000), 'x'));
        REQUIRE(cache.report().bytes <= limit);
    }
    CHECK(cache.statistics().evicted > 0);
    CHECK(cache.report().bytes > limit / 2);
}

TEST_CASE_FIXTURE(CacheFixture, "an entry larger than the limit is not kept, and the rest stays") {
    DiskCache cache(location(4096));
    cache.store(key("small"), "s");
    cache.store(key("large"), std::string(4096, 'l'));
    CHECK_FALSE(cache.load(key("large")));
    CHECK(cache.load(key("small")) == "s");
    CHECK(cache.statistics().failed_stores == 1);
    CHECK(cache.note().find("4096 bytes") != std::string::npos);
}

TEST_CASE_FIXTURE(CacheFixture, "temporary files of the dead are removed, those of the living are not") {
    DiskCache(location()).store(key("a"), "a");
    write(directory / ".new-1-1-dead", "half");
    age(directory / ".new-1-1-dead", 100);
    write(directory / ".new-1-2-alive", "half");
    age(directory / ".new-1-2-alive", 100);
    write(directory / ".new-1-3-young", "half");
    write(directory / "somebody's", "own");
    const int alive = ::open((directory / ".new-1-2-alive").c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(::flock(alive, LOCK_EX) == 0);

    DiskCache cache(location());
    cache.store(key("b"), "b");
    CHECK(cache.statistics().abandoned == 1);
    CHECK_FALSE(std::filesystem::exists(directory / ".new-1-1-dead"));
    CHECK(std::filesystem::exists(directory / ".new-1-2-alive"));
    CHECK(std::filesystem::exists(directory / ".new-1-3-young"));

    const ferry::CacheCleared cleared = cache.clear();
    CHECK(cleared.files == 3); // two entries and the young one, because its writer no longer exists
    CHECK(cleared.note.empty());
    CHECK(std::filesystem::exists(directory / ".new-1-2-alive"));
    CHECK(std::filesystem::exists(directory / "somebody's"));
    ::close(alive);
}

TEST_CASE_FIXTURE(CacheFixture, "a writer whose temporary file was removed stores nothing and continues") {
    DiskCache cache(location());
    cache.store(key("a"), "a");
    ferry::cache::Failure failure;
    const ferry::detail::FileDescriptor open = ferry::cache::open_directory(location(), false, failure);
    ferry::cache::TemporaryFile temporary(open);
    for (const auto& item : std::filesystem::directory_iterator(directory)) {
        if (ferry::cache::is_temporary_name(item.path().filename().string())) {
            std::filesystem::remove(item.path());
        }
    }
    CHECK_FALSE(temporary.publish("bytes", ferry::cache::file_name("x")));
    CHECK(temporary.failure().step == ferry::cache::Failure::Step::publish);
}

TEST_CASE_FIXTURE(CacheFixture, "a sweep does not wait long for another one") {
    DiskCache cache(location());
    cache.store(key("a"), "a");
    const int other = ::open(directory.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(::flock(other, LOCK_EX) == 0);
    ferry::cache::Failure failure;
    const ferry::detail::FileDescriptor open = ferry::cache::open_directory(location(), false, failure);
    CHECK(ferry::cache::sweep(open, 1, 0).by == ferry::cache::Swept::By::nobody);
    CHECK(cache.load(key("a")) == "a");
    DiskCache another(location());
    another.store(key("b"), "b");
    CHECK(another.statistics().failed_stores == 1);
    CHECK(another.note().find("was making room in it for more than 20 ms") != std::string::npos);
    ::close(other);
    another.store(key("b"), "b");
    CHECK(another.load(key("b")) == "b");
    CHECK(ferry::cache::sweep(open, 1, 0).evicted == 2);
}

TEST_CASE_FIXTURE(CacheFixture, "the report shows all entries, the last used first") {
    DiskCache cache(location());
    const auto begin = std::chrono::system_clock::now();
    cache.store(key("old"), "1");
    age(file_of(key("old")), 500);
    cache.store(key("new").add("source", std::string(1000, 's')), "22");
    cache.store(key("bad"), "3");
    write(file_of(key("bad")), "nonsense");
    age(file_of(key("bad")), 1000);
    const ferry::CacheReport report = cache.report();
    CHECK(report.usable);
    CHECK(report.directory == directory);
    CHECK(report.limit == 1 << 20);
    REQUIRE(report.entries.size() == 3);
    const ferry::CacheEntry& first = report.entries[0];
    REQUIRE(first.fields.size() == 3);
    CHECK(first.fields[1].value == "new");
    CHECK(first.fields[2].value.size() == 256);
    CHECK(first.fields[2].bytes == 1000);
    CHECK(report.entries[1].fields[1].value == "old");
    // some file systems store whole seconds
    const auto aged = report.entries[1].used + std::chrono::seconds(500);
    CHECK(aged >= begin - std::chrono::seconds(2));
    CHECK(aged <= std::chrono::system_clock::now() + std::chrono::seconds(2));
    CHECK(report.entries[2].damaged);
    CHECK(report.entries[2].fields.empty());
    CHECK(report.bytes == report.entries[0].bytes + report.entries[1].bytes + report.entries[2].bytes);
    CHECK(cache.report().entries[2].damaged); // a report neither repairs an entry nor counts as a use
}
