// SPDX-License-Identifier: Apache-2.0
// Copies from files to device memory and back.
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"
#include "staged.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace file_test {

using namespace conformance;
using ferry::Code;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t slot = Staged::slot;
using Bytes = std::vector<std::uint8_t>;

/// A temporary folder, removed with its contents at the end.
class Folder {
public:
    explicit Folder(const char* where = "/tmp") : path_(std::string(where) + "/ferry-file-XXXXXX") {
        REQUIRE(mkdtemp(path_.data()) != nullptr);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    fs::path file(const char* name) const { return fs::path(path_) / name; }
    std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
    }

private:
    std::string path_;
};

void put(const fs::path& path, const Bytes& bytes) {
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    REQUIRE(out.flush().good());
}

Bytes get(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(in), {});
}

/// Removes the file from the page cache, so that it is read from the disk.
void forget(const fs::path& path) {
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(file >= 0);
    fdatasync(file);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    close(file);
}

/// The number of the file's pages in the page cache.
std::size_t cached_pages(const fs::path& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(file >= 0);
    const std::size_t bytes = fs::file_size(path);
    void* const mapped = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
    REQUIRE(mapped != MAP_FAILED);
    std::vector<unsigned char> present((bytes + 4095) / 4096);
    REQUIRE(mincore(mapped, bytes, present.data()) == 0);
    munmap(mapped, bytes);
    close(file);
    return static_cast<std::size_t>(
        std::count_if(present.begin(), present.end(), [](unsigned char p) { return (p & 1U) != 0; }));
}

} // namespace

FERRY_TEST("file: reading and writing leave no copy in the page cache, and a copy that is there stays") {
    const Staged staged;
    ferry::Queue queue{device};
    const Folder folder("/tmp");
    const fs::path path = folder.file("data");
    const Bytes data = random_values<std::uint8_t>(4 * slot + 1234);
    ferry::Buffer<std::uint8_t> buffer{device, data.size()};
    queue.copy(data, buffer);
    put(path, data);
    forget(path);
    if (cached_pages(path) != 0) {
        MESSAGE("/tmp is in memory only");
        return;
    }
    for (int round = 0; round < 2; ++round) {
        queue.fill(buffer, std::uint8_t{0x5a});
        ferry::read_file(queue, path, buffer);
        check_same(queue.read(buffer), data);
        CHECK(cached_pages(path) <= 2);
    }
    ferry::write_file(queue, buffer, path);
    queue.finish();
    CHECK(cached_pages(path) <= 2);
    CHECK(get(path) == data);
    const std::size_t all = cached_pages(path);
    CHECK(all == (data.size() + 4095) / 4096);
    queue.fill(buffer, std::uint8_t{0x5a});
    ferry::read_file(queue, path, buffer);
    check_same(queue.read(buffer), data);
    CHECK(cached_pages(path) == all);
}

FERRY_TEST("file: any part of one is read to the right place, from disk, cache and memory") {
    const Unchanged unchanged{device};
    const Staged staged;
    ferry::Queue queue{device};
    for (const char* const where : {"/tmp", "/dev/shm"}) {
        const Folder folder(where);
        const fs::path path = folder.file("data");
        const Bytes all = random_values<std::uint8_t>(20 * slot + 1234);
        put(path, all);
        for (int round = 0; round < 12; ++round) {
            const std::size_t aligned = round % 3 == 0 ? 4096 : 1;
            const std::size_t offset = random_below(all.size() / aligned) * aligned;
            const std::size_t count =
                round == 0 ? all.size() - offset : 1 + random_below(all.size() - offset);
            ferry::Buffer<std::uint8_t> buffer{device, count + 50};
            queue.fill(buffer, std::uint8_t{0x5a});
            if (round % 2 == 0) {
                forget(path);
            }
            ferry::read_file(queue, path, buffer.subview(25, count), {.offset = offset});
            Bytes wanted(count + 50, 0x5a);
            std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(offset), count, wanted.begin() + 25);
            check_same(queue.read(buffer), wanted);
        }
    }
}

