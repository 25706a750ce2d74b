// SPDX-License-Identifier: Apache-2.0
#include "base/process_maps.hpp"

#include "base/text.hpp"
#include "system/pages.hpp"

#include <ferry/error.hpp>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>

namespace ferry::detail {
namespace {

std::string hex(std::uintptr_t number) {
    char text[2 * sizeof number + 3];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
    return text;
}

struct PageLine {
    std::uintptr_t begin = 0, end = 0;
    bool reads = false, writes = false, stack = false;
    bool file = false; ///< A file, which may end before the mapping does; not device memory.
};

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
int mapping_from(int maps, std::uintptr_t address, PageLine& line) {
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
    line = {query.begin,
            query.end,
            (query.rights & 1) != 0,
            (query.rights & 2) != 0,
            std::strncmp(name, "[stack", 6) == 0,
            query.inode != 0 && is_file(name)};
    return 0;
}

/// The complete list as text: some hundred lines in a process that has opened a GPU's driver.
template <class F>
bool for_each_line(int maps, F&& visit) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(::fdopen(maps, "r"), &std::fclose);
    if (file == nullptr) {
        ::close(maps);
        return false;
    }
    char line[512];
    bool whole = true; // A long path arrives in several pieces.
    while (std::fgets(line, sizeof line, file.get()) != nullptr) {
        const bool begins = whole;
        whole = std::strchr(line, '\n') != nullptr;
        unsigned long long begin = 0;
        unsigned long long end = 0;
        unsigned long long inode = 0;
        int name = 0;
        char rights[5] = {};
        if (!begins ||
            std::sscanf(line, "%llx-%llx %4s %*s %*s %llu %n", &begin, &end, rights, &inode, &name) != 4) {
            continue;
        }
        if (!visit(PageLine{static_cast<std::uintptr_t>(begin), static_cast<std::uintptr_t>(end),
                            rights[0] == 'r', rights[1] == 'w', std::strstr(line, "[stack") != nullptr,
                            inode != 0 && is_file(line + name)})) {
            break;
        }
    }
    return true;
}

/// Calls `visit` for each mapping of the process that ends after `from`, in order, until it returns false.
/// Returns false if there is no list.
template <class F>
bool for_each_mapping(std::uintptr_t from, Mappings mappings, F&& visit) {
    const int maps = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (maps < 0) {
        return false;
    }
    PageLine line;
    int refused = mappings == Mappings::query ? mapping_from(maps, from, line) : ENOTTY;
    if (refused != 0 && refused != ENOENT) {
        return for_each_line(maps, // Closes it.
                             [&](const PageLine& next) { return next.end <= from || visit(next); });
    }
    while (refused == 0 && visit(line)) {
        refused = mapping_from(maps, line.end, line);
    }
    ::close(maps);
    return true;
}

/// Whether the system can read there. It checks this before it finds that the request is empty: EFAULT where
/// the program would get a signal.
bool can_be_read(std::uintptr_t address) {
    constexpr int nothing = -1;
    constexpr std::size_t size = 8; // Of the system's signal set.
    return ::syscall(SYS_rt_sigprocmask, nothing, address & ~(size - 1), nullptr, size) == 0 ||
           errno != EFAULT;
}

/// The end of the file mapped from `begin` to `end`, rounded up to a page, or `end`.
std::uintptr_t end_of_file(std::uintptr_t begin, std::uintptr_t end) {
    if (can_be_read(end - 1)) {
        return end;
    }
    const std::uintptr_t page = page_size();
    std::uintptr_t there = begin & ~(page - 1); // The file exists up to here.
    for (std::uintptr_t not_there = (end - 1) & ~(page - 1); there < not_there;) {
        const std::uintptr_t middle = (there + (not_there - there) / 2) & ~(page - 1);
        if (can_be_read(middle)) {
            there = middle + page;
        } else {
            not_there = middle;
        }
    }
    return std::max(begin, there);
}

struct StackBounds {
    std::uintptr_t begin = 0, end = 0;
};

// Not from the list of mappings, because the kernel merges a thread's stack with an adjacent mapping.
StackBounds find_stack_of_this_thread() {
    StackBounds bounds;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void* lowest = nullptr;
        std::size_t size = 0;
        if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) {
            bounds.begin = reinterpret_cast<std::uintptr_t>(lowest);
            bounds.end = bounds.begin + size;
        }
        pthread_attr_destroy(&attributes);
    }
    return bounds;
}

/// For the main thread the C library reads the whole list of mappings, so do it only once.
const StackBounds& stack_of_this_thread() {
    static thread_local const StackBounds bounds = find_stack_of_this_thread();
    return bounds;
}

} // namespace

bool is_file(const char* name) noexcept {
    const auto begins = [&](const char* start) { return std::strncmp(name, start, std::strlen(start)) == 0; };
    if (begins("/dev/")) {
        return begins("/dev/shm/") || begins("/dev/hugepages/");
    }
    return begins("/") && !begins("/dmabuf:") && !begins("/sys/") && !begins("/proc/");
}

