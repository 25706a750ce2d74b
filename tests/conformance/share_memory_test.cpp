// SPDX-License-Identifier: Apache-2.0
// Shares of special memory: without access rights, read-only, of a file, changed without a guard, or unmapped
// too early. Also memory and shares that a child process inherits.
#include "check.hpp"
#include "children.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"
#include "shares.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace share_memory_test {

using namespace conformance;
using ferry::Access;
using ferry::Code;
using ferry::HostAccess;
using ferry::Placement;

namespace {

using Words = std::vector<std::uint32_t>;

bool in_place(Placement placement) {
    return placement == Placement::alias || placement == Placement::link || placement == Placement::migrate;
}

// A queue, buffers and an import that a child process inherits while commands use them.
int forked_memory(const ferry::Device& device) {
    std::optional<ferry::Queue> its{std::in_place, device};
    ferry::Queue& queue = *its;
    Words data(std::size_t{1} << 16, 1U);
    std::optional<ferry::Imported<std::uint32_t>> imported;
    try {
        imported.emplace(device, data);
    } catch (const ferry::Error& error) {
        if (error.code() != Code::unsupported) {
            return 1;
        }
    }
    std::optional<ferry::Buffer<std::uint32_t>> buffer{std::in_place, device, 1000};
    std::optional<ferry::Buffer<std::uint32_t>> pinned;
    if (device.has(ferry::MemoryKind::host)) {
        pinned.emplace(device, 1000, ferry::MemoryKind::host);
        queue.fill(*pinned, 8U);
    }
    queue.fill(*buffer, 7U);
    for (std::uint32_t round = 0; imported && round < 100; ++round) { // work continues when the child begins
        queue.launch(kernel(device, "add"), ferry::Grid::covering(data.size(), 64), *imported,
                     static_cast<std::uint32_t>(data.size()), 1U);
    }
    queue.flush();
    const pid_t child = fork();
    if (child == 0) {
        alarm(60); // a wait for the parent's commands would not end
        imported.reset();
        buffer.reset();
        pinned.reset();
        its.reset();
        _exit(33);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 33) {
        std::fprintf(stderr, "the forked process ended with status %d\n", status);
        return 2;
    }
    if (queue.read(*buffer) != Words(1000, 7U) || (pinned && queue.read(*pinned) != Words(1000, 8U))) {
        return 3;
    }
    const std::uint32_t wanted = imported ? 101 : 1;
    imported.reset();
    return data == Words(data.size(), wanted) ? 60 : 4;
}

// Copies data up, launches a kernel and reads the data. Returns whether the result is right.
bool works(const ferry::Device& device, std::uint32_t value) {
    ferry::Queue queue{device};
    const Words data(5003, value);
    ferry::Buffer<std::uint32_t> buffer{device, data.size()};
    queue.copy(data, buffer);
    queue.launch(kernel(device, "add"), ferry::Grid::covering(data.size(), 64), buffer,
                 static_cast<std::uint32_t>(data.size()), 3U);
    return queue.read(buffer) == Words(data.size(), value + 3);
}

bool works_or_is_refused(const ferry::Device& device, const std::function<bool()>& body) {
    try {
        return body();
    } catch (const ferry::Error& error) {
        return device.info().backend != ferry::Backend::host && error.code() == Code::invalid_state &&
               std::string(error.what()).find("before fork()") != std::string::npos &&
               std::string(error.what()).find(device.info().name) != std::string::npos;
    }
}

// A child process uses a device that its parent used before.
int used_before_fork(const ferry::Device& device) {
    if (!works(device, 5)) {
        return 1;
    }
    const pid_t child = fork();
    if (child == 0) {
        alarm(300); // the driver's threads do not exist in the child, so a wait for them would not end
        const auto attempt = [&](const std::function<bool()>& body) {
            return works_or_is_refused(device, body);
        };
#ifdef __SANITIZE_THREAD__ // which lets no child start threads
        if (device.info().backend == ferry::Backend::host) {
            _exit(33);
        }
#endif
        bool right = attempt([&] { return ferry::Queue{device}.idle(); });
        right = right && attempt([&] { return ferry::Buffer<std::uint32_t>{device, 7}.size() == 7; });
        right = right && attempt([&] {
                    static_cast<void>(device.capabilities(ferry::MemoryKind::device));
                    return true;
                });
        right = right && attempt([&] { return works(device, 9); });
        _exit(right ? 33 : 34);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 33) {
        std::fprintf(stderr, "the forked process ended with status %d\n", status);
        return 2;
    }
    return works(device, 7) ? 60 : 3;
}

int used_before_fork_in_debug(const ferry::Device& device) {
    setenv("FERRY_MEMORY_DEBUG", "on", 1);
    return used_before_fork(device);
}

// Whether `call` is refused with all these words.
template <class Call>
bool refused(std::initializer_list<const char*> words, const Call& call) {
    try {
        call();
    } catch (const ferry::Error& error) {
        const std::string text = error.what();
        const bool as_wanted = error.code() == Code::invalid_state &&
                               std::all_of(words.begin(), words.end(),
                                           [&](auto* w) { return text.find(w) != std::string::npos; });
        if (!as_wanted) {
            std::fprintf(stderr, "another error: %s\n", error.what());
        }
        return as_wanted;
    }
    std::fputs("no error\n", stderr);
    return false;
}

// With FERRY_CHECK=races: memory that is unmapped while it is shared, and while it is imported.
int unmapped(const ferry::Device& device) {
    constexpr std::size_t bytes = 1 << 16;
    const auto pages = [] {
        void* const made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return std::span(static_cast<std::uint32_t*>(made), bytes / 4);
    };
    // Removes the pages, but keeps the range reserved, so that no other mapping takes it.
    const auto give_back = [](std::span<std::uint32_t> gone) {
        mmap(gone.data(), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    };
    ferry::Queue queue{device};
    const auto shared_pages = pages();
    auto shared = ferry::share(device, shared_pages, Access::device_updates, {.allowed = Placement::stage});
    add(queue, shared, shared_pages.size(), 1);
    // otherwise the error could be a different one, because pages without rights may be withheld
    static_cast<void>(shared.host(queue));
    give_back(shared_pages);
    const auto words = {"shared memory", "65536 bytes", "not readable", "too early"};
    if (!refused(words, [&] { add(queue, shared, shared_pages.size(), 1); }) ||
        !refused(words, [&] { (void)shared.host(queue); }) || !refused(words, [&] { shared.end(); })) {
        return 1;
    }
    // The result is up to OpenCL's drivers if the memory of a cl_mem is unmapped before the cl_mem ends.
    if (device.backend() != ferry::Backend::opencl) {
        const auto imported_pages = pages();
        try {
            const ferry::Imported<std::uint32_t> imported{device, imported_pages};
            give_back(imported_pages);
            if (!refused({"imported memory", "not readable", "too early"},
                         [&] { queue.fill(imported.view(), 1U); })) {
                return 2;
            }
        } catch (const ferry::Error& error) {
            if (error.code() != Code::unsupported) {
                return 3;
            }
        }
    }
    ferry::Buffer<std::uint32_t> buffer{device, 10};
    queue.fill(buffer, 7U);
    return queue.read(buffer).at(9) == 7 ? 60 : 4;
}

// A share that a child process inherits.
int forked(const ferry::Device& device) {
    ferry::Queue queue{device};
    Words data(5000, 1U);
    auto shared = ferry::share(device, data, Access::device_updates);
    // The kernel belongs to the parent too, because no driver accepts calls of the child.
    const ferry::Kernel adds = kernel(device, "add");
    const auto add_one = [&] {
        queue.launch(adds, ferry::Grid::covering(data.size(), 32), shared,
                     static_cast<std::uint32_t>(data.size()), 1U);
    };
    add_one();
    queue.finish();
    // Whatever values the device has, a child process sees the program's own bytes.
    if (const pid_t reader = fork(); reader == 0) {
        _exit(std::all_of(data.begin(), data.end(), [](std::uint32_t v) { return v == 1 || v == 2; }) ? 0
                                                                                                      : 1);
    } else if (int status = 0; reader < 0 || waitpid(reader, &status, 0) != reader || status != 0) {
        std::fprintf(stderr, "the forked process that reads ended with status %d\n", status);
        return 3;
    }
    auto guard = shared.host(queue);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60); // a lock that another thread held at the fork is never released
        const auto words = {"20000 bytes", "before fork()", "share it again"};
        const auto of_queue = {"The queue was made", "before fork()"};
        const bool all = refused(words, [&] { (void)shared.host(queue); }) && refused(of_queue, add_one) &&
                         refused(words, [&] { shared.end(); }) &&
                         refused(words, [&] { (void)shared.explain(); }) && guard[999] == 2;
        guard.release();
        _exit(all ? 33 : 34); // the driver's exit handlers belong to the parent
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 33) {
        std::fprintf(stderr, "the forked process ended with status %d\n", status);
        return 1;
    }
    guard.release();
    add_one();
    shared.end();
    return data == Words(5000, 3U) ? 60 : 2;
}

