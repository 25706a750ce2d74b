// SPDX-License-Identifier: Apache-2.0
#include "base/host_pages.hpp"

#include "base/decimal.hpp"
#include "base/text.hpp"
#include "system/mappings.hpp"
#include "system/pages.hpp"

#include <ferry/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>

namespace ferry::detail::staging {
namespace {

enum class Access { read, write };

[[noreturn]] void refuse(std::uintptr_t first, std::uintptr_t end, std::uintptr_t bad, Access access,
                         const char* why) {
    throw Error(Code::invalid_argument,
                std::string(access == Access::read ? "The source" : "The destination") + " of a copy, " +
                    in_bytes(end - first) + " at " + address_text(first) + ", " + why + " at " +
                    address_text(bad));
}

/// Slow but complete: reads the list of mappings.
void check_mappings(std::uintptr_t first, std::uintptr_t end, Access access) {
    MappingReader reader(first);
    std::uintptr_t checked = reader.is_available() ? first : end;
    for (Mapping mapping; checked < end && reader.next(mapping); checked = mapping.end) {
        if (mapping.begin > checked) {
            break;
        }
        if (!(access == Access::read ? mapping.reads : mapping.writes)) {
            refuse(first, end, checked, access,
                   access == Access::read ? "must not be read" : "must not be written");
        }
    }
    if (checked < end) {
        refuse(first, end, checked, access, "is not mapped");
    }
}

/// Makes the pages of [from, to) present. Throws the reason if that is not possible.
void populate(std::uintptr_t from, std::uintptr_t to, Access access, std::uintptr_t first,
              std::uintptr_t end) {
    const int error = make_present(reinterpret_cast<const void*>(from), to - from,
                                   access == Access::read ? PageRights::read : PageRights::all);
    if (error == EFAULT) {
        refuse(first, end, from, access,
               "lies beyond the end of the file it maps, or cannot be read from it,");
    }
    if (error != 0) {
        check_mappings(first, end, access);
    }
}

void check(std::uintptr_t first, std::size_t bytes, Access access) {
    const std::uintptr_t end = first + bytes;
    const std::uintptr_t page = page_size();
    const std::uintptr_t last = (end + page - 1) & ~(page - 1);
    constexpr std::size_t most_pages = 1024;
    for (std::uintptr_t at = first & ~(page - 1); at < last;) {
        const std::uintptr_t to = std::min(last, at + most_pages * page);
        const auto absent = absent_pages(reinterpret_cast<const void*>(at), to - at);
        if (!absent) {
            check_mappings(first, end, access);
        } else if (access == Access::write && *absent > (to - at) / page / 8) {
            populate(at, to, access, first, end);
        } else { // Checking one page is sufficient for its mapping, and most pieces are in one mapping.
            populate(at, at + page, access, first, end);
            populate(to - page, to, access, first, end);
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
