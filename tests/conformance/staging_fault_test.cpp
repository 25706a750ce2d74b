// SPDX-License-Identifier: Apache-2.0
// Staged copies that fail because of unmapped memory, failed driver commands or refused page-locked memory.
#include "../support/eventually.hpp"
#include "../support/no_threads.hpp"
#include "check.hpp"
#include "device/device_state.hpp"
#include "devices.hpp"
#include "hip_double.hpp"
#include "kernels.hpp"
#include "random.hpp"
#include "staged.hpp"
#include "staging/slots.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace staging_fault_test {

using namespace conformance;
using ferry::Code;

namespace {

constexpr std::size_t slot = Staged::slot;

/// Pages of the operating system, unmapped at the end of the scope.
class Pages {
public:
    explicit Pages(std::size_t bytes, int file = -1)
        : bytes_(bytes),
          data_(static_cast<std::uint8_t*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                                file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, file,
                                                0))) {
        REQUIRE(static_cast<void*>(data_) != MAP_FAILED);
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    ~Pages() {
        munmap(data_, hole_);
        munmap(data_ + hole_ + hole_bytes_, bytes_ - hole_ - hole_bytes_);
    }
    std::span<std::uint8_t> span() const { return {data_, bytes_}; }
    void protect(std::size_t from, std::size_t bytes, int access) const {
        REQUIRE(mprotect(data_ + from, bytes, access) == 0);
    }
    /// Call this once. From then on the system may map something else there, for example a newly compiled
    /// kernel.
    void unmap(std::size_t from, std::size_t bytes) {
        REQUIRE(munmap(data_ + from, bytes) == 0);
        hole_ = from;
        hole_bytes_ = bytes;
    }

private:
    std::size_t bytes_;
    std::uint8_t* data_;
    std::size_t hole_ = 0;
    std::size_t hole_bytes_ = 0;
};
/// The queue, an event after the copy and a callback report the failure. Then all objects are usable again.
template <class Copy>
void check_failure(const ferry::Device& device, Code code, std::initializer_list<std::string> words,
                   Copy copy) {
    // A sleeping thread records its own event, which would consume the fault meant for the copy.
    ferry::Queue queue{device, {.wait = ferry::WaitPolicy::spin}};
    ferry::Buffer<std::uint8_t> buffer{device, 12 * slot};
    const auto data = random_values<std::uint8_t>(buffer.size());
    queue.copy_and_wait(data, buffer);
    const ferry::Event before = queue.record();
    copy(queue, buffer);
    const ferry::Event behind = queue.record();
    Code called = Code::internal;
    std::string heard;
    queue.on_complete([&](const ferry::Status& status) {
        heard = status.ok() ? "nothing" : status.error()->what();
        called = status.ok() ? Code::internal : status.error()->code();
    });
    CHECK(before.status().ok());
    const ferry::Status status = behind.status();
    REQUIRE(!status.ok());
    CHECK(std::string(ferry::to_string(status.error()->code())) == std::string(ferry::to_string(code)));
    expect_error_anywhere(code, words, [&] { queue.finish(); });
    CHECK(std::string(ferry::to_string(called)) == std::string(ferry::to_string(code)));
    for (const std::string& word : words) {
        CHECK_MESSAGE(heard.find(word) != std::string::npos, heard);
    }
    queue.copy(data, buffer);
    check_same(queue.read(buffer), data);
    check_still_works(device);
}

} // namespace

FERRY_TEST("staging fault: a source with a hole") {
    const Staged staged;
    check_still_works(device); // loads everything first, so that no later mapping fills the hole
    Pages pages(12 * slot);
    pages.unmap(7 * slot, slot / 2);
    check_failure(device, Code::invalid_argument, {"source", "not mapped", "staging_fault_test.cpp"},
                  [&](ferry::Queue& queue, auto& buffer) { queue.copy(pages.span(), buffer); });
}

FERRY_TEST("staging fault: a source that must not be read") {
    const Staged staged;
    const Pages pages(12 * slot);
    pages.protect(8 * slot, 4 * slot, PROT_NONE);
    check_failure(device, Code::invalid_argument, {"source", "must not be read", "staging_fault_test.cpp"},
                  [&](ferry::Queue& queue, auto& buffer) { queue.copy(pages.span(), buffer); });
}