const ChildRegistration bodies[] = {{"share unmapped", unmapped},
                                    {"share forked", forked},
                                    {"share forked memory", forked_memory},
                                    {"used before fork", used_before_fork},
                                    {"used before fork, debug", used_before_fork_in_debug}};

} // namespace

FERRY_TEST("share: a child process ends its copies of buffers and imports, and the parent's remain usable") {
    check_child("share forked memory", device, 60);
}

FERRY_TEST("fork: a child of a process that used a device gets an error or right answers, and waits for ever "
           "for nothing") {
    check_child("used before fork", device, 60);
    check_child("used before fork, debug", device, 60);
}

FERRY_TEST("memory kind host: shares of odd parts, by every placement") {
    ferry::Queue queue{device};
    for (const std::size_t size : {std::size_t{1}, std::size_t{4099}, std::size_t{1} << 18}) {
        ferry::Buffer<std::uint32_t> buffer{device, size + 5, ferry::MemoryKind::host};
        const std::span<std::uint32_t> part = buffer.span().subspan(3, size);
        int taken = 0;
        for (const Placement placement :
             {Placement::alias, Placement::link, Placement::migrate, Placement::copy, Placement::stage}) {
            Words wanted = random_values<std::uint32_t>(size + 5);
            std::copy(wanted.begin(), wanted.end(), buffer.span().begin());
            try {
                auto shared = ferry::share(device, part, Access::device_updates, {.allowed = placement});
                queue.launch(kernel(device, "add"), ferry::Grid::covering(size, 64), shared,
                             static_cast<std::uint32_t>(size), 11U);
                shared.end();
                std::for_each(wanted.begin() + 3, wanted.end() - 2, [](std::uint32_t& w) { w += 11; });
                ++taken;
            } catch (const ferry::Error& error) {
                INFO(error.what());
                CHECK(error.code() == Code::unsupported);
            }
            INFO(ferry::to_string(placement), ", ", size, " elements");
            check_same(Words(buffer.span().begin(), buffer.span().end()), wanted);
        }
        CHECK(taken >= 1);
    }
}