std::string describe_range(const void* data, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    return hex(begin) + " to " + hex(begin + bytes) + " (" + in_bytes(bytes) + ")";
}

std::size_t check_extent(const char* what, const void* data, std::size_t count, std::size_t element,
                         SourceLocation where) {
    const auto refuse = [&](const std::string& why) {
        throw Error(Code::invalid_argument, std::string(what) + " " + why, where);
    };
    if (data == nullptr) {
        refuse("begins at the null pointer (" + std::to_string(count) + " elements)");
    }
    if (count == 0) {
        refuse("at " + hex(reinterpret_cast<std::uintptr_t>(data)) +
               " has no elements; at least one is needed");
    }
    const std::uintptr_t room =
        std::numeric_limits<std::uintptr_t>::max() - reinterpret_cast<std::uintptr_t>(data);
    if (count > room / element) {
        refuse("has " + std::to_string(count) + " elements of " + in_bytes(element) + " at " +
               hex(reinterpret_cast<std::uintptr_t>(data)) +
               " and would end beyond the address space, which has " + in_bytes(room) + " from there on");
    }
    return count * element;
}

namespace {

struct Verdict {
    PageFacts facts;
    std::uintptr_t at = 0;   ///< The range is valid up to here.
    std::uintptr_t stop = 0; ///< The bytes from `at` to here are not valid.
    const char* fault = "not mapped";
};

constinit std::atomic<const OwnProtection*> own_protection{nullptr};

bool is_own_protection(std::uintptr_t begin, std::uintptr_t end) {
    const OwnProtection* const own = own_protection.load();
    return own != nullptr && own->covers(begin, end);
}

std::uint64_t changes_of_own_protection() noexcept {
    const OwnProtection* const own = own_protection.load();
    return own != nullptr ? own->changes() : 0;
}

Verdict look_at_pages(std::uintptr_t begin, std::uintptr_t end, bool writes, Mappings mappings) {
    const StackBounds& stack = stack_of_this_thread();
    Verdict found;
    found.at = begin;
    found.stop = end;
    found.facts.stack = begin < stack.end && stack.begin < end;
    const bool known = for_each_mapping(begin, mappings, [&](const PageLine& line) {
        if (line.begin > found.at) {
            found.stop = std::min(found.stop, line.begin);
            return false;
        }
        found.facts.stack = found.facts.stack || line.stack;
        const std::uintptr_t line_end = std::min(end, line.end);
        if (!line.reads && is_own_protection(found.at, line_end)) { // They are the program's.
            found.at = line_end;
            return found.at < end;
        }
        found.facts.writable = found.facts.writable && line.writes;
        if (!line.reads || (writes && !line.writes)) {
            found.fault = line.reads ? "not writable" : "not readable";
            found.stop = std::min(found.stop, line.end);
            return false;
        }
        found.at = line.file ? end_of_file(found.at, line_end) : line_end;
        if (found.at < line_end) {
            found.fault = "past the end of the file that is mapped there (or cannot be read from it)";
            found.stop = line_end;
            return false;
        }
        return found.at < end;
    });
    found.at = known ? found.at : end;
    return found;
}

} // namespace

void set_own_protection(const OwnProtection& protection) noexcept {
    own_protection = &protection;
}

PageFacts check_pages(const char* what, const void* data, std::size_t bytes, bool writes,
                      SourceLocation where, Mappings mappings) {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const std::uintptr_t end = begin + bytes;
    std::uint64_t changes = 0;
    Verdict found;
    do { // A page that is protected, or released, meanwhile is not an error of the program.
        changes = changes_of_own_protection();
        found = look_at_pages(begin, end, writes, mappings);
    } while (found.at < end && changes != changes_of_own_protection());
    if (found.at < end) {
        throw Error(Code::invalid_argument,
                    std::string(what) + ", " + describe_range(data, bytes) + ", has bytes that are " +
                        found.fault + ": " +
                        describe_range(reinterpret_cast<const void*>(found.at), found.stop - found.at),
                    where);
    }
    return found.facts;
}

void allow_again(const void* data, std::size_t bytes) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const std::uintptr_t end = begin + bytes;
    const auto allow = [](std::uintptr_t from, std::uintptr_t to) {
        ::mprotect(reinterpret_cast<void*>(from), to - from, PROT_READ | PROT_WRITE);
    };
    const bool known = for_each_mapping(begin, Mappings::query, [&](const PageLine& line) {
        if (line.begin < end && !line.reads && !line.writes) {
            allow(std::max(begin, line.begin), std::min(end, line.end));
        }
        return line.end < end;
    });
    if (!known) {
        allow(begin, end);
    }
}

void check_still_mapped(const char* what, const void* data, std::size_t bytes, SourceLocation where) {
    try {
        static_cast<void>(check_pages(what, data, bytes, false, where));
    } catch (const Error& error) {
        throw Error(Code::invalid_state,
                    std::string(error.what()) +
                        "; it was given back to the system too early: it must stay until the share or the "
                        "import has ended",
                    where);
    }
}

} // namespace ferry::detail
