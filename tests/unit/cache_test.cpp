// SPDX-License-Identifier: Apache-2.0
#include "cache_fixture.hpp"

#include <ferry/version.hpp>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

using ferry::cache::DiskCache;
using ferry::cache::Key;

namespace {

std::string mode_of(const std::filesystem::path& path) {
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    char text[16];
    std::snprintf(text, sizeof text, "%o", status.st_mode & 07777U);
    return text;
}

} // namespace

TEST_CASE("keys with different fields are different") {
    std::vector<std::string> texts;
    const auto add = [&](auto... words) {
        Key key;
        const std::vector<std::string> list{words...};
        for (std::size_t i = 0; i + 1 < list.size(); i += 2) {
            key.add(list[i], list[i + 1]);
        }
        texts.push_back(key.text());
    };
    add();
    add("a", "b");
    add("b", "a");
    add("a", "b", "c", "d");
    add("a", "b,1:c,1:d");
    add("c", "d", "a", "b");
    add("ab", "");
    add("", "ab");
    add("a", std::string("b\0", 2));
    std::sort(texts.begin(), texts.end());
    CHECK(std::adjacent_find(texts.begin(), texts.end()) == texts.end());
}

TEST_CASE_FIXTURE(CacheFixture, "another version of Ferry does not load the entries of this one") {
    const auto key_of = [](Key key) { return key.add("source", "void k() {}"); };
    DiskCache cache(location());
    cache.store(key_of(Key()), "this one's");
    CHECK(cache.load(key_of(Key(ferry::version()))) == "this one's");
    CHECK_FALSE(cache.load(key_of(Key(std::string(ferry::version()) + "0"))));
    CHECK_FALSE(cache.load(key_of(Key(""))));
}

TEST_CASE("a key's text is parsed to its fields, and other texts are rejected") {
    const Key key = Key().add("source", std::string("a,\0:", 4)).add("empty", "").add("n", 42U);
    const auto fields = ferry::cache::fields_of(key.text());
    REQUIRE(fields);
    REQUIRE(fields->size() == 4);
    CHECK((*fields)[0].first == "ferry");
    CHECK((*fields)[1].second == std::string_view("a,\0:", 4));
    CHECK((*fields)[2].second.empty());
    CHECK((*fields)[3].second == "42");
    for (const char* wrong :
         {"x", "1:a", "1:a,", "1:a,2:b,", "18446744073709551615:a,1:b,", "-1:a,1:b,", ":,"}) {
        CHECK_FALSE(ferry::cache::fields_of(wrong));
    }
}

TEST_CASE_FIXTURE(CacheFixture, "a stored entry is loaded, in this cache object and in another") {
    DiskCache cache(location());
    CHECK_FALSE(cache.load(key("a")));
    CHECK_FALSE(std::filesystem::exists(directory)); // a lookup does not create it
    const std::string bytes("\0\1binary\0", 9);
    cache.store(key("a"), bytes);
    cache.store(key("empty"), "");
    CHECK(cache.load(key("a")) == bytes);
    CHECK(cache.load(key("empty")) == "");
    CHECK_FALSE(cache.load(key("b")));
    CHECK(DiskCache(location()).load(key("a")) == bytes);
    cache.store(key("a"), "replaced");
    CHECK(cache.load(key("a")) == "replaced");

    CHECK(mode_of(directory) == "700");
    CHECK(mode_of(directory.parent_path()) == "700");
    CHECK(mode_of(file_of(key("a"))) == "600");
    CHECK(files() == 2);
    CHECK(cache.note().empty());
    const ferry::CacheStatistics statistics = cache.statistics();
    CHECK(statistics.hits == 3);
    CHECK(statistics.misses == 2);
    CHECK(statistics.stores == 3);
    CHECK(statistics.failed_stores + statistics.failed_loads + statistics.damaged == 0);
}