FERRY_TEST("file: a buffer becomes a whole file, or a part of one in place") {
    const Unchanged unchanged{device};
    const Staged staged;
    ferry::Queue queue{device};
    for (const char* const where : {"/tmp", "/dev/shm"}) {
        const Folder folder(where);
        const fs::path path = folder.file("data");
        for (const std::size_t size :
             {std::size_t{0}, std::size_t{1}, std::size_t{4096}, 3 * slot + 17, 20 * slot}) {
            const Bytes data = random_values<std::uint8_t>(size);
            ferry::Buffer<std::uint8_t> buffer{device, size};
            queue.copy(data, buffer);
            ferry::write_file(queue, buffer, path);
            queue.finish();
            CHECK(get(path) == data);
            CHECK(folder.files() == 1);
        }
        Bytes model = get(path);
        for (int round = 0; round < 8; ++round) {
            const Bytes data = random_values<std::uint8_t>(1 + random_below(model.size()));
            const std::size_t offset = random_below(model.size() / 4096) * (round % 2 == 0 ? 4096 : 1001);
            ferry::Buffer<std::uint8_t> source{device, data.size()};
            queue.copy(data, source);
            ferry::write_file(queue, source, path, {.offset = offset});
            queue.finish();
            model.resize(std::max(model.size(), offset + data.size()));
            std::copy(data.begin(), data.end(), model.begin() + static_cast<std::ptrdiff_t>(offset));
            CHECK(get(path) == model);
        }
        CHECK(folder.files() == 1);
    }
}

FERRY_TEST("file: copies keep their place in the queue, and progress is reported in order") {
    const Staged staged;
    const Folder folder;
    const std::size_t count = 5 * slot / 4 + 3;
    const auto start = random_values<std::uint32_t>(count);
    {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(start.data());
        put(folder.file("in"), Bytes(bytes, bytes + count * 4));
    }
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, count};
    std::vector<std::uint64_t> told;
    queue.fill(buffer, 0U);
    ferry::read_file(queue, folder.file("in"), buffer, {.progress = [&](const ferry::FileProgress& progress) {
                         told.push_back(progress.done);
                         CHECK(progress.total == count * 4);
                     }});
    queue.launch(kernel(device, "stir"), ferry::Grid::covering(count, 64), buffer,
                 static_cast<std::uint32_t>(count), 9U);
    ferry::write_file(queue, buffer, folder.file("out"));
    queue.fill(buffer, 0U);
    ferry::Buffer<std::uint32_t> again{device, count};
    ferry::read_file(queue, folder.file("in"), again);
    queue.finish();
    CHECK(told.size() > 1);
    CHECK(std::is_sorted(told.begin(), told.end()));
    CHECK(told.back() == count * 4);
    auto model = start;
    for (std::uint32_t i = 0; i < count; ++i) {
        model[i] = stir_result(start[i], i, 9);
    }
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(model.data());
    CHECK(get(folder.file("out")) == Bytes(bytes, bytes + count * 4));
    check_same(queue.read(again), start);
}

FERRY_TEST("file: an unreadable or unwritable one is refused at once, by name") {
    const Unchanged unchanged{device};
    const Folder folder;
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> buffer{device, 100};
    const fs::path path = folder.file("short");
    put(path, Bytes(120, 1));
    expect_error(Code::not_found, {"none", "No such file"},
                 [&] { ferry::read_file(queue, folder.file("none"), buffer); });
    expect_error(Code::invalid_argument, {"/tmp", "not a file"},
                 [&] { ferry::read_file(queue, "/tmp", buffer); });
    expect_error(Code::out_of_range, {"100 bytes", "byte 21", "short", "120 bytes"},
                 [&] { ferry::read_file(queue, path, buffer, {.offset = 21}); });
    expect_error(Code::out_of_range, {"byte 18446744073709551615"},
                 [&] { ferry::read_file(queue, path, buffer, {.offset = ~std::uint64_t{0}}); });
    expect_error(Code::not_found, {"nowhere", "No such file"},
                 [&] { ferry::write_file(queue, buffer, folder.file("nowhere/file")); });
    ferry::read_file(queue, path, buffer, {.offset = 20});
    check_same(queue.read(buffer), Bytes(100, 1));
}

FERRY_TEST("file: places that no file has are refused at once, and do not wrap") {
    const Unchanged unchanged{device};
    const Staged staged;
    const Folder folder;
    const fs::path path = folder.file("data");
    const Bytes old = random_values<std::uint8_t>(8 * slot);
    put(path, old);
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> buffer{device, 20 * slot};
    queue.fill(buffer, std::uint8_t{3});
    constexpr std::uint64_t most = std::numeric_limits<off_t>::max();
    for (const std::uint64_t offset :
         {~std::uint64_t{0}, std::uint64_t{0} - slot, most + 1, most - 20 * slot + 1}) {
        CAPTURE(offset);
        const std::initializer_list<std::string> told{"data", "byte " + std::to_string(offset) + " of",
                                                      "9223372036854775807 bytes"};
        expect_error(Code::out_of_range, told,
                     [&] { ferry::write_file(queue, buffer, path, {.offset = offset}); });
        expect_error(Code::out_of_range, told,
                     [&] { ferry::write_file(queue, buffer, folder.file("data2"), {.offset = offset}); });
        expect_error(Code::out_of_range, told,
                     [&] { ferry::read_file(queue, path, buffer, {.offset = offset}); });
    }
    queue.finish();
    CHECK(get(path) == old);
    CHECK(folder.files() == 1);
}