FERRY_TEST("staging fault: a destination that must not be written") {
    const Staged staged;
    const Pages pages(12 * slot);
    pages.protect(0, 12 * slot, PROT_READ);
    check_failure(device, Code::invalid_argument, {"destination", "must not be written"},
                  [&](ferry::Queue& queue, auto& buffer) { queue.copy(buffer, pages.span()); });
    CHECK(pages.span()[5] == 0);
}

FERRY_TEST("staging fault: a source that maps a file which became shorter") {
    const Staged staged;
    char name[] = "/tmp/ferry-staging-XXXXXX";
    const int file = mkstemp(name);
    REQUIRE(file >= 0);
    unlink(name);
    REQUIRE(ftruncate(file, static_cast<off_t>(12 * slot)) == 0);
    const Pages pages(12 * slot, file);
    REQUIRE(ftruncate(file, static_cast<off_t>(4 * slot)) == 0);
    check_failure(device, Code::invalid_argument, {"source", "end of the file"},
                  [&](ferry::Queue& queue, auto& buffer) { queue.copy(pages.span(), buffer); });
    close(file);
}

FERRY_TEST("staging fault: null is refused at once") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> buffer{device, 100};
    expect_error(Code::invalid_argument, {"100 bytes", "null"}, [&] {
        queue.copy(std::span<const std::uint8_t>(static_cast<std::uint8_t*>(nullptr), 100), buffer);
    });
    expect_error(Code::invalid_argument, {"100 bytes", "null"}, [&] {
        queue.copy(buffer, std::span<std::uint8_t>(static_cast<std::uint8_t*>(nullptr), 100));
    });
    check_still_works(device);
}

FERRY_TEST("staging fault: the double refuses a piece in the middle, or fails it later; nothing leaks") {
    inject(device, "");
    const Staged staged;
    {
        ferry::Queue queue{device, {.wait = ferry::WaitPolicy::block}};
        ferry::Buffer<std::uint8_t> buffer{device, 12 * slot};
        const std::vector<std::uint8_t> data(buffer.size());
        // makes everything that is made once, including the objects that threads sleep on
        queue.copy_and_wait(data, buffer);
    }
    ferry::trim_staging();
    device.pool().trim(); // the amount of kept memory depends on timing
    const DoubleCounts before = double_counts(device);
    for (const char* const fault :
         {"hipMemcpyHtoDAsync:999@%", "later:hipMemcpyHtoDAsync:999:once@%", "hipMemcpyDtoHAsync:999@%",
          "later:hipMemcpyDtoHAsync:999:once@%", "hipEventRecord:999@%"}) {
        for (const char* const number : {"1", "2", "5"}) {
            std::string text = fault;
            text.replace(text.find('%'), 1, number);
            INFO("fault ", text);
            const bool up = text.find("DtoH") == std::string::npos;
            std::vector<std::uint8_t> host(12 * slot);
            check_failure(device, Code::internal, {"copy", "999", "staging_fault_test.cpp"},
                          [&](ferry::Queue& queue, auto& buffer) {
                              inject(device, text.c_str());
                              up ? queue.copy(host, buffer) : queue.copy(buffer, host);
                          });
            inject(device, "");
        }
    }
    ferry::trim_staging();
    device.pool().trim();
    check_counts(double_counts(device), before);
    CHECK(support::eventually([&] { return ferry::staging_info(device).threads == 0; }));
}

FERRY_TEST("staging fault: the double refuses a piece in the middle; the error states the part before it") {
    inject(device, "");
    const Staged staged;
    for (const bool up : {true, false}) {
        INFO(std::string(up ? "upload" : "download"));
        device.pool().trim();
        ferry::trim_staging();
        ferry::Queue queue{device};
        ferry::Buffer<std::uint8_t> buffer{device, 12 * slot + 5};
        const auto data = random_values<std::uint8_t>(buffer.size());
        std::vector<std::uint8_t> host = up ? data : std::vector<std::uint8_t>(data.size());
        queue.fill(buffer, std::uint8_t{0});
        if (!up) {
            queue.copy_and_wait(data, buffer);
            ferry::trim_staging();
        }
        // With one slot, a piece begins only after the previous one is done.
        const std::string copy = up ? "hipMemcpyHtoDAsync" : "hipMemcpyDtoHAsync";
        inject(device, ("hipHostMalloc:2@2+," + copy + ":999@5").c_str());
        std::string text;
        try {
            up ? queue.copy(host, buffer) : queue.copy(buffer, host);
            queue.finish();
        } catch (const ferry::Error& error) {
            text = error.what();
        }
        inject(device, "");
        const std::size_t part = copied_part(text, data.size());
        const std::vector<std::uint8_t> copied = up ? queue.read(buffer) : host;
        CHECK(std::equal(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(part), copied.begin()));
    }
}

