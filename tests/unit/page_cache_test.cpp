// SPDX-License-Identifier: Apache-2.0
#include "file/file.hpp"
#include "system/page_cache.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

using ferry::detail::FileDescriptor;
using ferry::detail::PageCache;
using ferry::detail::staging::InputFile;

namespace {

/// A file of slightly more than 64 pages, in the page cache as after a write.
class Written {
public:
    Written() : file_(mkstemp(name_.data())) {
        REQUIRE(file_);
        for (std::size_t i = 0; i < size; ++i) {
            bytes[i] = std::byte(i * 7 + i / 4096);
        }
        REQUIRE(write(file_.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(size));
    }
    Written(const Written&) = delete;
    Written& operator=(const Written&) = delete;
    ~Written() { unlink(name_.c_str()); }

    static constexpr std::size_t size = 64 * 4096 + 100;
    std::vector<std::byte> bytes = std::vector<std::byte>(size);
    const std::string& name() const { return name_; }
    const FileDescriptor& file() const { return file_; }
    bool forget() const {
        struct statfs facts {};
        REQUIRE(fstatfs(file_.get(), &facts) == 0);
        return facts.f_type != TMPFS_MAGIC && facts.f_type != RAMFS_MAGIC && fdatasync(file_.get()) == 0 &&
               posix_fadvise(file_.get(), 0, 0, POSIX_FADV_DONTNEED) == 0;
    }

private:
    std::string name_ = "page-cache-test-XXXXXX";
    FileDescriptor file_;
};

/// A file on a file system without O_DIRECT.
class Through : public InputFile {
public:
    explicit Through(const Written& written) : InputFile(written.name(), 0, Written::size, {}) {
        use_direct_ = false;
    }

    /// Reads the whole file in pieces.
    std::vector<std::byte> all() {
        constexpr std::size_t piece = std::size_t{8} * 4096;
        std::vector<std::byte> read_so_far;
        for (std::size_t at = 0; at < Written::size; at += piece) {
            std::vector<std::byte> slot(piece + 8192);
            const std::size_t bytes = std::min(piece, Written::size - at);
            read(slot.data(), at, bytes);
            read_so_far.insert(read_so_far.end(), slot.begin(),
                               slot.begin() + static_cast<std::ptrdiff_t>(bytes));
        }
        return read_so_far;
    }
};

} // namespace

TEST_CASE("page cache: written pages are in it, dropped ones are not, and a query reads nothing") {
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
    REQUIRE(posix_fadvise(written.file().get(), 0, 0, POSIX_FADV_RANDOM) == 0); // no read-ahead
    REQUIRE(pread(written.file().get(), &byte, 1, 8192) == 1);
    CHECK(cache.has(8192, 4096));
    CHECK(cache.has(9000, 100));
    CHECK_FALSE(cache.has(8192, 40960));
    CHECK_FALSE(cache.has(0, Written::size));
}

TEST_CASE("page cache: a file that is read through it leaves nothing there, unless it was there before") {
    const Written written;
    const PageCache cache(written.file());
    Through input(written);
    CHECK((input.all() == written.bytes));
    CHECK(cache.has(0, Written::size));
    if (!written.forget()) {
        MESSAGE("the file system of the current folder keeps files in memory only");
        return;
    }
    CHECK((input.all() == written.bytes));
    for (std::size_t page = 0; page < 64; ++page) {
        CHECK_FALSE(cache.has(page * 4096, 4096));
    }
}