FERRY_TEST("share: memory that was unmapped too early is reported, and the process continues") {
    const char* const before = std::getenv("FERRY_CHECK");
    const std::optional<std::string> kept =
        before != nullptr ? std::optional<std::string>(before) : std::nullopt;
    setenv("FERRY_CHECK", "races", 1);
    check_child("share unmapped", device, 60);
    kept ? setenv("FERRY_CHECK", kept->c_str(), 1) : unsetenv("FERRY_CHECK");
}

FERRY_TEST("share: a child process gets an error that the share belongs to its parent") {
    check_child("share forked", device, 60);
}

FERRY_TEST("share: a mapping past the end of its file is refused, also by imports and streams") {
    const Unchanged unchanged{device};
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const int file = memfd_create("ferry", MFD_CLOEXEC);
    REQUIRE(file >= 0);
    REQUIRE(ftruncate(file, static_cast<off_t>(page + 40)) == 0);
    void* const made = mmap(nullptr, page * 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    REQUIRE(made != MAP_FAILED);
    close(file);
    const std::span<std::uint32_t> all(static_cast<std::uint32_t*>(made), page * 8 / sizeof(std::uint32_t));
    char end[32];
    std::snprintf(end, sizeof end, "%p", static_cast<void*>(all.data() + 2 * page / sizeof(std::uint32_t)));
    const auto refuse = [&](auto&& call) {
        expect_error(Code::invalid_argument,
                     {"past the end of the file", end, std::to_string(6 * page) + " bytes"}, call);
    };
    for (const Access access : {Access::device_reads, Access::device_writes, Access::device_updates}) {
        refuse([&] { (void)ferry::share(device, all, access); });
        refuse(
            [&] { ferry::for_each_chunk(device, all, access, {}, [](ferry::Queue&, auto, std::size_t) {}); });
    }
    refuse([&] { const ferry::Imported<std::uint32_t> imported(device, all); });
    ferry::Queue queue{device};
    auto shared = ferry::share(device, all.first(page / sizeof(std::uint32_t) + 10), Access::device_updates);
    queue.launch(kernel(device, "add"), ferry::Grid::covering(shared.size(), 32), shared,
                 static_cast<std::uint32_t>(shared.size()), 3U);
    shared.end();
    CHECK(all[page / sizeof(std::uint32_t) + 9] == 3);
    munmap(made, page * 8);
}

FERRY_TEST("share: pages that are not mapped or cannot be read are refused with their addresses") {
    const Unchanged unchanged{device};
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const made = mmap(nullptr, page * 3, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(made != MAP_FAILED);
    const std::span<std::uint32_t> all(static_cast<std::uint32_t*>(made), page * 3 / sizeof(std::uint32_t));
    const std::span<std::uint32_t> middle = all.subspan(page / sizeof(std::uint32_t), 10);
    const auto address = [](const void* data) {
        char text[32];
        std::snprintf(text, sizeof text, "%p", data);
        return std::string(text);
    };
    const auto refuse = [&](const char* why) {
        for (const std::span<std::uint32_t> words : {all, middle}) {
            for (const Access access :
                 {Access::device_reads, Access::device_writes, Access::device_updates}) {
                expect_error(Code::invalid_argument, {why, address(middle.data())},
                             [&] { (void)ferry::share(device, words, access); });
            }
        }
    };
    REQUIRE(mprotect(middle.data(), page, PROT_NONE) == 0);
    refuse("not readable");
    REQUIRE(munmap(middle.data(), page) == 0);
    refuse("not mapped");
    ferry::Queue queue{device};
    auto shared = ferry::share(device, all.first(10), Access::device_updates);
    queue.launch(kernel(device, "add"), ferry::Grid::covering(10, 32), shared, 10U, 3U);
    shared.end();
    CHECK(all[9] == 3);
    munmap(all.data(), page); // another mapping may use the page between them now
    munmap(all.subspan(2 * page / sizeof(std::uint32_t)).data(), page);
}

FERRY_TEST("share: a read-only file mapping is used without a copy if the device supports that") {
    ferry::Queue queue{device};
    std::string name = "/tmp/ferry-share-XXXXXX";
    const int file = mkstemp(name.data());
    REQUIRE(file >= 0);
    unlink(name.c_str());
    const Words words = random_values<std::uint32_t>(std::size_t{1} << 18);
    const std::size_t bytes = words.size() * sizeof(std::uint32_t);
    REQUIRE(write(file, words.data(), bytes) == static_cast<ssize_t>(bytes));
    void* const mapped = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    REQUIRE(mapped != MAP_FAILED);
    const std::span<std::uint32_t> pages(static_cast<std::uint32_t*>(mapped), words.size());
    const auto size = static_cast<std::uint32_t>(pages.size());
    Words wanted(words.size());
    std::transform(words.begin(), words.end(), wanted.begin(), [](std::uint32_t w) { return w * 4; });
    const bool takes_it = (device.backend() == ferry::Backend::host && !matches(device, ", strict")) ||
                          matches(device, "Portable Computing Language");
    const auto look = [&](const auto& shared) {
        ferry::Buffer<std::uint32_t> out{device, pages.size()};
        queue.launch(kernel(device, "combine"), ferry::Grid::covering(pages.size(), 64), shared, shared, out,
                     size);
        check_same(queue.read(out), wanted);
        return shared.explain();
    };
    try {
        auto shared = ferry::share(device, pages, Access::device_reads,
                                   {.allowed = {Placement::alias, Placement::link, Placement::migrate}});
        const ferry::Explanation seen = look(shared);
        CHECK(in_place(seen.taken));
        CHECK(seen.copies == 0);
        CHECK(seen.bytes_up == 0);
        shared.end();
    } catch (const ferry::Error& error) {
        INFO(error.what());
        CHECK(error.code() == Code::unsupported);
        CHECK_FALSE(takes_it);
    }
    auto shared = ferry::share(device, pages, Access::device_reads); // share() chooses by cost
    const ferry::Explanation seen = look(shared);
    CHECK(seen.bytes_up == (in_place(seen.taken) ? 0 : bytes));
    shared.end();
    for (const Access access : {Access::device_writes, Access::device_updates}) {
        expect_error(Code::invalid_argument, {"not writable", std::to_string(bytes)},
                     [&] { (void)ferry::share(device, pages, access); });
    }
    munmap(mapped, bytes);
}

FERRY_TEST("share: the race check finds changes by the host without a guard") {
    ferry::Queue queue{device};
    Words data(100, 1U);
    ferry::Buffer<std::uint32_t> out{device, 100};
    const auto shared = ferry::share(device, data, Access::device_reads);
    const auto launch = [&] {
        queue.launch(kernel(device, "combine"), ferry::Grid::covering(100, 32), shared, shared, out, 100U);
    };
    data[7] = 2;
    const char* const check = std::getenv("FERRY_CHECK");
    if (check != nullptr && std::string(check) == "races") {
        expect_error_anywhere(Code::invalid_state, {"without a guard", "(400 bytes)"}, launch);
    }
    launch(); // the error was already reported
    CHECK(queue.read(out)[7] == 8);
}

FERRY_TEST("share: the race check finds changes by the host outside a guard, and before the end") {
    const char* const check = std::getenv("FERRY_CHECK");
    const bool races = check != nullptr && std::string(check) == "races";
    ferry::Queue queue{device};
    constexpr std::size_t count = 5003;
    Words data = random_values<std::uint32_t>(count), seen = data;
    auto shared =
        ferry::share(device, data, Access::device_updates, {.allowed = {Placement::copy, Placement::stage}});
    const auto told = [&](const auto& next) {
        if (races) {
            expect_error_anywhere(Code::invalid_state, {"without a guard for writing", "(20012 bytes)"},
                                  next);
        }
    };
    const auto read = [&] { static_cast<void>(shared.host_part(queue, 1, 1)); };
    read();
    {
        const auto guard = shared.host(queue, HostAccess::read); // a guard whose elements can be written
        guard[4000] ^= 1;
    }
    told(read);
    {
        const auto guard = shared.host_part(queue, HostAccess::write, 10, 1500);
        std::fill(guard.begin(), guard.end(), 5U);
        read(); // while the guard exists
        data[1510] ^= 1;
    }
    told(read);
    read(); // the error was already reported
    {
        const auto guard = shared.host_part(queue, HostAccess::read_write, 20, 30);
        guard[29] = 6;
    }
    read();
    data[49] = 7; // a guard covered this element, but it has ended
    told([&] { shared.host_part(queue, HostAccess::write, 0, 1).release(); });
    queue.finish();
    data[count - 1] ^= 1;
    if (races) {
        expect_error_anywhere(Code::invalid_state, {"within bytes 16384 to 20012"}, [&] { shared.end(); });
    } else {
        shared.end();
    }
    std::fill_n(seen.begin() + 10, 1500, 5U);
    seen[4000] ^= 1;
    seen[1510] ^= 1;
    seen[49] = 7;
    seen[count - 1] ^= 1;
    CHECK(data == seen);
}

FERRY_TEST("share: the race check finds a buffer that ends while its memory is shared") {
    const char* const check = std::getenv("FERRY_CHECK");
    if (check == nullptr || std::string(check) != "races" || !device.has(ferry::MemoryKind::host)) {
        throw ferry::Error(Code::unsupported, "The memory may be another buffer's already.");
    }
    ferry::Queue queue{device};
    const Words words = random_values<std::uint32_t>(3000);
    std::optional gone{ferry::Buffer<std::uint32_t>{device, 3000, ferry::MemoryKind::host}};
    ferry::Buffer<std::uint32_t> stays{device, 3000, ferry::MemoryKind::host};
    std::copy(words.begin(), words.end(), gone->span().begin());
    std::copy(words.begin(), words.end(), stays.span().begin());
    auto part = ferry::share(device, gone->span().subspan(1000, 500), Access::device_updates);
    auto other = ferry::share(device, stays.span(), Access::device_updates);
    queue.launch(kernel(device, "add"), ferry::Grid::covering(500, 64), part, 500U, 1U);
    queue.finish();
    gone.reset();
    expect_error_anywhere(Code::invalid_state,
                          {"(2000 bytes) was freed too early",
                           "bytes 0 to 2000 of it were in the host buffer", "share_memory_test.cpp",
                           "end the share before that"},
                          [&] { part.end(); });
    other.end();
    check_same(Words(stays.span().begin(), stays.span().end()), words);
}

} // namespace share_memory_test
