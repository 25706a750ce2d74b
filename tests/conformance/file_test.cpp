// SPDX-License-Identifier: Apache-2.0
// Files into device memory and back.
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"
#include "staged.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

using namespace conformance;
using ferry::Code;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t slot = Staged::slot;
using Bytes = std::vector<std::uint8_t>;

/// A folder of the test's own, gone with all that is in it.
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

/// Out of the page cache, so that it is read from the disk.
void forget(const fs::path& path) {
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(file >= 0);
    fdatasync(file);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    close(file);
}

/// How many of its pages are in the page cache.
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

FERRY_TEST("file: any part of one is read to where it belongs, from disk, cache and memory") {
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

FERRY_TEST("file: copies keep their place in the queue, and progress is told in order") {
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

FERRY_TEST("file: what cannot be read or written is refused at once, by name") {
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

FERRY_TEST("file: one that becomes shorter meanwhile fails the command, and the queue goes on") {
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
    expect_error_anywhere(Code::internal, {"had enough"}, [&] { queue.finish(); });
    CHECK(seen_old);
    CHECK(get(path) == old);
    CHECK(folder.files() == 1);
    ferry::write_file(queue, buffer, path);
    queue.finish();
    CHECK(get(path) == Bytes(20 * slot, 3));
    CHECK(folder.files() == 1);
}
