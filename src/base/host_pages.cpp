// SPDX-License-Identifier: Apache-2.0
#include "base/host_pages.hpp"

#include "base/text.hpp"
#include "system/pages.hpp"

#include <ferry/error.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#ifndef MADV_POPULATE_READ // Since Linux 5.14. Older headers do not define it.
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

namespace ferry::detail::staging {
namespace {

enum class Access { read, write };

std::string hexadecimal(std::uintptr_t address) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(address));
    return text.data();
}

[[noreturn]] void refuse(std::uintptr_t first, std::uintptr_t end, std::uintptr_t bad, Access access,
                         const char* why) {
    throw Error(Code::invalid_argument,
                std::string(access == Access::read ? "The source" : "The destination") + " of a copy, " +
                    in_bytes(end - first) + " at " + hexadecimal(first) + ", " + why + " at " +
                    hexadecimal(bad));
}

/// Slow but complete: reads the kernel's list of mappings.
void check_mappings(std::uintptr_t first, std::uintptr_t end, Access access) {
    std::ifstream maps("/proc/self/maps");
    std::string line;
    std::uintptr_t checked = first;
    while (checked < end && std::getline(maps, line)) {
        unsigned long long from = 0;
        unsigned long long to = 0;
        char readable = 0;
        char writable = 0;
        if (std::sscanf(line.c_str(), "%llx-%llx %c%c", &from, &to, &readable, &writable) != 4 ||
            to <= checked) {
            continue;
        }
        if (from > checked) {
            refuse(first, end, checked, access, "is not mapped");
        }
        if ((access == Access::read ? readable : writable) == '-') {
            refuse(first, end, checked, access,
                   access == Access::read ? "must not be read" : "must not be written");
        }
        checked = static_cast<std::uintptr_t>(to);
    }
    if (checked < end && maps.eof()) {
        refuse(first, end, checked, access, "is not mapped");
    }
}

/// Makes the pages of [from, to) present. Throws the reason if that is not possible.
void populate(std::uintptr_t from, std::uintptr_t to, Access access, std::uintptr_t first,
              std::uintptr_t end) {
    const int advice = access == Access::read ? MADV_POPULATE_READ : MADV_POPULATE_WRITE;
    if (madvise(reinterpret_cast<void*>(from), to - from, advice) == 0) {
        return;
    }
    if (errno == EFAULT) {
        refuse(first, end, from, access,
               "lies beyond the end of the file it maps, or cannot be read from it,");
    }
    check_mappings(first, end,
                   access); // ENOMEM: unmapped pages, or no memory. EINVAL: no permission, or an old kernel.
}

void check(std::uintptr_t first, std::size_t bytes, Access access) {
    const std::uintptr_t end = first + bytes;
    const std::uintptr_t page = page_size();
    const std::uintptr_t first_page = first & ~(page - 1);
    const std::uintptr_t last_page = (end - 1) & ~(page - 1);
    std::array<unsigned char, 1025> present; // NOLINT: written by mincore().
    for (std::uintptr_t at = first_page; at <= last_page;) {
        const std::size_t pages = std::min<std::size_t>(present.size(), (last_page - at) / page + 1);
        const std::uintptr_t to = at + pages * page;
        if (mincore(reinterpret_cast<void*>(at), to - at, present.data()) != 0) {
            check_mappings(first, end, access);
        } else {
            // Checking one page is sufficient for its mapping, and most pieces are in one mapping.
            const auto absent =
                std::count_if(present.begin(), present.begin() + static_cast<std::ptrdiff_t>(pages),
                              [](unsigned char p) { return (p & 1U) == 0; });
            const bool fresh = static_cast<std::size_t>(absent) > pages / 8;
            if (fresh && access == Access::write) {
                populate(at, to, access, first, end);
            } else {
                populate(at, at + page, access, first, end);
                populate(to - page, to, access, first, end);
            }
        }
        at = to;
    }
}

} // namespace

void check_readable(const void* from, std::size_t bytes) {
    check(reinterpret_cast<std::uintptr_t>(from), bytes, Access::read);
}

void prepare_for_writing(void* to, std::size_t bytes) {
    check(reinterpret_cast<std::uintptr_t>(to), bytes, Access::write);
}

} // namespace ferry::detail::staging
