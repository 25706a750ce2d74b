// SPDX-License-Identifier: Apache-2.0
// Temporary folders and files are removed, however the process ends.
#include "../support/child.hpp"
#include "cache/private_file.hpp"
#include "host/host_run.hpp"
#include "probe/icd_files.hpp"
#include "system/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

namespace {

namespace fs = std::filesystem;
using ferry::detail::remove_left_temporaries;
using ferry::detail::TemporaryFolder;
using ferry::detail::TemporaryKind;

/// A parent folder for them, named by TMPDIR.
struct Place {
    Place() {
        path = fs::temp_directory_path() / "ferry-folder-test-XXXXXX";
        std::string name = path;
        path = mkdtemp(name.data());
        const char* const before = std::getenv("TMPDIR");
        kept = before != nullptr ? std::optional<std::string>(before) : std::nullopt;
        setenv("TMPDIR", path.c_str(), 1);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() {
        kept ? setenv("TMPDIR", kept->c_str(), 1) : unsetenv("TMPDIR");
        fs::remove_all(path);
    }
    std::size_t count() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(path), fs::directory_iterator()));
    }
    fs::path path;
    std::optional<std::string> kept;
};

void make_old(const fs::path& path) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1));
}

fs::path make_folder(const fs::path& path, std::initializer_list<const char*> files) {
    fs::create_directory(path);
    chmod(path.c_str(), 0700);
    for (const char* const file : files) {
        std::ofstream(path / file) << "text";
    }
    make_old(path);
    return path;
}

// A folder of each kind, and a file of kernels.
const support::ChildBody is_killed("be killed with temporary folders", [](const std::string&) -> int {
    const TemporaryFolder folder(TemporaryKind::build);
    ferry::host::write_file(folder.path() + "/kernels.cpp", "int x;");
    const ferry::detail::probe::IcdFolder icds({{"libone.so", "a"}, {"libtwo.so", "b"}});
    const ferry::cache::PrivateFile kernels("kernels", "label", ferry::cache::PrivateFile::Place::disk);
    raise(SIGKILL);
    return 0;
});

void make_all_old(const fs::path& place) {
    for (const fs::directory_entry& entry : fs::directory_iterator(place)) {
        make_old(entry.path());
    }
}

} // namespace

TEST_CASE("what a killed process left is removed by a later process") {
    const Place place;
    const support::ChildResult killed =
        support::run({.arguments = {"--child=be killed with temporary folders|"}, .environment = {}});
    REQUIRE_MESSAGE(killed.signal == SIGKILL, killed.describe());
    REQUIRE(place.count() == 3);
    remove_left_temporaries(place.path);
    CHECK(place.count() == 3); // too recent to be removed
    make_all_old(place.path);
    const support::ChildResult next =
        support::run({.arguments = {"--child=be killed with temporary folders|"}, .environment = {}});
    REQUIRE_MESSAGE(next.signal == SIGKILL, next.describe());
    CHECK(place.count() == 3); // its own
}

TEST_CASE("each kind of temporary folder is in use while it lives") {
    const Place place;
    {
        const ferry::detail::probe::IcdFolder icds({{"libone.so", "a"}, {"libtwo.so", "b"}});
        REQUIRE(icds);
        const ferry::cache::PrivateFile kernels("kernels", "label", ferry::cache::PrivateFile::Place::disk);
        REQUIRE(place.count() == 2);
        make_all_old(place.path);
        remove_left_temporaries(place.path);
        CHECK(place.count() == 2);
    }
    CHECK(place.count() == 0);
}

TEST_CASE("a folder in use, and folders of others, are not removed") {
    const Place place;
    const TemporaryFolder used(TemporaryKind::build);
    ferry::host::write_file(used.path() + "/kernels.cpp", "int x;");
    make_old(used.path());
    const fs::path file = make_folder(place.path / "ferry-build-abcdef", {"results.txt"});
    const fs::path deep = make_folder(place.path / "ferry-build-ABCDEF", {"kernels.cpp"});
    fs::create_directory(deep / "more");
    make_old(deep);
    const fs::path name = make_folder(place.path / "ferry-build-of-mine", {"kernels.cpp"});
    const fs::path other = make_folder(place.path / "ferry-icd-abcdef", {"kernels.cpp"});
    const fs::path folder = make_folder(place.path / "ferry-kernels-1-2-3.so", {"kernels.cpp"});
    const fs::path target = make_folder(place.path / "target", {"kernels.cpp"});
    fs::create_directory_symlink(target, place.path / "ferry-build-linked");
    const fs::path left = make_folder(place.path / "ferry-build-0a1B2c", {"kernels.cpp", "ccXYZ.s"});
    remove_left_temporaries(place.path);
    CHECK(fs::exists(used.path() + "/kernels.cpp"));
    CHECK(fs::exists(file / "results.txt"));
    CHECK(fs::exists(deep / "kernels.cpp"));
    CHECK(fs::exists(name / "kernels.cpp"));
    CHECK(fs::exists(other / "kernels.cpp"));
    CHECK(fs::exists(folder / "kernels.cpp"));
    CHECK(fs::exists(target / "kernels.cpp"));
    CHECK_FALSE(fs::exists(left));
}

TEST_CASE("the compiler's own temporary files go into the folder") {
    const TemporaryFolder folder(TemporaryKind::build);
    const auto result = ferry::host::run({"/bin/sh", "-c", "printf %s \"$TMPDIR\""}, folder.path());
    CHECK(result.status == 0);
    CHECK(result.output == folder.path());
}
