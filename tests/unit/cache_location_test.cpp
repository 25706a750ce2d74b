// SPDX-License-Identifier: Apache-2.0
#include "../support/child.hpp"
#include "cache_fixture.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <string>

using ferry::cache::DiskCache;
using ferry::cache::Location;

namespace {

using Environment = std::vector<std::pair<std::string, std::optional<std::string>>>;

const support::ChildBody bodies[] = {
    {"cache location",
     [](const std::string&) {
         const Location location = ferry::cache::location_from_environment();
         std::printf("directory=%s\nlimit=%llu\nnote=%s\n", location.directory.c_str(),
                     static_cast<unsigned long long>(location.limit), location.note.c_str());
         return 0;
     }},
    {"cache fill", // used by tests/cli
     [](const std::string&) {
         for (const char* backend : {"host", "cuda"}) {
             ferry::cache::Key key;
             key.add("backend", backend).add("source", std::string(1900, '\n'));
             ferry::cache::shared().store(key, std::string(9000, 'c'));
             ::usleep(20000);
         }
         return ferry::cache::shared().statistics().stores == 2 ? 0 : 1;
     }},
    {"cache beyond the size of files",
     [](const std::string& directory) {
         const struct rlimit limit { 10000, 10000 };
         if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) {
             return 1;
         }
         DiskCache cache({directory, "", 1 << 20, {}});
         cache.store(CacheFixture::key("small"), std::string(1000, 's'));
         cache.store(CacheFixture::key("large"), std::string(20000, 'l'));
         std::printf("%s\n", cache.note().c_str());
         return cache.load(CacheFixture::key("small")) && !cache.load(CacheFixture::key("large")) ? 0 : 2;
     }},
    {"cache as another user",
     [](const std::string& directory) {
         if (::setegid(65534) != 0 || ::seteuid(65534) != 0) {
             return 1;
         }
         DiskCache cache({directory, "", 1 << 20, {}});
         cache.store(CacheFixture::key("a"), "mine");
         std::printf("%s\n", cache.note().c_str());
         const bool loaded = cache.load(CacheFixture::key("a")).has_value();
         return ::seteuid(0) != 0 || loaded ? 2 : 0; // needed because LeakSanitizer works only as root
     }},
};

support::ChildResult locate(Environment environment) {
    Environment full{{"FERRY_CACHE_DIR", std::nullopt},
                     {"XDG_CACHE_HOME", std::nullopt},
                     {"HOME", std::nullopt},
                     {"FERRY_CACHE_LIMIT", std::nullopt}};
    full.insert(full.end(), environment.begin(), environment.end());
    return support::run({.arguments = {"--child=cache location|"}, .environment = std::move(full)});
}

/// Checks an unusable cache: nothing is loaded or stored, and the note contains these words.
void check_useless(const Location& location, const std::string& words) {
    DiskCache cache(location);
    CHECK_FALSE(cache.load(CacheFixture::key("a")));
    cache.store(CacheFixture::key("a"), "code");
    CHECK_FALSE(cache.load(CacheFixture::key("a")));
    CHECK(cache.statistics().stores == 0);
    INFO(cache.note());
    CHECK(cache.note().find(words) != std::string::npos);
    CHECK(cache.report().entries.empty());
    CHECK(cache.report().note.find(words) != std::string::npos);
}

} // namespace

