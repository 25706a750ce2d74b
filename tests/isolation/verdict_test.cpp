// SPDX-License-Identifier: Apache-2.0
#include "child/mark.hpp"
#include "fixture.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

using namespace isolation;
namespace fs = std::filesystem;

namespace {

const std::string crash = "cuInit:crash";
const std::string why = "ended by signal 11 in its initialisation (cuInit)";

/// A copy of the evil libcuda that a test may change.
std::string own_library(const Folder& folder) {
    std::string path = folder.path() + "/libcuda.so.1";
    fs::copy_file(library_of("cuda"), path);
    return path;
}

/// A file that Ferry takes for its tool and that ends at once, as the tool does while its library is being
/// replaced.
std::string broken_tool(const Folder& folder) {
    std::string path = folder.path() + "/ferry";
    std::ofstream(path) << "#!/bin/sh\nexit 127\n" FERRY_TRIAL_MARK "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path;
}

} // namespace

TEST_CASE("isolation: a sound library is opened by a child once, and by each process") {
    Folder folder;
    for (const int expected : {2, 1, 1}) {
        const auto result = use(folder, "cuda", "");
        CHECK_MESSAGE(survived(result), result.describe());
        CHECK(result.says("cuda is available"));
        CHECK_FALSE(result.says("reason: The"));
        CHECK(folder.opened() == expected);
    }
}

TEST_CASE("isolation: a library that ended a child is not opened by later processes") {
    Folder folder;
    for (const int expected : {1, 0, 0}) {
        const auto result = use(folder, "cuda", crash);
        CHECK_MESSAGE(survived(result), result.describe());
        CHECK_MESSAGE(result.says(why), result.describe());
        CHECK(result.says(library_of("cuda")));
        CHECK(folder.opened() == expected);
    }
}

TEST_CASE("isolation: a child that ends before it has begun says nothing about the library") {
    Folder folder;
    const Variables broken{{"FERRY_TOOL", broken_tool(folder)}};
    const auto untested = use(folder, "cuda", "", broken);
    CHECK_MESSAGE(survived(untested), untested.describe());
    CHECK(untested.says("cuda is available"));
    CHECK_MESSAGE(untested.says("the child process ended with status 127 before it began"),
                  untested.describe());
    CHECK(folder.opened() == 1);

    // Nothing is kept of it: the next process tests the library.
    const auto tested = use(folder, "cuda", crash);
    CHECK_MESSAGE(tested.says(why), tested.describe());
    CHECK(survived(tested));
}

TEST_CASE("isolation: a verdict ends when the file of the library changes") {
    for (const bool sound : {true, false}) {
        Folder folder;
        const std::string library = own_library(folder);
        const std::string evil = sound ? "" : crash;
        const Variables own{{"FERRY_CUDA_LIBRARY", library}};
        const int first = sound ? 2 : 1;
        CHECK(survived(use(folder, "cuda", evil, own)));
        CHECK(folder.opened() == first);
        CHECK(survived(use(folder, "cuda", evil, own)));
        CHECK(folder.opened() == first - 1);

        // changes its time
        fs::last_write_time(library, fs::last_write_time(library) + std::chrono::seconds(7));
        CHECK(survived(use(folder, "cuda", evil, own)));
        CHECK(folder.opened() == first);
        const auto time = fs::last_write_time(library);
        std::ofstream(library, std::ios::app | std::ios::binary) << "more"; // changes its size
        fs::last_write_time(library, time);
        CHECK(survived(use(folder, "cuda", evil, own)));
        CHECK(folder.opened() == first);
        CHECK(survived(use(folder, "cuda", evil, own)));
        CHECK(folder.opened() == first - 1);
    }
}

TEST_CASE("isolation: a verdict holds for the variables that drivers read") {
    Folder folder;
    CHECK(use(folder, "cuda", crash).says(why));
    CHECK(use(folder, "cuda", crash, {{"CUDA_VISIBLE_DEVICES", "1"}}).says(why));
    CHECK(folder.opened() == 2);
    CHECK(use(folder, "cuda", "").says("cuda is available"));
}