TEST_CASE_FIXTURE(CacheFixture, "an entry with any bit flipped or cut anywhere is not loaded") {
    DiskCache cache(location());
    cache.store(key("a"), "the code");
    const std::filesystem::path path = file_of(key("a"));
    const std::string good = read(path);
    std::uint64_t tries = 0;
    const auto refuses = [&](const std::string& bad) {
        write(path, bad);
        ++tries;
        return !cache.load(key("a")) && !std::filesystem::exists(path);
    };
    for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
        std::string bad = good;
        bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
        REQUIRE(refuses(bad));
    }
    for (std::size_t size = 0; size < good.size(); ++size) {
        REQUIRE(refuses(good.substr(0, size)));
    }
    CHECK(refuses(good + '\0'));
    CHECK(refuses(good + good));
    CHECK(cache.statistics().damaged == tries);
    CHECK(cache.statistics().hits == 0);
    write(path, good);
    CHECK(cache.load(key("a")) == "the code");
}

TEST_CASE_FIXTURE(CacheFixture, "a whole entry of another key under this key's name is not loaded") {
    DiskCache cache(location());
    cache.store(key("b"), "code of b");
    std::filesystem::rename(file_of(key("b")), file_of(key("a")));
    CHECK_FALSE(cache.load(key("a")));
    CHECK(cache.statistics().damaged == 0);
    cache.store(key("a"), "code of a");
    CHECK(cache.load(key("a")) == "code of a");
}

TEST_CASE_FIXTURE(CacheFixture, "only a private file of the user is loaded") {
    DiskCache cache(location());
    cache.store(key("a"), "the code");
    const std::filesystem::path path = file_of(key("a"));
    const std::string good = read(path);
    std::filesystem::remove(path);
    SUBCASE("a pipe") {
        REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    }
    SUBCASE("a link to a good one") {
        write(top / "good", good);
        std::filesystem::create_symlink(top / "good", path);
    }
    SUBCASE("writable for others") {
        write(path, good);
        ::chmod(path.c_str(), 0606);
    }
    SUBCASE("larger than any entry") {
        write(path, good);
        REQUIRE(::truncate(path.c_str(), off_t{1} << 40) == 0);
    }
    CHECK_FALSE(cache.load(key("a")));
    CHECK(cache.statistics().damaged == 1);
    CHECK_FALSE(std::filesystem::exists(std::filesystem::symlink_status(path)));
    cache.store(key("a"), "the code");
    CHECK(cache.load(key("a")) == "the code");
}

TEST_CASE_FIXTURE(CacheFixture, "a directory in place of an entry causes no error") {
    DiskCache cache(location());
    cache.store(key("b"), "b");
    std::filesystem::create_directories(file_of(key("a")) / "more");
    CHECK_FALSE(cache.load(key("a")));
    cache.store(key("a"), "the code");
    CHECK(cache.statistics().failed_stores == 1);
    CHECK(cache.note().find("could not be renamed") != std::string::npos);
    CHECK(cache.load(key("b")) == "b");
    CHECK(files() == 2); // no temporary file is left
}

TEST_CASE_FIXTURE(CacheFixture, "the directory may go at any time") {
    DiskCache cache(location());
    cache.store(key("a"), "1");
    std::filesystem::remove_all(directory);
    CHECK_FALSE(cache.load(key("a")));
    CHECK(cache.note().empty());
    cache.store(key("a"), "2");
    CHECK(cache.load(key("a")) == "2");
}

TEST_CASE_FIXTURE(CacheFixture, "threads share a cache") {
    DiskCache cache(location(1 << 13));
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 200; ++i) {
                const std::string name = std::to_string(i % 23);
                const std::string value(100 + static_cast<std::size_t>(i % 23) * 31,
                                        static_cast<char>('a' + i % 23));
                const auto found = cache.load(key(name));
                wrong += found && *found != value ? 1 : 0;
                cache.store(key(name), value);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(wrong == 0);
    CHECK(cache.statistics().stores + cache.statistics().failed_stores == 800);
    CHECK(cache.statistics().stores > 100);
    CHECK(cache.statistics().evicted > 0);
}

TEST_CASE_FIXTURE(CacheFixture, "a forked child continues with the cache") {
    DiskCache cache(location());
    cache.store(key("a"), "parent");
    const pid_t child = ::fork();
    if (child == 0) {
        const bool found = cache.load(key("a")) == "parent";
        cache.store(key("b"), "child");
        ::_exit(found ? 0 : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(cache.load(key("b")) == "child");
}
