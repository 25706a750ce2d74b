// SPDX-License-Identifier: Apache-2.0
// Facts about the caller's pages, read page by page and from the list.
#include "base/process_maps.hpp"

#include <ferry/error.hpp>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace share_pages_test {

namespace detail = ferry::detail;
using detail::Mappings;

namespace {

constexpr std::array both{Mappings::query, Mappings::text};

std::size_t page_bytes() {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// Pages with the given rights, one letter each: w (write and read), r (read), n (none), h (a hole), e (after
/// the end of their file).
class Pages {
public:
    explicit Pages(const std::string& rights, int file = -1, int kind = MAP_PRIVATE) : rights_(rights) {
        const int flags = file < 0 ? kind | MAP_ANONYMOUS : kind;
        const std::size_t bytes = rights.size() * page_bytes();
        // Far below the addresses that the system uses first, so that no other mapping takes the holes
        // (AddressSanitizer maps pages at times).
        void* const wanted = reinterpret_cast<void*>(std::uintptr_t{0x7e9000000000}); // NOLINT
        begin_ = static_cast<char*>(mmap(wanted, bytes, PROT_READ | PROT_WRITE, flags, file, 0));
        REQUIRE(begin_ != MAP_FAILED);
        for (std::size_t i = 0; i < rights.size(); ++i) {
            if (rights[i] == 'h') {
                REQUIRE(munmap(at(i), page_bytes()) == 0);
            } else if (rights[i] != 'w' && rights[i] != 'e') {
                REQUIRE(mprotect(at(i), page_bytes(), rights[i] == 'r' ? PROT_READ : PROT_NONE) == 0);
            }
        }
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    ~Pages() {
        for (std::size_t i = 0; i < rights_.size(); ++i) {
            if (rights_[i] != 'h') { // another mapping may use the hole by now
                munmap(at(i), page_bytes());
            }
        }
    }

    char* at(std::size_t page) const { return begin_ + page * page_bytes(); }

private:
    std::string rights_;
    char* begin_ = nullptr;
};

/// The result of check_pages(): "w", "r", or the words of the error.
std::string told(const char* data, std::size_t bytes, bool writes, Mappings mappings) {
    try {
        return detail::check_pages("The memory", data, bytes, writes, {}, mappings).writable ? "w" : "r";
    } catch (const ferry::Error& error) {
        CHECK(error.code() == ferry::Code::invalid_argument);
        return error.what();
    }
}

void check_all_ranges(const std::string& rights, const Pages& pages) {
    for (const Mappings mappings : both) {
        for (std::size_t first = 0; first < rights.size(); ++first) {
            for (std::size_t last = first; last < rights.size(); ++last) {
                for (const bool writes : {false, true}) {
                    const std::string part = rights.substr(first, last - first + 1);
                    const std::size_t bad = part.find_first_of(writes ? "rnhe" : "nhe");
                    // From the middle of the first page to the middle of the last one.
                    const char* const data = pages.at(first) + 100;
                    const std::size_t bytes = (last - first) * page_bytes() + 1000;
                    const std::string words = told(data, bytes, writes, mappings);
                    CAPTURE(part);
                    CAPTURE(writes);
                    if (bad == std::string::npos) {
                        CHECK(words == (part.find('r') == std::string::npos ? "w" : "r"));
                        continue;
                    }
                    const char* const why = part[bad] == 'h'   ? "not mapped"
                                            : part[bad] == 'n' ? "not readable"
                                            : part[bad] == 'e' ? "past the end of the file"
                                                               : "not writable";
                    CHECK(words.find(why) != std::string::npos);
                    const char* const from = bad == 0 ? data : pages.at(first + bad);
                    const std::string address = detail::describe_range(from, 1);
                    CHECK(words.find(address.substr(0, address.find(' ')), words.find(why)) !=
                          std::string::npos);
                }
            }
        }
    }
}

} // namespace

TEST_CASE("pages: every range of mappings with all kinds of rights, asked for and from the list") {
    const std::string rights = "wrwnwwhrrhw";
    check_all_ranges(rights, Pages(rights));
}

TEST_CASE("pages: which names are a file's") {
    for (const char* const name : {"/tmp/a", "/dev/shm/a", "/dev/hugepages/a", "/memfd:a (deleted)",
                                   "/SYSV00000000 (deleted)", "/system/a", "/devices/a", "/process/a"}) {
        CAPTURE(name);
        CHECK(detail::is_file(name));
    }
    const std::string device = "/sys/devices/pci0000:00/0000:00:01.0/" + std::string(100, 'a') + "/resource0";
    for (const char* const name :
         {"", "[heap]", "/dev/nvidia0", "/dev/dri/renderD128", "/dmabuf:a", "/proc/bus/pci/00/01.0",
          "/sys/bus/pci/devices/0000:00:01.0/resource0_wc", device.c_str()}) {
        CAPTURE(name);
        CHECK(!detail::is_file(name));
    }
}

TEST_CASE("pages: mappings of a file with a longer name than the kernel reports") {
    std::string top = "/tmp/ferry-pages-test-XXXXXX";
    REQUIRE(mkdtemp(top.data()) != nullptr);
    std::vector<int> folders{open(top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    const std::string name(250, 'a');
    while (folders.size() * name.size() < 5000) {
        REQUIRE(mkdirat(folders.back(), name.c_str(), 0700) == 0);
        folders.push_back(openat(folders.back(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    const int file = openat(folders.back(), name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(file >= 0);
    for (int flags = 0; !folders.empty(); flags = AT_REMOVEDIR) {
        REQUIRE(unlinkat(folders.back(), name.c_str(), flags) == 0);
        close(folders.back());
        folders.pop_back();
    }
    REQUIRE(rmdir(top.c_str()) == 0);
    const std::string rights = "rwhwn";
    REQUIRE(ftruncate(file, static_cast<off_t>(rights.size() * page_bytes())) == 0);
    check_all_ranges(rights, Pages(rights, file));
    close(file);
}

TEST_CASE("pages: mappings that reach past the end of their file") {
    for (const int kind : {MAP_PRIVATE, MAP_SHARED}) {
        std::string path =
            "/tmp/ferry-pages-test-of-a-name-that-is-longer-than-any-device-has-one-in-dev-XXXXXX";
        const std::array files{mkstemp(path.data()), memfd_create("ferry", MFD_CLOEXEC)};
        REQUIRE(unlink(path.c_str()) == 0);
        for (const int file : files) {
            REQUIRE(file >= 0);
            REQUIRE(ftruncate(file, static_cast<off_t>(5 * page_bytes() + 1)) == 0);
            const std::string rights = "wwhrwweeee"; // the sixth has one byte of the file, then zeros
            const Pages pages(rights, file, kind);
            check_all_ranges(rights, pages);
            *pages.at(1) = 'x';
            REQUIRE(ftruncate(file, 0) == 0);
            check_all_ranges("eeh", pages); // writing or not
            close(file);
        }
    }
}

TEST_CASE("pages: shared ones without a file") {
    const std::string rights = "wrhw";
    check_all_ranges(rights, Pages(rights, -1, MAP_SHARED));
}

TEST_CASE("pages: stacks, the thread's own and that of main()") {
    for (const Mappings mappings : both) {
        // Not a variable's address, because AddressSanitizer may move variables away from the stack.
        const auto* const here = static_cast<const char*>(__builtin_frame_address(0));
        const auto on_stack = [&](const char* data) {
            return detail::check_pages("The memory", data, 64, true, {}, mappings).stack;
        };
        CHECK(on_stack(here));
        const std::string elsewhere(64, 'x');
        CHECK_FALSE(on_stack(elsewhere.data()));
        bool own = false;
        bool other = false;
        bool heap = true;
        std::thread([&] {
            own = on_stack(static_cast<const char*>(__builtin_frame_address(0)));
            other = on_stack(here);
            heap = on_stack(elsewhere.data());
        }).join();
        CHECK(own);
        CHECK(other); // doctest runs the tests on main()'s thread
        CHECK_FALSE(heap);
    }
}

} // namespace share_pages_test
