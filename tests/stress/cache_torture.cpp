// SPDX-License-Identifier: Apache-2.0
// Many processes of two versions of Ferry use one cache. A third of them is killed repeatedly, and others
// damage the cache's files. No loaded entry may be wrong, and no process may crash or hang. Then the same is
// tested on a full disk.
#include "cache_torture.hpp"

#include "cache/disk_cache.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <optional>
#include <thread>
#include <vector>

namespace torture {
namespace {

constexpr std::uint64_t mebibyte = 1024 * 1024;
using Clock = std::chrono::steady_clock;

struct Options {
    std::size_t processes = 64;
    double seconds = 20;
    std::uint64_t seed = std::random_device{}();
};

Tally& shared_tally() {
    void* const memory =
        ::mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        std::perror("mmap");
        std::exit(2);
    }
    return *new (memory) Tally;
}

class Crowd {
public:
    Crowd(const Place& place, Tally& tally, Random& random) : place_(place), tally_(tally), random_(random) {}

    void start(int (*body)(const Place&, Tally&, std::uint64_t)) {
        members_.push_back(0);
        launch(members_.size() - 1, body);
    }
    /// Kills a member with SIGKILL and starts a new one in its place.
    void replace(std::size_t member, int (*body)(const Place&, Tally&, std::uint64_t)) {
        ::kill(members_[member], SIGKILL);
        int status = 0;
        ::waitpid(members_[member], &status, 0);
        ++killed_;
        judge(status, WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        launch(member, body);
    }
    void finish() {
        for (const pid_t member : members_) {
            int status = 0;
            ::waitpid(member, &status, 0);
            judge(status, status == 0);
        }
    }
    std::uint64_t killed() const noexcept { return killed_; }
    std::uint64_t bad() const noexcept { return bad_; }

private:
    void judge(int status, bool well) {
        if (!well) {
            ++bad_;
            std::printf("a process ended with %s %d\n", WIFSIGNALED(status) ? "signal" : "status",
                        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        }
    }
    void launch(std::size_t member, int (*body)(const Place&, Tally&, std::uint64_t)) {
        const std::uint64_t seed = random_();
        members_[member] = ::fork();
        if (members_[member] == 0) {
            ::_exit(body(place_, tally_, seed));
        }
        if (members_[member] < 0) {
            std::perror("fork");
            std::exit(2);
        }
    }

    const Place& place_;
    Tally& tally_;
    Random& random_;
    std::vector<pid_t> members_;
    std::uint64_t killed_ = 0;
    std::uint64_t bad_ = 0;
};

std::uint64_t bytes_in(const std::string& directory) {
    std::uint64_t bytes = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator item(directory, error), end; !error && item != end;
         item.increment(error)) {
        std::error_code gone;
        const std::uint64_t size = item->is_regular_file(gone) ? item->file_size(gone) : 0;
        bytes += gone ? 0 : size;
    }
    return bytes;
}

bool run(const char* title, const Options& options, const Place& place, Random& random, bool full) {
    Tally& tally = shared_tally();
    Crowd crowd(place, tally, random);
    for (std::size_t i = 0; i < options.processes; ++i) {
        crowd.start(work);
    }
    crowd.start(damage);
    crowd.start(damage);
    const std::size_t mortal = (options.processes + 2) / 3;
    std::uint64_t most_bytes = 0;
    const auto happened = [&] {
        return tally.right_of[0] > 0 && tally.right_of[1] > 0 && tally.stores > 0 && tally.damaged > 0 &&
               tally.bits_flipped > 0 && crowd.killed() > 0 &&
               (full ? tally.failed_stores > 0 : tally.evicted > 0);
    };
    const auto end = Clock::now() + std::chrono::duration<double>(options.seconds);
    const auto latest = end + std::chrono::minutes(1); // many processes may make slow progress
    while (Clock::now() < end || (!happened() && Clock::now() < latest)) {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
        crowd.replace(random() % mortal, work);
        most_bytes = std::max(most_bytes, bytes_in(place.directory));
    }
    tally.stop = true;
    crowd.finish();

    ferry::cache::DiskCache cache({place.directory, "", place.limit, {}});
    const std::uint64_t left = cache.clear().files;
    const auto n = [](const Count& count) { return static_cast<unsigned long long>(count); };
    std::printf("%s: %zu processes, %llu killed, %llu ended badly\n"
                "  %llu loads, %llu and %llu of two versions right, %llu wrong; %llu entries stored, %llu "
                "could not be\n"
                "  damage done: %llu bits flipped, %llu files cut, %llu exchanged, %llu removed, %llu put in "
                "the way\n"
                "  damage found: %llu entries; %llu evicted, %llu files of the dead removed, %llu times "
                "cleared, %llu "
                "files at the "
                "end, %llu bytes at most\n",
                title, options.processes, static_cast<unsigned long long>(crowd.killed()),
                static_cast<unsigned long long>(crowd.bad()), n(tally.loads), n(tally.right_of[0]),
                n(tally.right_of[1]), n(tally.wrong), n(tally.stores), n(tally.failed_stores),
                n(tally.bits_flipped), n(tally.files_cut), n(tally.files_exchanged), n(tally.files_removed),
                n(tally.files_made), n(tally.damaged), n(tally.evicted), n(tally.abandoned), n(tally.clears),
                static_cast<unsigned long long>(left), static_cast<unsigned long long>(most_bytes));
    std::fflush(stdout);
    if (!happened()) {
        std::printf("  too little happened to show anything\n");
    }
    // Each process may exceed the limit by a 64th, and by the file that it is writing.
    const bool within = most_bytes <= place.limit * (2 + options.processes / 16);
    if (!within) {
        std::printf("  the limit of %llu bytes was not kept\n", static_cast<unsigned long long>(place.limit));
    }
    return happened() && within && tally.wrong == 0 && crowd.bad() == 0;
}

/// Runs in a separate process, because it changes its view of the file systems.
bool run_on_full_disk(const Options& options, const std::string& directory, Random& random) {
    const pid_t child = ::fork();
    if (child == 0) {
        std::string why;
        bool good = false;
        if (mount_small_disk(directory, mebibyte, why)) {
            good = run("a disk of 1 MiB that is full", options, {directory, 512 * mebibyte, 0}, random, true);
        } else {
            std::printf("No small disk can be mounted here (%s); a limit on the size of files stands in.\n",
                        why.c_str());
            good = run("files of more than 4000 bytes refused", options, {directory, 512 * mebibyte, 4000},
                       random, true);
        }
        std::fflush(stdout);
        ::_exit(good ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return status == 0;
}

std::optional<Options> parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const bool has_value = i + 1 < argc;
        if (has_value && std::strcmp(argv[i], "--processes") == 0) {
            options.processes = std::strtoull(argv[++i], nullptr, 0);
        } else if (has_value && std::strcmp(argv[i], "--seconds") == 0) {
            options.seconds = std::atof(argv[++i]);
        } else if (has_value && std::strcmp(argv[i], "--seed") == 0) {
            options.seed = std::strtoull(argv[++i], nullptr, 0);
        } else {
            std::printf("usage: %s [--processes N] [--seconds N] [--seed N]\n", argv[0]);
            return std::nullopt;
        }
    }
    return options;
}

} // namespace
} // namespace torture

int main(int argc, char** argv) {
    using namespace torture;
    const std::optional<Options> options = parse(argc, argv);
    if (!options || options->processes == 0) {
        return 2;
    }
    std::printf("ferry_cache_torture --processes %zu --seconds %g --seed %llu\n", options->processes,
                options->seconds, static_cast<unsigned long long>(options->seed));
    std::fflush(stdout);
    Random random(options->seed);
    std::string directory = (std::filesystem::temp_directory_path() / "ferry-torture-XXXXXX").string();
    if (::mkdtemp(directory.data()) == nullptr) {
        std::perror("mkdtemp");
        return 2;
    }
    bool good = run("damaged files", *options, {directory, mebibyte, 0}, random, false);
    good = run_on_full_disk(*options, directory, random) && good;
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
    std::printf(good ? "No result was wrong.\n" : "FAILED\n");
    return good ? 0 : 1;
}
