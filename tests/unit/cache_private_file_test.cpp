// SPDX-License-Identifier: Apache-2.0
#include "cache/private_file.hpp"
#include "cache_fixture.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <set>
#include <string>

using ferry::cache::PrivateFile;

namespace {

int answer_of(const PrivateFile& file) {
    void* const library = ::dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(library != nullptr, ::dlerror());
    void* const answer = ::dlsym(library, "answer");
    REQUIRE(answer != nullptr);
    const int value = reinterpret_cast<int (*)()>(answer)();
    ::dlclose(library);
    return value;
}

} // namespace

TEST_CASE_FIXTURE(CacheFixture, "each shared object is loaded as itself, whatever was loaded before") {
    const std::string one = read(FERRY_TEST_MODULE_ONE);
    const std::string two = read(FERRY_TEST_MODULE_TWO);
    REQUIRE_FALSE(one.empty());
    REQUIRE_FALSE(two.empty());
    // The descriptor has the same number each time, and the loader keeps the first library for ever.
    for (const PrivateFile::Place place : {PrivateFile::Place::memory_or_disk, PrivateFile::Place::disk}) {
        for (int round = 0; round < 3; ++round) {
            CHECK(answer_of(PrivateFile(one, "one", place)) == 1);
            CHECK(answer_of(PrivateFile(two, "two", place)) == 2);
        }
    }
}

TEST_CASE("no path comes twice, and all of them lead to the bytes") {
    std::set<std::string> paths;
    for (int i = 0; i < 300; ++i) {
        const std::string bytes = "number " + std::to_string(i);
        const PrivateFile file(bytes, "a label / of any kind");
        REQUIRE(file);
        CHECK(paths.insert(file.path()).second);
        CHECK(CacheFixture::read(file.path()) == bytes);
    }
}

TEST_CASE("a file in memory cannot be changed any more") {
    const PrivateFile file("bytes", "label");
    REQUIRE(file);
    CHECK(file.path().starts_with("/proc/" + std::to_string(::getpid()) + "/fd/"));
    const int again = ::open(file.path().c_str(), O_RDWR | O_CLOEXEC);
    if (again >= 0) {
        CHECK(::write(again, "x", 1) < 0);
        CHECK(::ftruncate(again, 0) < 0);
        ::close(again);
    }
    CHECK(CacheFixture::read(file.path()) == "bytes");
}

TEST_CASE_FIXTURE(CacheFixture, "a file on disk is the user's alone and goes with its object") {
    std::string path;
    {
        const PrivateFile file("bytes", "label", PrivateFile::Place::disk);
        REQUIRE(file);
        path = file.path();
        CHECK(read(path) == "bytes");
        struct stat status {};
        REQUIRE(::stat(path.c_str(), &status) == 0);
        CHECK((status.st_mode & 0777U) == 0700U);
    }
    CHECK_FALSE(std::filesystem::exists(path));
}
