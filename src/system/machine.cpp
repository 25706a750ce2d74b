// SPDX-License-Identifier: Apache-2.0
#include "system/machine.hpp"

#include <sched.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <string_view>
#include <thread>

namespace ferry::host {
namespace {

// The rest of the first line that starts with `key`, without the separator.
std::string line_of(const std::string& file, std::string_view key) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const std::size_t value = line.find_first_not_of(" \t:", key.size());
        if (line.compare(0, key.size(), key) == 0 && value != std::string::npos && value > key.size()) {
            return line.substr(value);
        }
    }
    return {};
}

std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    return result.ec == std::errc{} ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> number_in(const std::string& file) {
    std::ifstream in(file);
    std::string line;
    return std::getline(in, line) ? number(line) : std::nullopt;
}

struct GroupLimit {
    std::uint64_t limit;
    std::uint64_t used; // Without memory that the kernel would reclaim at once.
};

// Calls `visit` for every memory limit that a control group, of either version, sets on this process.
void for_each_group_limit(const std::function<void(const GroupLimit&)>& visit) {
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const std::size_t path = line.find(":/");
        const bool version_2 = line.rfind("0::", 0) == 0;
        if (path == std::string::npos || (!version_2 && line.find(":memory:") == std::string::npos)) {
            continue;
        }
        const std::string root = version_2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
        // A limit on a parent counts too. In a container the path may be the host's; then only the root
        // exists.
        for (std::string group = line.substr(path + 1);; group.erase(group.rfind('/'))) {
            const std::string folder = root + group + "/";
            if (const auto limit = number_in(folder + (version_2 ? "memory.max" : "memory.limit_in_bytes"))) {
                const auto used =
                    number_in(folder + (version_2 ? "memory.current" : "memory.usage_in_bytes"));
                const auto cache = number(
                    line_of(folder + "memory.stat", version_2 ? "inactive_file" : "total_inactive_file"));
                visit({*limit, used.value_or(0) - std::min(cache.value_or(0), used.value_or(0))});
            }
            if (group.empty()) {
                break;
            }
        }
    }
}

std::optional<std::uint64_t> memory_line(const char* key) {
    const auto kibibytes = number(line_of("/proc/meminfo", key));
    return kibibytes ? std::optional(*kibibytes * 1024) : std::nullopt;
}

std::uint64_t memory_without_proc() noexcept {
    struct sysinfo system {};
    return ::sysinfo(&system) == 0 ? std::uint64_t{system.totalram} * system.mem_unit
                                   : std::numeric_limits<std::int64_t>::max(); // Not known: no limit.
}

const char* thread_setting() noexcept {
    const char* text = secure_getenv("FERRY_HOST_THREADS");
    return text != nullptr && *text != '\0' ? text : nullptr;
}

std::optional<std::uint32_t> threads_wanted() {
    const std::string_view text = thread_setting();
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool valid = error == std::errc{} && end == text.data() + text.size() && value > 0;
    return valid ? std::optional(value) : std::nullopt;
}

} // namespace

std::string architecture() {
    utsname system{};
    return uname(&system) == 0 ? system.machine : "";
}

std::string operating_system() {
    utsname system{};
    return uname(&system) == 0 ? std::string(system.sysname) + " " + system.release : "";
}

std::uint32_t clock_mhz() {
    const auto khz = number_in("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
    return static_cast<std::uint32_t>(khz.value_or(0) / 1000);
}

std::uint64_t total_memory() {
    static const std::uint64_t total = [] {
        std::uint64_t bytes = memory_line("MemTotal").value_or(0);
        bytes = bytes != 0 ? bytes : memory_without_proc();
        for_each_group_limit([&](const GroupLimit& group) { bytes = std::min(bytes, group.limit); });
        return bytes;
    }();
    return total;
}

std::optional<std::uint64_t> free_memory() {
    std::optional<std::uint64_t> bytes = memory_line("MemAvailable");
    for_each_group_limit([&](const GroupLimit& group) {
        bytes =
            std::min(bytes.value_or(total_memory()), group.limit > group.used ? group.limit - group.used : 0);
    });
    return bytes;
}

std::uint32_t thread_count() {
    static const std::uint32_t count = [] {
        const std::uint32_t most = usable_processors();
        return thread_setting() == nullptr ? most : std::min(threads_wanted().value_or(most), most);
    }();
    return count;
}

std::uint32_t usable_processors() noexcept {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0) {
        return static_cast<std::uint32_t>(std::max(CPU_COUNT(&set), 1));
    }
    return std::max(std::thread::hardware_concurrency(), 1U); // More processors than the set can hold.
}

std::optional<std::uint64_t> lockable_memory() noexcept {
    rlimit limit{};
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return std::nullopt;
    }
    return limit.rlim_cur;
}

std::uint32_t configured_processors() noexcept {
    return static_cast<std::uint32_t>(std::max(sysconf(_SC_NPROCESSORS_CONF), 0L));
}

std::pair<unsigned long, unsigned long> processor_features() noexcept {
    return {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
}

int current_processor() noexcept {
    return sched_getcpu();
}

void leave_processor(int processor) noexcept {
    cpu_set_t allowed; // Up to 1024 processors; on larger machines no thread is moved.
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return;
    }
    cpu_set_t others = allowed;
    CPU_CLR(static_cast<std::size_t>(processor), &others);
    if (CPU_COUNT(&others) != 0 && sched_setaffinity(0, sizeof others, &others) == 0) {
        sched_setaffinity(0, sizeof allowed, &allowed);
    }
}

std::optional<std::string> thread_setting_fault() {
    if (thread_setting() == nullptr || threads_wanted()) {
        return std::nullopt;
    }
    return "FERRY_HOST_THREADS is \"" + std::string(thread_setting()) +
           "\", but must be a number of threads, 1 or more; unset it to use every processor.";
}

} // namespace ferry::host