FERRY_TEST("staging fault: the double refuses page-locked memory, in part, for large slots, altogether") {
    inject(device, "");
    device.pool().trim(); // idle memory would make room
    const auto data = random_values<std::uint8_t>(30 * slot + 5);
    const auto works = [&] {
        ferry::Queue queue{device};
        ferry::Buffer<std::uint8_t> buffer{device, data.size()};
        queue.copy(data, buffer);
        check_same(queue.read(buffer), data);
    };
    {
        const Staged staged;
        inject(device, "hipHostMalloc:2@3+");
        works();
        const ferry::StagingInfo info = ferry::staging_info(device);
        CHECK(info.slots == 2);
        CHECK(info.most_slots == 2);
        CHECK_MESSAGE(info.note.find("2 page-locked slots") != std::string::npos, info.note);
        CHECK_MESSAGE(info.note.find(vendor_name(device, "hipHostMalloc")) != std::string::npos, info.note);
        inject(device, "");
    }
    {
        const Staged staged;
        inject(device, "hipHostMalloc:2@1");
        works();
        const ferry::StagingInfo info = ferry::staging_info(device);
        CHECK(info.slot_bytes == slot / 2);
        CHECK(info.slots > 2);
        CHECK_MESSAGE(info.note.find("larger ones were refused") != std::string::npos, info.note);
        inject(device, "");
    }
    {
        const Staged staged;
        inject(device, "hipHostMalloc:2");
        works();
        const ferry::StagingInfo info = ferry::staging_info(device);
        CHECK(info.slots == 0);
        CHECK_MESSAGE(info.note.find("left to the driver") != std::string::npos, info.note);
        inject(device, "");
    }
    {
        const Staged staged; // the memory refused before may be available now
        works();
        CHECK(ferry::staging_info(device).slots > 2);
    }
}

FERRY_TEST("staging fault: the double's reads without slots come before later copies up") {
    inject(device, "");
    const Staged staged;
    ferry::Queue queue{device};
    std::vector<std::uint32_t> host(Staged::slot * 4);
    ferry::Buffer<std::uint32_t> from{device, host.size()};
    ferry::Buffer<std::uint32_t> to{device, host.size()};
    const auto count = static_cast<std::uint32_t>(host.size());
    for (std::uint32_t round = 1; round <= 5; ++round) {
        std::fill(host.begin(), host.end(), 0xDEADBEEF);
        ferry::trim_staging();
        for (std::uint32_t i = 0; i < 30; ++i) { // keeps the device busy
            queue.launch(kernel(device, "iota"), ferry::Grid::covering(count, 64), from, count, round);
        }
        inject(device, "hipHostMalloc:2");
        queue.copy(from, host);
        REQUIRE(support::eventually([&] { return !ferry::staging_info(device).note.empty(); }));
        // gives the queue's thread time to reach the driver's call
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        inject(device, "");
        ferry::trim_staging();
        queue.copy(host, to);
        queue.finish();
        std::vector<std::uint32_t> wanted(host.size());
        std::iota(wanted.begin(), wanted.end(), round);
        check_same(queue.read(to), wanted);
    }
}

FERRY_TEST("staging fault: the double's first pieces go to the device while slots are still made") {
    inject(device, "");
    const Staged staged;
    const auto data = random_values<std::uint8_t>(60 * slot + 5);
    ferry::Buffer<std::uint8_t> buffer{device, data.size()};
    bool early = false;
    // The first piece's command fails. The number of slots is then that at the time of this command. On a
    // busy machine, the thread that fills the piece may be late.
    for (int attempt = 0; attempt < 100 && !early; ++attempt) {
        ferry::trim_staging();
        device.state().slots().worth(data.size()); // makes all of them worthwhile
        ferry::Queue queue{device, {.wait = ferry::WaitPolicy::spin}};
        inject(device, "slow:hipHostMalloc:5,hipMemcpyHtoDAsync:999@1");
        queue.copy(data, buffer);
        expect_error_anywhere(Code::internal, {"999"}, [&] { queue.finish(); });
        inject(device, "");
        const ferry::StagingInfo info = ferry::staging_info(device);
        REQUIRE(info.most_slots == 6);
        early = info.slots < info.most_slots;
    }
    CHECK(early);
    ferry::Queue queue{device};
    queue.copy(data, buffer);
    check_same(queue.read(buffer), data);
}

