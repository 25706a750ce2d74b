// SPDX-License-Identifier: Apache-2.0
#include "location.hpp"

#include "system/files.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace ferry::cache {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;
constexpr std::uint64_t default_mebibytes = 512;
constexpr std::uint64_t most_mebibytes = std::uint64_t{1} << 40U;

std::string environment(const char* name) {
    const char* value = secure_getenv(name);
    return value != nullptr ? value : "";
}

bool is_absolute(std::string_view path) noexcept {
    return !path.empty() && path.front() == '/';
}

void read_limit(Location& location) {
    const std::string text = environment("FERRY_CACHE_LIMIT");
    std::uint64_t mebibytes = default_mebibytes;
    if (!text.empty()) {
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, mebibytes);
        if (stop != end || error == std::errc::invalid_argument) {
            location.note = "The cache of compiled kernels is off: FERRY_CACHE_LIMIT is \"" + text +
                            "\", which is no whole number of MiB";
            return;
        }
        if (error == std::errc::result_out_of_range) {
            mebibytes = most_mebibytes;
        }
    }
    if (mebibytes == 0) {
        location.note = "The cache of compiled kernels is off: FERRY_CACHE_LIMIT is 0";
    }
    location.limit = std::min(mebibytes, most_mebibytes) * mebibyte;
}

void read_directory(Location& location) {
    if (std::string named = environment("FERRY_CACHE_DIR"); !named.empty()) {
        // Made absolute now, because the program may change its working directory.
        if (!is_absolute(named)) {
            const std::string here = detail::working_directory();
            if (here.empty()) {
                location.note = "There is no cache of compiled kernels: FERRY_CACHE_DIR is \"" + named +
                                "\", and the working directory it starts from is gone";
                return;
            }
            named = here + '/' + named;
        }
        location.directory = std::move(named);
    } else if (const std::string base = environment("XDG_CACHE_HOME"); is_absolute(base)) {
        location.directory = base + "/ferry";
    } else if (std::string home = environment("HOME"); is_absolute(home)) {
        location.directory = home + "/.cache/ferry";
        location.existing = std::move(home);
    } else {
        location.note =
            "There is no cache of compiled kernels: neither FERRY_CACHE_DIR nor XDG_CACHE_HOME nor "
            "HOME names a directory";
    }
}

} // namespace

Location location_from_environment() {
    Location location;
    read_limit(location);
    if (location.note.empty()) {
        read_directory(location);
    }
    return location;
}

} // namespace ferry::cache
