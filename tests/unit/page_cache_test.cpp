// SPDX-License-Identifier: Apache-2.0
#include "staging/page_cache.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <string>
#include <vector>

using ferry::detail::staging::PageCache;

namespace {

/// A file of 64 pages and a bit, in memory as whoever wrote it leaves it.
class Written {
public:
    Written() : file_(mkstemp(name_.data())) {
        REQUIRE(file_ >= 0);
        const std::vector<char> bytes(size, 'x');
        REQUIRE(write(file_, bytes.data(), bytes.size()) == static_cast<ssize_t>(size));
    }
    Written(const Written&) = delete;
    Written& operator=(const Written&) = delete;
    ~Written() {
        close(file_);
        unlink(name_.c_str());
    }

    static constexpr std::size_t size = 64 * 4096 + 100;
    int file() const { return file_; }
    bool forget() const {
        struct statfs facts {};
        REQUIRE(fstatfs(file_, &facts) == 0);
        return facts.f_type != TMPFS_MAGIC && facts.f_type != RAMFS_MAGIC && fdatasync(file_) == 0 &&
               posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED) == 0;
    }

private:
    std::string name_ = "page-cache-test-XXXXXX";
    int file_;
};

} // namespace

TEST_CASE("page cache: what was just written is there, what was dropped is not, and asking reads nothing") {
    const Written written;
    const PageCache cache(written.file());
    CHECK(cache.has(0, Written::size));
    CHECK(cache.has(4097, 1));
    CHECK(cache.has(Written::size - 1, 1));
    CHECK_FALSE(cache.has(0, 0));
    CHECK_FALSE(PageCache().has(0, 1));
    if (!written.forget()) {
        MESSAGE("the file system of the current folder keeps files in memory only");
        return;
    }
    for (int i = 0; i < 3; ++i) {
        CHECK_FALSE(cache.has(0, Written::size));
        CHECK_FALSE(cache.has(8192, 4096));
    }
    char byte = 0;
    REQUIRE(posix_fadvise(written.file(), 0, 0, POSIX_FADV_RANDOM) == 0); // reads no further than asked
    REQUIRE(pread(written.file(), &byte, 1, 8192) == 1);
    CHECK(cache.has(8192, 4096));
    CHECK(cache.has(9000, 100));
    CHECK_FALSE(cache.has(8192, 40960));
    CHECK_FALSE(cache.has(0, Written::size));
}