TEST_CASE("the environment sets the place of the cache") {
    const std::string full = "limit=536870912\nnote=\n";
    CHECK(locate({{"FERRY_CACHE_DIR", "/d"}, {"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}}).output ==
          "directory=/d\n" + full);
    CHECK(locate({{"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}}).output == "directory=/x/ferry\n" + full);
    CHECK(locate({{"HOME", "/h"}}).output == "directory=/h/.cache/ferry\n" + full);
    CHECK(locate({{"FERRY_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "relative"}, {"HOME", "/h"}})
              .says("directory=/h/.cache/ferry\n"));
    CHECK(locate({{"FERRY_CACHE_DIR", "here"}})
              .says("directory=" + std::filesystem::current_path().string() + "/here\n"));
    CHECK(locate({}).says("neither FERRY_CACHE_DIR nor XDG_CACHE_HOME nor HOME names a directory"));
    CHECK(locate({{"HOME", "relative"}}).says("directory=\n"));
}

TEST_CASE("the environment sets the limit of the cache") {
    const auto limit = [](const char* text) { return locate({{"HOME", "/h"}, {"FERRY_CACHE_LIMIT", text}}); };
    CHECK(limit("7").says("limit=7340032\nnote=\n"));
    CHECK(limit("99999999999999999999999").says("limit=1152921504606846976\nnote=\n"));
    CHECK(limit("0").says("limit=0\nnote=The cache of compiled kernels is off: FERRY_CACHE_LIMIT is 0\n"));
    for (const char* wrong : {"-1", "1G", " 5", "much", "99999999999999999999999x"}) {
        CHECK(limit(wrong).says("FERRY_CACHE_LIMIT is \"" + std::string(wrong) +
                                "\", which is no whole number of MiB"));
        CHECK(limit(wrong).says("limit=0\n"));
    }
}

TEST_CASE_FIXTURE(CacheFixture, "a cache that cannot be used says why") {
    SUBCASE("off") {
        check_useless({"", "", 0, "It is off."}, "It is off.");
    }
    SUBCASE("below a file") {
        write(top / "a", "");
        check_useless(location(), "cannot be opened: Not a directory");
    }
    SUBCASE("a file") {
        std::filesystem::create_directory(top / "a");
        write(directory, "");
        check_useless(location(), "Not a directory");
    }
    SUBCASE("no home") {
        Location gone = location();
        gone.existing = (top / "home").string();
        gone.directory = gone.existing + "/.cache/ferry";
        DiskCache cache(gone);
        cache.store(key("a"), "code");
        CHECK(cache.note().find("cannot be made: No such file") != std::string::npos);
        CHECK_FALSE(std::filesystem::exists(gone.existing));
    }
    SUBCASE("where nobody can make one") {
        DiskCache cache({"/proc/nowhere/ferry", "", 1 << 20, {}});
        cache.store(key("a"), "code");
        CHECK(cache.note().find("\"/proc/nowhere/ferry\"") != std::string::npos);
        CHECK(cache.statistics().failed_stores == 1);
    }
    SUBCASE("others may write") {
        std::filesystem::create_directories(directory);
        ::chmod(directory.c_str(), 0777);
        check_useless(location(), "its mode is 0777");
        ::chmod(directory.c_str(), 0770);
        check_useless(location(), "chmod 700");
    }
    SUBCASE("another user's") {
        if (::geteuid() == 0) {
            std::filesystem::create_directories(directory);
            REQUIRE(::chown(directory.c_str(), 1234, 1234) == 0);
            check_useless(location(), "it belongs to user 1234");
        } else {
            MESSAGE("not checked: giving a directory to another user needs root");
        }
    }
}

TEST_CASE_FIXTURE(CacheFixture, "entries of a read-only directory are still loaded") {
    DiskCache(location()).store(key("a"), "code");
    const bool root = ::geteuid() == 0; // root may write everywhere, so another user is used
    if (root) {
        for (const auto& path : {top, directory.parent_path()}) {
            ::chmod(path.c_str(), 0755);
        }
        for (const auto& entry : std::filesystem::directory_iterator(directory)) {
            REQUIRE(::chown(entry.path().c_str(), 1234, 1234) == 0);
        }
        REQUIRE(::chown(directory.c_str(), 1234, 1234) == 0);
        REQUIRE(::seteuid(1234) == 0);
    }
    ::chmod(directory.c_str(), 0500);
    DiskCache cache(location());
    const auto loaded = cache.load(key("a"));
    cache.store(key("b"), "code");
    const std::string note = cache.note();
    ::chmod(directory.c_str(), 0700);
    if (root) {
        REQUIRE(::seteuid(0) == 0);
    }
    CHECK(loaded == "code");
    CHECK_MESSAGE(note.find("no file can be made in it: Permission denied") != std::string::npos, note);
}

TEST_CASE_FIXTURE(CacheFixture, "another user's entries are never loaded") {
    if (::geteuid() != 0) {
        MESSAGE("not checked: running as another user needs root");
        return;
    }
    DiskCache(location()).store(key("a"), "root's");
    for (const auto& path : {top, directory.parent_path(), directory}) {
        ::chmod(path.c_str(), 0755);
    }
    const support::ChildResult result = support::run(
        {.arguments = {"--child=cache as another user|" + directory.string()}, .environment = {}});
    CHECK_MESSAGE(result.exited(0), result.describe());
    CHECK(result.says("belongs to user 0, and this process runs as user 65534"));
}

TEST_CASE_FIXTURE(CacheFixture, "a limit on the size of files ends no process") {
    const support::ChildResult result = support::run(
        {.arguments = {"--child=cache beyond the size of files|" + directory.string()}, .environment = {}});
    CHECK_MESSAGE(result.exited(0), result.describe());
    CHECK(result.says("could not be written: File too large"));
}