FERRY_TEST("staging fault: the double's slots are made even if no copy thread can be started") {
    inject(device, "");
    const Staged staged;
    CHECK(support::eventually([&] { return ferry::staging_info(device).threads == 0; }));
    {
        const support::NoThreads none;
        const ferry::StagingInfo info = ferry::prepare_staging(device);
        CHECK(info.slots == info.most_slots);
        CHECK(info.threads == 0);
    }
    // These slots are released once the first copy thread that can be started becomes idle.
    ferry::detail::staging::tuning().idle = std::chrono::milliseconds(100);
    ferry::prepare_staging(device);
    CHECK(support::eventually([&] {
        const ferry::StagingInfo info = ferry::staging_info(device);
        return info.slots == 0 && info.threads == 0;
    }));
}

FERRY_TEST("staging fault: the double's idle page-locked memory makes room for slots, and they for buffers") {
    inject(device, "");
    const Staged staged;
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> buffer{device, 30 * slot + 5};
    const auto check_copies = [&] {
        const auto data = random_values<std::uint8_t>(buffer.size());
        queue.copy(data, buffer);
        check_same(queue.read(buffer), data);
    };
    const auto idle = [&] {
        const ferry::PoolUse use = device.pool().use(ferry::MemoryKind::host);
        return use.reserved - use.used;
    };
    { const ferry::Buffer<std::uint8_t> pinned{device, 20 * slot, ferry::MemoryKind::host}; }
    CHECK((idle() > 0 || !device.pool().enabled()));
    const std::uint64_t of_device = device.pool().use(ferry::MemoryKind::device).reserved;
    inject(device, "hipHostMalloc:2@1");
    check_copies();
    inject(device, "");
    if (device.pool().enabled()) {
        CHECK(idle() == 0);
        CHECK(device.pool().use(ferry::MemoryKind::device).reserved == of_device);
        CHECK(ferry::staging_info(device).slot_bytes == slot);
        CHECK_MESSAGE(ferry::staging_info(device).note.empty(), ferry::staging_info(device).note);
    }
    for (const ferry::MemoryKind kind : {ferry::MemoryKind::host, ferry::MemoryKind::device}) {
        check_copies();
        CHECK(ferry::staging_info(device).slots > 0);
        device.pool().trim();
        // The smaller size that would suffice is refused as well.
        inject(device, kind == ferry::MemoryKind::host ? "hipHostMalloc:2@1,hipHostMalloc:2@2"
                                                       : "hipMalloc:2@1,hipMalloc:2@2");
        const ferry::Buffer<std::uint8_t> wanted{device, 20 * slot, kind};
        inject(device, "");
        CHECK((ferry::staging_info(device).slots == 0 || !device.pool().enabled()));
        check_copies();
    }
}

FERRY_TEST("staging fault: the double's kernel that failed before a staged download is the one to blame") {
    inject(device, "");
    const Staged staged;
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 2 * slot};
    std::vector<std::uint32_t> host(buffer.size());
    queue.copy_and_wait(host, buffer);
    inject(device, "kernel:add:701");
    queue.launch(kernel(device, "add"), {3, 8}, buffer, 24U, 4711U);
    queue.copy(buffer, host);
    expect_error_anywhere(Code::command_failed, {"add", "4711", "701"}, [&] { queue.finish(); });
    inject(device, "");
    queue.copy_and_wait(host, buffer);
    check_still_works(device);
}

FERRY_TEST("staging fault: the double stages large copies itself, and small ones are not staged") {
    inject(device, "");
    const Staged staged("auto");
    ferry::detail::staging::tuning().upload_above = 4 * slot;
    ferry::detail::staging::tuning().download_above = 6 * slot;
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> buffer{device, 10 * slot};
    auto data = random_values<std::uint8_t>(buffer.size());
    const auto staged_copies = [&] { return ferry::staging_info(device).copies; };
    const std::uint64_t before = staged_copies();
    queue.copy(std::span(data).first(4 * slot), buffer.first(4 * slot));
    queue.copy(buffer.first(6 * slot), std::span(data).first(6 * slot));
    queue.finish();
    CHECK(staged_copies() == before);
    queue.copy_and_wait(std::span(data).first(4 * slot + 1), buffer.first(4 * slot + 1));
    CHECK(staged_copies() == before + 1);
    queue.copy_and_wait(buffer.first(6 * slot + 1), std::span(data).first(6 * slot + 1));
    CHECK(staged_copies() == before + 2);
}

} // namespace staging_fault_test