TEST_CASE("isolation: many processes test a library at the same time") {
    Folder folder;
    std::vector<support::ChildResult> results(16);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < results.size(); ++i) {
        threads.emplace_back([&, i] { results[i] = use(folder, "cuda", i % 2 == 0 ? crash : ""); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
        CHECK_MESSAGE(survived(results[i]), results[i].describe());
        CHECK_MESSAGE(results[i].says(i % 2 == 0 ? why : "cuda is available"), results[i].describe());
    }
}

TEST_CASE("isolation: without a cache that can be written each process tests the library") {
    Folder folder;
    std::ofstream(folder.path() + "/file") << "no folder";
    for (int i = 0; i < 2; ++i) {
        const auto result = use(folder, "cuda", crash, {{"FERRY_CACHE_DIR", folder.path() + "/file/cache"}});
        CHECK_MESSAGE(survived(result), result.describe());
        CHECK(result.says(why));
        CHECK(folder.opened() == 1);
    }
}

TEST_CASE("isolation: a damaged verdict counts as none") {
    Folder folder;
    CHECK(use(folder, "cuda", crash).says(why));
    for (const auto& entry : fs::recursive_directory_iterator(folder.cache())) {
        if (entry.is_regular_file()) {
            std::ofstream(entry.path(), std::ios::trunc) << "usable 0\n";
        }
    }
    folder.opened();
    const auto result = use(folder, "cuda", crash);
    CHECK_MESSAGE(survived(result), result.describe());
    CHECK(folder.opened() == 1);
}

TEST_CASE("isolation: FERRY_PROBE=off opens the library at once") {
    Folder folder;
    CHECK(use(folder, "cuda", "", {{"FERRY_PROBE", "off"}}).says("cuda is available"));
    CHECK(folder.opened() == 1);
    const auto result = use(folder, "cuda", crash, {{"FERRY_PROBE", "off"}});
    CHECK_FALSE(survived(result)); // so the crash is real
}

TEST_CASE("isolation: FERRY_PROBE=fresh tests the library in each process") {
    Folder folder;
    for (int i = 0; i < 2; ++i) {
        CHECK(use(folder, "cuda", "", {{"FERRY_PROBE", "fresh"}}).says("cuda is available"));
        CHECK(folder.opened() == 2);
    }
}

TEST_CASE("isolation: a wrong FERRY_PROBE or FERRY_PROBE_LIMIT is quoted, and the library stays closed") {
    Folder folder;
    const auto word = use(folder, "cuda", crash, {{"FERRY_PROBE", "maybe"}});
    CHECK_MESSAGE(survived(word), word.describe());
    CHECK(word.says("FERRY_PROBE is \"maybe\"; the values are auto, off and fresh"));
    for (const char* const limit : {"0", "99", "600001", "5s", "-1"}) {
        const auto number = use(folder, "cuda", crash, {{"FERRY_PROBE_LIMIT", limit}});
        CHECK_MESSAGE(survived(number), number.describe());
        CHECK(number.says("FERRY_PROBE_LIMIT is \"" + std::string(limit) +
                          "\"; it takes a whole number of milliseconds from 100 to 600000"));
    }
    CHECK(folder.opened() == 0);
}

TEST_CASE("isolation: a library that was late is tested again under a longer limit only") {
    Folder folder;
    const Variables hundred{{"FERRY_PROBE_LIMIT", "100"}};
    CHECK(use(folder, "cuda", "cuInit:hang", hundred).says("gave no answer within 100 ms"));
    folder.opened();
    CHECK(use(folder, "cuda", "cuInit:hang", hundred).says("gave no answer within 100 ms"));
    CHECK(folder.opened() == 0);
    const auto result = use(folder, "cuda", "cuInit:hang", {{"FERRY_PROBE_LIMIT", "1000"}});
    CHECK_MESSAGE(result.says("gave no answer within 1 s"), result.describe());
}

TEST_CASE("isolation: a program that ignores SIGCHLD opens sound libraries only") {
    Folder folder;
    const std::string ignores = "ignores SIGCHLD";
    const auto sound = use(folder, "cuda", "", {}, ignores);
    CHECK_MESSAGE(survived(sound), sound.describe());
    CHECK_MESSAGE(sound.says("cuda is available"), sound.describe());
    const auto evil = use(folder, "cuda", crash, {}, ignores);
    CHECK_MESSAGE(survived(evil), evil.describe());
    CHECK_MESSAGE(evil.says("in its initialisation (cuInit)"), evil.describe());
    CHECK(evil.says("cuda is not available"));
}

TEST_CASE("isolation: a backend that FERRY_BACKEND leaves out is not tested") {
    Folder folder;
    const auto result = use(folder, "cuda", crash, {{"FERRY_BACKEND", "host"}});
    CHECK_MESSAGE(survived(result), result.describe());
    CHECK(folder.opened() == 0);
}

TEST_CASE(
    "isolation: without a tool a library that the program has opened is not tested, and the report says so") {
    Folder folder;
    const std::string library = own_library(folder);
    const auto result =
        use(folder, "cuda", "", {{"FERRY_TOOL", "off"}, {"FERRY_CUDA_LIBRARY", library}}, "opens " + library);
    CHECK_MESSAGE(survived(result), result.describe());
    CHECK(result.says("cuda is available"));
    CHECK_MESSAGE(
        result.says("The cuda library is opened without a test in a child process: the program has opened " +
                    library + " already, and FERRY_TOOL is off"),
        result.describe());
    CHECK(folder.opened() == 1);
}
