// SPDX-License-Identifier: Apache-2.0
// Failing copies between devices and files. The HIP stand-in causes the failures.
#include "../support/eventually.hpp"
#include "check.hpp"
#include "devices.hpp"
#include "hip_double.hpp"
#include "kernels.hpp"
#include "random.hpp"
#include "staged.hpp"
#include "staging/slots.hpp"

#include <ferry/file.hpp>
#include <ferry/import.hpp>

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace transfer_fault_test {

using namespace conformance;
using ferry::Code;

namespace {

constexpr std::size_t slot = Staged::slot;
constexpr std::size_t size = 12 * slot;
using Bytes = std::vector<std::uint8_t>;

/// All columns except the last, of rows of 256 bytes.
ferry::Box<std::uint8_t> box(const ferry::View<std::uint8_t>& view) {
    return {view, {255, view.size() / 256}, {.row = 256}};
}

void copy(ferry::Queue& queue, const ferry::View<std::uint8_t>& from, const ferry::View<std::uint8_t>& to,
          bool as_box) {
    if (as_box) {
        queue.copy(box(from), box(to));
    } else {
        queue.copy(from, to);
    }
}

/// The expected bytes after a copy of `from` to a buffer that contained `before`.
Bytes copied(const Bytes& from, std::uint8_t before, bool as_box) {
    Bytes result = from;
    for (std::size_t i = 255; as_box && i < result.size(); i += 256) {
        result[i] = before;
    }
    return result;
}

/// The event after the command, a callback and finish() report the failure. The event before the command does
/// not.
template <class Command>
void check_told(ferry::Queue& queue, const ferry::Device& faulty, const std::string& fault,
                const Command& command) {
    INFO("fault ", fault);
    const ferry::Event before = queue.record();
    queue.flush();
    inject(faulty, fault.c_str());
    command();
    const ferry::Event behind = queue.record();
    std::string heard;
    queue.on_complete(
        [&](const ferry::Status& status) { heard = status.ok() ? "nothing" : status.error()->what(); });
    CHECK(before.status().ok());
    const ferry::Status status = behind.status();
    CHECK(!status.ok());
    expect_error_anywhere(Code::internal, {"999"}, [&] { queue.finish(); });
    CHECK_MESSAGE(heard.find("999") != std::string::npos, heard);
    inject(faulty, "");
}

/// Copies the pages of ordinary memory to the buffer in reverse order.
ferry::Batch pages_up(const Bytes& from, ferry::Buffer<std::uint8_t>& to) {
    constexpr std::size_t page = 4096;
    ferry::Batch batch;
    for (std::size_t at = 0; at < from.size(); at += page) {
        batch.copy(std::span(from).subspan(at, page), to.subview(from.size() - page - at, page));
    }
    return batch;
}

/// Checks that all slots, threads and objects of the stand-in that were made during its lifetime are
/// released.
class NothingLeft {
public:
    explicit NothingLeft(const ferry::Device& faulty) : faulty_(faulty) {
        ferry::trim_staging();
        before_ = double_counts(faulty_);
    }
    NothingLeft(const NothingLeft&) = delete;
    NothingLeft& operator=(const NothingLeft&) = delete;
    ~NothingLeft() {
        ferry::trim_staging();
        for (const ferry::Device& device : test_devices()) {
            CHECK(ferry::staging_info(device).slots == 0);
        }
        CHECK(ferry::detail::staging::Slots::ordinary().info().slots == 0);
        CHECK(support::eventually([&] { return ferry::staging_info(faulty_).threads == 0; }));
        check_counts(double_counts(faulty_), before_);
    }

private:
    ferry::Device faulty_;
    DoubleCounts before_;
};

} // namespace

FERRY_PAIR_TEST(
    "transfer fault between devices: a piece is refused or fails; this is reported, and nothing leaks") {
    if (is_double(from) == is_double(to)) { // the driver copies between two devices of one kind
        return;
    }
    const ferry::Device& faulty = is_double(from) ? from : to;
    const ferry::Device& other = is_double(from) ? to : from;
    const Staged staged;
    const std::string way = is_double(from) ? "DtoH" : "HtoD";
    ferry::Buffer<std::uint8_t> source{from, size};
    ferry::Buffer<std::uint8_t> target{to, size};
    const auto data = random_values<std::uint8_t>(size);
    ferry::Queue up{from};
    ferry::Queue down{to};
    up.copy_and_wait(data, source);
    for (const ferry::Device& carrier : {from, to}) {
        // A sleeping thread records its own event, which would consume the fault meant for the copy.
        ferry::Queue queue{carrier, {.wait = ferry::WaitPolicy::spin}};
        for (const bool as_box : {false, true}) {
            INFO("carried by ", carrier.id(), std::string(as_box ? ", a box" : ""));
            copy(queue, source, target, as_box); // makes everything that is made once
            queue.finish();
            const NothingLeft nothing_left{faulty};
            const std::string call = as_box ? "hipMemcpy3DAsync" : "hipMemcpy" + way + "Async";
            for (const std::string& fault :
                 {call + ":999@%", "later:" + call + ":999:once@%", std::string("hipEventRecord:999@%")}) {
                for (const char* const number : {"1", "2", "5"}) {
                    if (as_box && other.backend() == ferry::Backend::host && *number != '1') {
                        continue; // a single command
                    }
                    std::string text = fault;
                    text.replace(text.find('%'), 1, number);
                    check_told(queue, faulty, text, [&] { copy(queue, source, target, as_box); });
                    down.fill(target, std::uint8_t{7});
                    down.finish();
                    copy(queue, source, target, as_box);
                    queue.finish();
                    check_same(down.read(target), copied(data, 7, as_box));
                    check_same(up.read(source), data);
                }
            }
        }
    }
}

FERRY_PAIR_TEST(
    "transfer fault between devices: a box's error states the part before it, which has arrived") {
    const char* const peer = std::getenv("FERRY_DOUBLE_PEER");
    if (!is_double(from) || !is_double(to) || peer == nullptr || *peer != '0') {
        return; // one command
    }
    const Staged staged;
    ferry::Buffer<std::uint8_t> source{from, size};
    ferry::Buffer<std::uint8_t> target{to, size};
    const auto data = random_values<std::uint8_t>(size);
    ferry::Queue up{from};
    ferry::Queue down{to};
    up.copy_and_wait(data, source);
    for (const ferry::Device& carrier : {from, to}) {
        ferry::Queue queue{carrier, {.wait = ferry::WaitPolicy::spin}};
        copy(queue, source, target, true); // what is made once is made
        queue.finish();
        // A piece is read, then written.
        for (const char* const fault :
             {"hipMemcpy3DAsync:999@5", "hipMemcpy3DAsync:999@6", "later:hipMemcpy3DAsync:999:once@6"}) {
            INFO("carried by ", carrier.id(), ", fault ", std::string(fault));
            down.fill(target, std::uint8_t{0});
            down.finish();
            std::string text;
            inject(from, fault);
            try {
                copy(queue, source, target, true);
                queue.finish();
            } catch (const ferry::Error& error) {
                text = error.what();
            }
            inject(from, "");
            const std::size_t part = copied_part(text, size / 256 * 255);
            const Bytes arrived = down.read(target);
            for (std::size_t i = 0; i < part; ++i) {
                const std::size_t place = i / 255 * 256 + i % 255;
                REQUIRE(arrived[place] == data[place]);
            }
        }
    }
}

FERRY_PAIR_TEST(
    "transfer fault between devices: once the failure is told, host memory is read and written no more") {
    const bool up = is_double(from) && to.backend() == ferry::Backend::host;
    const bool down = is_double(to) && from.backend() == ferry::Backend::host;
    if (!up && !down) {
        return;
    }
    const ferry::Device& faulty = up ? from : to;
    const ferry::Device& host = up ? to : from;
    for (const char* const mode : {"on", "off"}) {
        const Staged staged(mode);
        ferry::Queue queue{host};
        for (const bool as_box : {false, true}) {
            INFO("staging ", std::string(mode), std::string(as_box ? ", a box" : ""));
            constexpr std::size_t large = 256 * slot;
            auto* const pages = static_cast<std::uint8_t*>(
                mmap(nullptr, large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
            REQUIRE(static_cast<void*>(pages) != MAP_FAILED);
            {
                const ferry::Imported<std::uint8_t> imported{host, std::span(pages, large)};
                ferry::Buffer<std::uint8_t> buffer{faulty, large};
                inject(faulty, "hipEventRecord:999@1"); // the command before it is in flight then
                if (up) {
                    copy(queue, buffer.view(), imported.view(), as_box);
                } else {
                    copy(queue, imported.view(), buffer.view(), as_box);
                }
                CHECK(!queue.record().status().ok());
            }
            // a copy that is still in flight would end the process
            REQUIRE(mprotect(pages, large, PROT_NONE) == 0);
            inject(faulty, "");
            expect_error_anywhere(Code::internal, {"999"}, [&] { queue.finish(); });
            munmap(pages, large);
        }
    }
}

FERRY_PAIR_TEST("transfer fault between devices: a kernel that failed before the copy is the one to blame") {
    if (!is_double(from)) {
        return;
    }
    for (const char* const mode : {"on", "off"}) {
        const Staged staged(mode);
        ferry::Queue queue{from};
        ferry::Buffer<std::uint32_t> numbers{from, size / 4};
        ferry::Buffer<std::uint32_t> target{to, size / 4};
        for (const bool as_box : {false, true}) {
            INFO("staging ", std::string(mode), std::string(as_box ? ", a box" : ""));
            queue.fill(numbers, 1U);
            inject(from, "kernel:add:701");
            queue.launch(kernel(from, "add"), {3, 8}, numbers, 24U, 4711U);
            if (as_box) {
                const ferry::Extent extent{63, size / 256};
                queue.copy(ferry::Box{numbers.view(), extent, {.row = 256}},
                           ferry::Box{target.view(), extent, {.row = 256}});
            } else {
                queue.copy(numbers, target);
            }
            expect_error_anywhere(Code::command_failed, {"add", "4711", "701"}, [&] { queue.finish(); });
            inject(from, "");
        }
    }
}

FERRY_TEST(
    "transfer fault: the double refuses a launch in a batch; the call reports it, and the next one works") {
    inject(device, "");                                 // throws Error (unsupported) elsewhere
    constexpr std::size_t bytes = std::size_t{9} << 20; // more than twice the size of the ring
    const Bytes data = random_values<std::uint8_t>(bytes);
    Bytes wanted(bytes);
    for (std::size_t at = 0; at < bytes; at += 4096) {
        std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(at), 4096,
                    wanted.end() - static_cast<std::ptrdiff_t>(at + 4096));
    }
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> buffer{device, bytes};
    ferry::Batch batch = pages_up(data, buffer);
    ferry::Buffer<std::uint8_t> elsewhere{device, bytes};
    ferry::Batch failing = pages_up(data, elsewhere);
    queue.copy(batch);
    check_same(queue.read(buffer), wanted);
    for (const char* const fault : {"hipModuleLaunchKernel:999@1", "hipModuleLaunchKernel:999@4",
                                    "hipModuleLaunchKernel:999@9", "hipEventRecord:999@2"}) {
        INFO("fault ", fault);
        queue.fill(buffer, std::uint8_t{0});
        queue.finish();
        inject(device, fault);
        expect_error_anywhere(Code::internal, {"999"}, [&] { queue.copy(failing); });
        inject(device, "");
        queue.fill(elsewhere, std::uint8_t{7}); // no later command of that batch must run
        for (int round = 0; round < 2; ++round) {
            queue.copy(batch);
            check_same(queue.read(buffer), wanted);
        }
        check_same(queue.read(elsewhere), Bytes(bytes, 7));
    }
}

FERRY_TEST(
    "transfer fault: the double refuses or fails a piece of a file; this is reported, and nothing leaks") {
    inject(device, ""); // throws Error (unsupported) elsewhere
    const Staged staged;
    char name[] = "/tmp/ferry-transfer-XXXXXX";
    const int file = mkstemp(name);
    REQUIRE(file >= 0);
    close(file);
    const auto data = random_values<std::uint8_t>(size);
    std::ofstream(name, std::ios::binary)
        .write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(size));
    {
        ferry::Queue queue{device, {.wait = ferry::WaitPolicy::spin}};
        ferry::Buffer<std::uint8_t> buffer{device, size};
        ferry::read_file(queue, name, buffer);
        check_same(queue.read(buffer), data);
        const NothingLeft nothing_left{device};
        for (const bool reads : {true, false}) {
            const std::string call = reads ? "hipMemcpyHtoDAsync" : "hipMemcpyDtoHAsync";
            for (const std::string& fault :
                 {call + ":999@%", "later:" + call + ":999:once@%", std::string("hipEventRecord:999@%")}) {
                for (const char* const number : {"1", "2", "5"}) {
                    std::string text = fault;
                    text.replace(text.find('%'), 1, number);
                    check_told(queue, device, text, [&] {
                        reads ? ferry::read_file(queue, name, buffer)
                              : ferry::write_file(queue, buffer, name);
                    });
                    queue.fill(buffer, std::uint8_t{7});
                    ferry::read_file(queue, name, buffer); // the old file, because no new one was complete
                    check_same(queue.read(buffer), data);
                    ferry::write_file(queue, buffer, name, {.offset = 0});
                    queue.finish();
                }
            }
        }
    }
    unlink(name);
}

} // namespace transfer_fault_test
