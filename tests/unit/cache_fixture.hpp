// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cache/disk_cache.hpp"
#include "cache/entry.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

/// A separate directory for each test, with a cache in it.
struct CacheFixture {
    CacheFixture() {
        std::string pattern = (std::filesystem::temp_directory_path() / "ferry-cache-XXXXXX").string();
        top = ::mkdtemp(pattern.data());
        directory = top / "a" / "cache";
    }
    CacheFixture(const CacheFixture&) = delete;
    CacheFixture& operator=(const CacheFixture&) = delete;
    ~CacheFixture() {
        std::error_code ignored;
        std::filesystem::remove_all(top, ignored);
    }

    ferry::cache::Location location(std::uint64_t limit = 1 << 20) const {
        return {directory.string(), top.string(), limit, {}};
    }
    std::filesystem::path file_of(const ferry::cache::Key& key) const {
        return directory / ferry::cache::file_name(key.text());
    }
    std::size_t files() const {
        const auto count = std::distance(std::filesystem::directory_iterator(directory), {});
        return static_cast<std::size_t>(count);
    }

    static ferry::cache::Key key(const std::string& name) {
        ferry::cache::Key key;
        key.add("kernel", name);
        return key;
    }
    static std::string read(const std::filesystem::path& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    /// Writes a file with the mode of the cache's own files.
    static void write(const std::filesystem::path& path, const std::string& bytes) {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
        ::chmod(path.c_str(), 0600);
    }
    /// Moves the times of the last use and the last change back by that many seconds.
    static void age(const std::filesystem::path& path, long seconds) {
        struct timespec now {};
        ::clock_gettime(CLOCK_REALTIME, &now);
        now.tv_sec -= seconds;
        const struct timespec times[2] = {now, now};
        ::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW);
    }

    std::filesystem::path top;
    std::filesystem::path directory;
};
