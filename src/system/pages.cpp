// SPDX-License-Identifier: Apache-2.0
#include "system/pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace ferry::detail {
namespace {

int protection(PageRights rights) noexcept {
    return rights == PageRights::all    ? PROT_READ | PROT_WRITE
           : rights == PageRights::read ? PROT_READ
                                        : PROT_NONE;
}

} // namespace

std::size_t page_size() noexcept {
    return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); // Never fails.
}

std::byte* map_pages(std::size_t bytes, PageRights rights) noexcept {
    const int reserve = rights == PageRights::none ? MAP_NORESERVE : 0;
    void* const at = ::mmap(nullptr, bytes, protection(rights), MAP_PRIVATE | MAP_ANONYMOUS | reserve, -1, 0);
    return at != MAP_FAILED ? static_cast<std::byte*>(at) : nullptr;
}

void unmap_pages(void* at, std::size_t bytes) noexcept {
    ::munmap(at, bytes);
}

bool set_page_rights(void* at, std::size_t bytes, PageRights rights) noexcept {
    return ::mprotect(at, bytes, protection(rights)) == 0;
}

void drop_pages(void* at, std::size_t bytes) noexcept {
    ::madvise(at, bytes, MADV_DONTNEED);
}

bool are_mapped(const void* at, std::size_t bytes) noexcept {
    return ::msync(const_cast<void*>(at), bytes, MS_ASYNC) == 0;
}

std::optional<std::size_t> absent_pages(const void* at, std::size_t bytes) noexcept {
    std::array<unsigned char, 1024> present; // NOLINT: written by mincore().
    const std::size_t most = present.size() * page_size();
    std::size_t absent = 0;
    for (std::size_t done = 0; done < bytes; done += most) {
        const std::size_t part = std::min(bytes - done, most);
        void* const from = static_cast<std::byte*>(const_cast<void*>(at)) + done;
        if (::mincore(from, part, present.data()) != 0) {
            return std::nullopt;
        }
        absent += static_cast<std::size_t>(
            std::count_if(present.begin(), present.begin() + static_cast<std::ptrdiff_t>(part / page_size()),
                          [](unsigned char page) { return (page & 1U) == 0; }));
    }
    return absent;
}

int make_present(const void* at, std::size_t bytes, PageRights rights) noexcept {
    constexpr int populate_read = 22; // Headers before Linux 5.14 do not define them.
    constexpr int populate_write = 23;
    const int advice = rights == PageRights::all ? populate_write : populate_read;
    return ::madvise(const_cast<void*>(at), bytes, advice) == 0 ? 0 : errno;
}

AnonymousMapping::AnonymousMapping(std::size_t bytes) noexcept
    : bytes_(bytes), data_(map_pages(bytes, PageRights::all)) {
    if (data_ != nullptr) {
        ::madvise(data_, bytes_, MADV_HUGEPAGE);
    }
}

AnonymousMapping::~AnonymousMapping() {
    if (data_ != nullptr) {
        unmap_pages(data_, bytes_);
    }
}

} // namespace ferry::detail
