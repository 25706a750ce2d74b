// SPDX-License-Identifier: Apache-2.0
#include "system/file_io.hpp"
#include "system/folder.hpp"
#include "system/pipe.hpp"
#include "system/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace system_files_test {
namespace {

using namespace ferry::detail;
using Create = OpenOptions::Create;

std::vector<std::byte> random_bytes(std::size_t count) {
    std::mt19937 random(std::random_device{}());
    std::vector<std::byte> bytes(count);
    for (std::byte& byte : bytes) {
        byte = static_cast<std::byte>(random());
    }
    return bytes;
}

int error_of(const FileDescriptor& file) {
    return file ? 0 : errno;
}

} // namespace

TEST_CASE("system: a new file is refused where the name is taken, and a link is not followed") {
    const TemporaryFolder place(TemporaryKind::build);
    const FileDescriptor folder = open_folder(place.path(), FolderUse::names);
    REQUIRE(folder);
    const OpenOptions fresh{
        .writes = true, .create = Create::always, .permissions = 0640, .follows_link = false};
    CHECK(open_file(folder, "a", fresh));
    CHECK(error_of(open_file(folder, "a", fresh)) == EEXIST);
    std::filesystem::create_symlink("a", place.path() + "/link");
    CHECK(open_file(folder, "link", {}));
    CHECK(error_of(open_file(folder, "link", {.follows_link = false})) == ELOOP);
    CHECK(status_in(folder, "link")->kind == FileKind::link);
    CHECK(status_at(place.path() + "/link")->is_same_file(*status_in(folder, "a")));
    CHECK_FALSE(status_in(folder, "b"));
    REQUIRE(::mkfifo((place.path() + "/pipe").c_str(), 0600) == 0);
    CHECK(open_file(folder, "pipe", {})); // Does not wait for a writer.
    CHECK(std::string(to_string(status_in(folder, "pipe")->kind)) == "a pipe");
    CHECK(rename_in(folder, "a", "b"));
    CHECK(remove_in(folder, "b"));
    CHECK_FALSE(remove_in(folder, "b"));
}

TEST_CASE("system: bytes that are written at a position are read there, and reads stop at the end") {
    const TemporaryFolder place(TemporaryKind::build);
    const FileDescriptor file =
        open_file(place.path() + "/a", {.writes = true, .create = Create::if_missing});
    const std::vector<std::byte> bytes = random_bytes(12345);
    const Transferred put = write_at(file, bytes, 777);
    CHECK(put.bytes == bytes.size());
    CHECK(put.error == 0);
    CHECK(size_of(file) == 777 + bytes.size());
    std::vector<std::byte> got(bytes.size() + 100, std::byte{0xa5});
    Transferred read = read_at(file, got, 777);
    CHECK(read.bytes == bytes.size());
    CHECK(read.error == 0);
    CHECK(std::equal(bytes.begin(), bytes.end(), got.begin()));
    CHECK(got[bytes.size()] == std::byte{0xa5});
    CHECK(resize_file(file, 1000));
    read = read_at(file, got, 777);
    CHECK(read.bytes == 223);
    CHECK(read_at(file, got, 5000).bytes == 0);
    CHECK(read_at(FileDescriptor(), got, 0).error == EBADF);
}

TEST_CASE("system: a pipe is ready once it has bytes, and at its end") {
    std::array<Pipe, 2> pipes;
    std::array<FileDescriptor, 2> files{std::move(pipes[0].read_end), std::move(pipes[1].read_end)};
    REQUIRE(files[0]);
    REQUIRE(files[1]);
    CHECK(wait_for_input(files, std::chrono::milliseconds(0)) == 0);
    CHECK(write_all(pipes[1].write_end, "x"));
    CHECK(wait_for_input(files, std::chrono::milliseconds(1000)) == 2);
    pipes[0].write_end = {};
    CHECK(wait_for_input(files, std::chrono::milliseconds(1000)) == 3);
    files[0] = {};
    CHECK(wait_for_input(files, std::chrono::milliseconds(1000)) == 2);
}

TEST_CASE("system: the limit on the size of files does not hold for pipes") {
    struct rlimit before {};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    struct rlimit low = before;
    low.rlim_cur = 4;
    const Pipe pipe;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &low) == 0);
    const bool wrote = write_all(pipe.write_end, "longer than that");
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(wrote);
}

} // namespace system_files_test
