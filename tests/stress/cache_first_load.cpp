// SPDX-License-Identifier: Apache-2.0
// Measures the cost of a warm cache in a new process: from the first call of the cache to the bytes of the
// first kernel.
#include "../support/child.hpp"
#include "cache/disk_cache.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace {

constexpr int rounds = 40;

/// The key of a source of the usual size.
ferry::cache::Key key_of(const std::string& kibibytes) {
    ferry::cache::Key key;
    key.add("kibibytes", kibibytes).add("source", std::string(20000, 's'));
    return key;
}

const support::ChildBody bodies[] = {
    {"first load",
     [](const std::string& kibibytes) {
         const ferry::cache::Key key = key_of(kibibytes);
         const auto begin = std::chrono::steady_clock::now();
         const auto found = ferry::cache::shared().load(key);
         const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
         std::printf("%.1f\n", time.count());
         return found && found->size() == std::stoul(kibibytes) * 1024 ? 0 : 1;
     }},
};

bool measure(const std::string& directory, const std::string& kibibytes) {
    ferry::cache::DiskCache cache({directory, "", std::uint64_t{1} << 30U, {}});
    cache.store(key_of(kibibytes), std::string(std::stoul(kibibytes) * 1024, 'k'));
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
        const support::ChildResult result = support::run(
            {.arguments = {"--child=first load|" + kibibytes},
             .environment = {{"FERRY_CACHE_DIR", directory}, {"FERRY_CACHE_LIMIT", std::nullopt}}});
        if (!result.exited(0)) {
            std::printf("%s\n", result.describe().c_str());
            return false;
        }
        times.push_back(std::atof(result.output.c_str()));
    }
    std::sort(times.begin(), times.end());
    std::printf("%5s KiB: median %7.1f us, longest %7.1f us of %d processes\n", kibibytes.c_str(),
                times[rounds / 2], times.back(), rounds);
    return true;
}

} // namespace

int main(int argc, char** argv) {
    if (const std::optional<int> status = support::run_child_body(argc, argv)) {
        return *status;
    }
    std::string directory = (std::filesystem::temp_directory_path() / "ferry-first-XXXXXX").string();
    if (::mkdtemp(directory.data()) == nullptr) {
        std::perror("mkdtemp");
        return 2;
    }
    bool good = true;
    for (const char* kibibytes : {"16", "256", "4096"}) {
        good = measure(directory, kibibytes) && good;
    }
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
    return good ? 0 : 1;
}