FERRY_TEST("file: a pipe is refused at once, even without another end") {
    const Folder folder;
    const fs::path path = folder.file("pipe");
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> buffer{device, 100};
    std::atomic<bool> over{false}, waited{false};
    std::thread other_end([&] { // makes the test fail instead of waiting for ever
        for (int i = 0; i < 200 && !over; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        waited = !over;
        const int file = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
        while (!over) {
            std::this_thread::yield();
        }
        close(file);
    });
    try {
        ferry::read_file(queue, path, buffer);
        FAIL_CHECK("read_file() took a pipe");
    } catch (const ferry::Error& error) {
        CHECK(error.code() == Code::invalid_argument);
        CHECK(std::string(error.what()).find("/pipe' is not a file of bytes") != std::string::npos);
    }
    over = true;
    other_end.join();
    CHECK_FALSE(waited);
    expect_error(Code::invalid_argument, {"/pipe' is not a file of bytes", "written"},
                 [&] { ferry::write_file(queue, buffer, path, {.offset = 0}); });
    queue.finish();
}

FERRY_TEST("file: a whole new one has the access of the one that it replaces") {
    const Staged staged;
    const Folder folder;
    const fs::path path = folder.file("data");
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> buffer{device, 20 * slot};
    queue.fill(buffer, std::uint8_t{3});
    const auto facts = [](const fs::path& of) {
        struct stat found {};
        REQUIRE(stat(of.c_str(), &found) == 0);
        return found;
    };
    put(folder.file("as made"), Bytes(1, 1));
    const auto write = [&] {
        bool open_to_others = false;
        ferry::write_file(queue, buffer, path, {.progress = [&](const ferry::FileProgress&) {
                              for (const auto& file : fs::directory_iterator(path.parent_path())) {
                                  open_to_others =
                                      open_to_others || (file.path().filename() != "as made" &&
                                                         (facts(file.path()).st_mode & 077U) != 0);
                              }
                          }});
        queue.finish();
        return open_to_others;
    };
    write();
    CHECK(facts(path).st_mode == facts(folder.file("as made")).st_mode);
    CHECK(fs::remove(folder.file("as made")));
    for (const mode_t mode : {0600U, 0400U, 0700U}) {
        CAPTURE(mode);
        REQUIRE(chmod(path.c_str(), mode) == 0);
        CHECK_FALSE(write());
        CHECK((facts(path).st_mode & 07777U) == mode);
    }
    REQUIRE(chmod(path.c_str(), 0666) == 0); // a mode that no usual umask leaves
    write();
    CHECK((facts(path).st_mode & 07777U) == 0666U);
    if (chown(path.c_str(), 1234, 2345) == 0) { // succeeds only for root
        REQUIRE(chmod(path.c_str(), 0640) == 0);
        write();
        CHECK((facts(path).st_mode & 07777U) == 0640U);
        CHECK(facts(path).st_uid == 1234);
        CHECK(facts(path).st_gid == 2345);
    }
    ferry::write_file(queue, buffer, path, {.progress = [&](const ferry::FileProgress&) {
                          CHECK(chmod(path.c_str(), 0600) == 0); // the last change counts
                      }});
    queue.finish();
    CHECK((facts(path).st_mode & 07777U) == 0600U);
    // The owner and user 1234 may read and write, but the group may not. The group bits of the mode show the
    // mask, rw.
    constexpr std::array<std::uint32_t, 11> list{2,   0x60001, ~0U, 0x60002, 1234, 0x4,
                                                 ~0U, 0x60010, ~0U, 0x20,    ~0U};
    const char* const name = "system.posix_acl_access";
    if (setxattr(path.c_str(), name, list.data(), sizeof list, 0) == 0) {
        REQUIRE((facts(path).st_mode & 07777U) == 0660U);
        write();
        std::array<std::uint32_t, 12> now{};
        REQUIRE(getxattr(path.c_str(), name, now.data(), sizeof now) == sizeof list);
        CHECK(std::equal(list.begin(), list.end(), now.begin()));
        CHECK((facts(path).st_mode & 07777U) == 0660U);
    } else {
        MESSAGE("/tmp has no access control lists");
    }
    CHECK(get(path) == Bytes(20 * slot, 3));
    CHECK(folder.files() == 1);
}

FERRY_TEST("file: a whole new one is put where symbolic links lead") {
    const Folder folder;
    const Folder other;
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> buffer{device, 100};
    queue.fill(buffer, std::uint8_t{3});
    put(other.file("data"), Bytes(1, 1));
    fs::create_directory(folder.file("deeper"));
    fs::create_symlink(other.file("data"), folder.file("deeper/second"));
    fs::create_symlink("deeper/second", folder.file("first"));
    fs::create_symlink("nothing yet", folder.file("deeper/new"));
    fs::create_symlink("nowhere/file", folder.file("nowhere"));
    fs::create_symlink("circle", folder.file("circle"));
    const std::size_t files = folder.files();
    ferry::write_file(queue, buffer, folder.file("first"));
    ferry::write_file(queue, buffer, folder.file("deeper/new"));
    queue.finish();
    CHECK(get(other.file("data")) == Bytes(100, 3));
    CHECK(get(folder.file("deeper/nothing yet")) == Bytes(100, 3));
    for (const char* const link : {"first", "deeper/second", "deeper/new"}) {
        CHECK(fs::is_symlink(folder.file(link)));
    }
    expect_error(Code::unavailable, {"circle", "symbolic links"},
                 [&] { ferry::write_file(queue, buffer, folder.file("circle")); });
    expect_error(Code::unavailable, {"nowhere", "links"},
                 [&] { ferry::write_file(queue, buffer, folder.file("nowhere")); });
    CHECK(folder.files() == files);
    CHECK(other.files() == 1);
}

FERRY_TEST("file: only a regular file is replaced") {
    const Staged staged;
    const Folder folder;
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> buffer{device, 20 * slot};
    queue.fill(buffer, std::uint8_t{3});
    REQUIRE(mkfifo(folder.file("pipe").c_str(), 0600) == 0);
    fs::create_directory(folder.file("deeper"));
    fs::create_symlink("/dev/full", folder.file("device")); // an error could replace only the link
    const auto refused = [&](const fs::path& path, const char* kind) {
        expect_error(Code::invalid_argument, {path.string(), kind, "only a regular file is replaced"},
                     [&] { ferry::write_file(queue, buffer, path); });
    };
    refused(folder.file("pipe"), "is a pipe");
    refused(folder.file("deeper"), "is a directory");
    refused(folder.file("deeper/"), "is a directory");
    refused(folder.file("device"), "is a device");
    expect_error(Code::not_found, {"No such file"}, [&] { ferry::write_file(queue, buffer, ""); });
    expect_error(Code::not_found, {"new/"}, [&] { ferry::write_file(queue, buffer, folder.file("new/")); });
    CHECK(folder.files() == 3);
    const int gone = open(folder.file("gone").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(gone >= 0);
    CHECK(fs::remove(folder.file("gone")));
    expect_error(Code::invalid_argument, {"/proc/self/fd/", "leads to a file that is not at"},
                 [&] { ferry::write_file(queue, buffer, "/proc/self/fd/" + std::to_string(gone)); });
    close(gone);
    // A file that becomes a pipe meanwhile remains one.
    bool made = false;
    ferry::write_file(queue, buffer, folder.file("late"), {.progress = [&](const ferry::FileProgress&) {
                          made = made || mkfifo(folder.file("late").c_str(), 0600) == 0;
                      }});
    expect_error_anywhere(Code::command_failed, {"late", "has become a pipe", "file_test.cpp"},
                          [&] { queue.finish(); });
    CHECK(fs::is_fifo(folder.file("late")));
    CHECK(folder.files() == 4);
}

FERRY_TEST("file: a name of 255 characters, and a folder that is not the process's any more") {
    const Folder folder;
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> buffer{device, 100};
    queue.fill(buffer, std::uint8_t{3});
    const std::string name(255, 'n');
    ferry::write_file(queue, buffer, folder.file(name.c_str()));
    queue.finish();
    CHECK(get(folder.file(name.c_str())) == Bytes(100, 3));
    expect_error(Code::unavailable, {"nnnn", "too long"},
                 [&] { ferry::write_file(queue, buffer, folder.file((name + "n").c_str())); });
    const fs::path before = fs::current_path();
    fs::current_path(folder.file(""));
    std::atomic<bool> elsewhere{false};
    ferry::write_file(queue, buffer, "here", {.progress = [&](const ferry::FileProgress&) {
                          while (!elsewhere) {
                              std::this_thread::yield();
                          }
                      }});
    fs::current_path(before);
    elsewhere = true;
    queue.finish();
    CHECK(get(folder.file("here")) == Bytes(100, 3));
    CHECK(folder.files() == 2);
}

FERRY_TEST("file: an exception of a progress function fails the command, and the queue continues") {
    const Unchanged unchanged{device};
    const Staged staged;
    const Folder folder;
    const fs::path path = folder.file("data");
    put(path, Bytes(20 * slot, 7));
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> buffer{device, 20 * slot};
    queue.fill(buffer, std::uint8_t{3});
    const auto expect = [&](const char* function, const char* words) {
        const ferry::Event behind = queue.record();
        const ferry::Status status = behind.status();
        REQUIRE(status.error() != nullptr);
        CHECK(status.error()->code() == Code::command_failed);
        expect_error_anywhere(Code::command_failed, {function, "threw", words, "file_test.cpp"},
                              [&] { queue.finish(); });
    };
    const ferry::FileOptions number{.progress = [](const ferry::FileProgress&) { throw 42; }};
    const ferry::FileOptions other{.progress = [](const ferry::FileProgress&) {
        throw ferry::Error(Code::device_lost, "another device is lost"); // this device is not lost
    }};
    ferry::write_file(queue, buffer, folder.file("out"), number);
    expect("write_file()", "not a std::exception");
    ferry::read_file(queue, path, buffer, number);
    expect("read_file()", "not a std::exception");
    ferry::write_file(queue, buffer, folder.file("out"), other);
    expect("write_file()", "another device is lost");
    CHECK(folder.files() == 1);
    ferry::read_file(queue, path, buffer);
    check_same(queue.read(buffer), Bytes(20 * slot, 7));
}

FERRY_TEST("file: one that becomes shorter meanwhile fails the command, and the queue continues") {
    const Staged staged;
    const Folder folder;
    const fs::path path = folder.file("data");
    const Bytes data = random_values<std::uint8_t>(100 * slot);
    put(path, data);
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> buffer{device, data.size()};
    ferry::read_file(queue, path, buffer, {.progress = [&](const ferry::FileProgress&) {
                         CHECK(truncate(path.c_str(), static_cast<off_t>(slot)) == 0);
                     }});
    const ferry::Event behind = queue.record();
    CHECK(!behind.status().ok());
    expect_error_anywhere(Code::command_failed, {"Reading", path.string(), "became shorter", "file_test.cpp"},
                          [&] { queue.finish(); });
    put(path, data);
    ferry::read_file(queue, path, buffer);
    check_same(queue.read(buffer), data);
}

FERRY_TEST("file: a full disk fails the command, with the system's words") {
    const Staged staged;
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> buffer{device, 10 * slot};
    queue.fill(buffer, std::uint8_t{3});
    ferry::write_file(queue, buffer, "/dev/full", {.offset = 0});
    expect_error_anywhere(Code::command_failed, {"Writing", "/dev/full", "No space left"},
                          [&] { queue.finish(); });
    check_still_works(device);
}

FERRY_TEST("file: a write that fails leaves the old file and nothing else") {
    const Staged staged;
    const Folder folder;
    const fs::path path = folder.file("data");
    const Bytes old = random_values<std::uint8_t>(1000);
    put(path, old);
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> buffer{device, 20 * slot};
    queue.fill(buffer, std::uint8_t{3});
    bool seen_old = true;
    ferry::write_file(queue, buffer, path, {.progress = [&](const ferry::FileProgress& progress) {
                          seen_old = seen_old && get(path) == old;
                          if (progress.done > 10 * slot) {
                              throw std::runtime_error("the caller has had enough");
                          }
                      }});
    expect_error_anywhere(Code::command_failed, {"write_file()", "had enough", "file_test.cpp"},
                          [&] { queue.finish(); });
    CHECK(seen_old);
    CHECK(get(path) == old);
    CHECK(folder.files() == 1);
    ferry::write_file(queue, buffer, path);
    queue.finish();
    CHECK(get(path) == Bytes(20 * slot, 3));
    CHECK(folder.files() == 1);
}

} // namespace file_test
