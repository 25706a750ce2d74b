// SPDX-License-Identifier: Apache-2.0
#include "system/page_cache.hpp"

#include "system/pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ferry::detail {
namespace {

constexpr long cachestat_call =
    451; // The same on all architectures except Alpha. Headers before Linux 6.5 do not define it.

struct CacheRange {
    std::uint64_t offset;
    std::uint64_t bytes;
};

struct CacheCounts {
    std::uint64_t present;
    std::uint64_t dirty;
    std::uint64_t written_back;
    std::uint64_t evicted;
    std::uint64_t evicted_recently;
};

bool owns_or_may_write(int file) {
    struct stat facts {};
    if (fstat(file, &facts) != 0) {
        return false;
    }
    return facts.st_uid == geteuid() ||
           faccessat(AT_FDCWD, ("/proc/self/fd/" + std::to_string(file)).c_str(), W_OK, AT_EACCESS) == 0;
}

} // namespace

PageCache::PageCache(const FileDescriptor& file)
    : file_(file.get()), mapping_tells_(owns_or_may_write(file_)) {}

bool PageCache::has(std::uint64_t offset, std::size_t bytes) const {
    if (file_ < 0 || bytes == 0) {
        return false;
    }
    const std::uint64_t page = page_size();
    const std::uint64_t first = offset / page * page;
    const std::uint64_t pages = (offset + bytes - first + page - 1) / page;
    CacheRange range{first, pages * page};
    CacheCounts counts{};
    if (syscall(cachestat_call, file_, &range, &counts, 0) == 0) {
        return counts.present == pages;
    }
    if (!mapping_tells_) {
        return false;
    }
    void* const mapped = mmap(nullptr, pages * page, PROT_READ, MAP_SHARED, file_, static_cast<off_t>(first));
    if (mapped == MAP_FAILED) {
        return false;
    }
    std::vector<unsigned char> present(pages);
    const bool told = mincore(mapped, pages * page, present.data()) == 0;
    munmap(mapped, pages * page);
    return told && std::all_of(present.begin(), present.end(), [](unsigned char p) { return (p & 1U) != 0; });
}

} // namespace ferry::detail
