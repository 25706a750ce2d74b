// SPDX-License-Identifier: Apache-2.0
#include "system/mappings.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace ferry::detail {
namespace {

/// The argument of the ioctl PROCMAP_QUERY of /proc/self/maps (Linux 6.11; proc(5), linux/fs.h). Written with
/// numbers, because older headers lack the names.
struct MappingQuery {
    std::uint64_t size = sizeof(MappingQuery);
    std::uint64_t flags = 0x10; ///< The mapping there or the next one.
    std::uint64_t address = 0;
    std::uint64_t begin = 0, end = 0;
    std::uint64_t rights = 0; ///< 1 to read, 2 to write.
    std::uint64_t page_size = 0, file_offset = 0, inode = 0;
    std::uint32_t device_major = 0, device_minor = 0;
    std::uint32_t name_size = 0, build_id_size = 0;
    std::uint64_t name = 0, build_id = 0;
};
static_assert(sizeof(MappingQuery) == 104);
constexpr unsigned long query_mapping = _IOWR('f', 17, MappingQuery);

/// The first mapping that ends after `address`, from the kernel's tree. Returns zero or an errno: ENOENT if
/// there is none, others (ENOTTY) if the kernel has no such query.
int mapping_from(int maps, std::uintptr_t address, Mapping& mapping) {
    char name[4096] = {}; // The kernel returns no longer name.
    MappingQuery query;
    query.address = address;
    query.name_size = sizeof name;
    query.name = reinterpret_cast<std::uintptr_t>(name);
    if (::ioctl(maps, query_mapping, &query) != 0) {
        if (errno != ENAMETOOLONG) {
            return errno;
        }
        name[0] = '/'; // A file's: no device has a longer name.
        query.name_size = 0;
        query.name = 0;
        if (::ioctl(maps, query_mapping, &query) != 0) {
            return errno;
        }
    }
    mapping = {query.begin,
               query.end,
               (query.rights & 1) != 0,
               (query.rights & 2) != 0,
               std::strncmp(name, "[stack", 6) == 0,
               query.inode != 0 && is_file(name)};
    return 0;
}

} // namespace

MappingReader::MappingReader(std::uintptr_t after, Mappings source) noexcept
    : file_(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC)), after_(after) {
    Mapping mapping;
    const int refused = source == Mappings::query ? mapping_from(file_.get(), after, mapping) : ENOTTY;
    if (file_ && refused != 0 && refused != ENOENT) {
        text_.reset(::fdopen(file_.get(), "r"));
        if (text_ != nullptr) {
            file_.release();
        } else {
            file_ = {};
        }
    }
}

bool MappingReader::next(Mapping& mapping) noexcept {
    if (text_ != nullptr) {
        return next_in_text(mapping);
    }
    if (!file_ || mapping_from(file_.get(), after_, mapping) != 0) {
        return false;
    }
    after_ = mapping.end;
    return true;
}

bool MappingReader::next_in_text(Mapping& mapping) noexcept {
    char line[512];
    while (std::fgets(line, sizeof line, text_.get()) != nullptr) {
        const bool begins = whole_line_;
        whole_line_ = std::strchr(line, '\n') != nullptr;
        unsigned long long begin = 0;
        unsigned long long end = 0;
        unsigned long long inode = 0;
        int name = 0;
        char rights[5] = {};
        if (!begins ||
            std::sscanf(line, "%llx-%llx %4s %*s %*s %llu %n", &begin, &end, rights, &inode, &name) != 4 ||
            end <= after_) {
            continue;
        }
        mapping = {static_cast<std::uintptr_t>(begin),
                   static_cast<std::uintptr_t>(end),
                   rights[0] == 'r',
                   rights[1] == 'w',
                   std::strstr(line, "[stack") != nullptr,
                   inode != 0 && is_file(line + name)};
        return true;
    }
    return false;
}

bool is_file(const char* name) noexcept {
    const auto begins = [&](const char* start) { return std::strncmp(name, start, std::strlen(start)) == 0; };
    if (begins("/dev/")) {
        return begins("/dev/shm/") || begins("/dev/hugepages/");
    }
    return begins("/") && !begins("/dmabuf:") && !begins("/sys/") && !begins("/proc/");
}

// The system checks the address before it finds that the request is empty: EFAULT where the program would get
// a signal.
bool can_be_read(std::uintptr_t address) noexcept {
    constexpr int nothing = -1;
    constexpr std::size_t size = 8; // Of the system's signal set.
    return ::syscall(SYS_rt_sigprocmask, nothing, address & ~(size - 1), nullptr, size) == 0 ||
           errno != EFAULT;
}

} // namespace ferry::detail
