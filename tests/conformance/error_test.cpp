// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "hip_double.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace conformance;
using ferry::Code;

namespace {

/// A launch that fails on the device in a way that the device supports, with the text of its error.
class FailingLaunch {
public:
    explicit FailingLaunch(const ferry::Device& device) : device_(device) {
        if (device.backend() == ferry::Backend::host) {
            program_ = ferry::Program{device, ferry::Source::host(functions)};
        } else {
            reason_ = std::to_string(fail_launches(device, "add"));
            program_ = program(device);
        }
    }
    FailingLaunch(const FailingLaunch&) = delete;
    FailingLaunch& operator=(const FailingLaunch&) = delete;
    ~FailingLaunch() {
        if (device_.backend() != ferry::Backend::host) {
            fail_launches(device_, "");
        }
    }

    /// Returns the line that enqueues the launch.
    std::uint32_t enqueue(ferry::Queue& queue, const ferry::View<std::uint32_t>& data) const {
        queue.launch(program_.kernel("add"), {3, 8}, data, 24U, 4711U);
        return __LINE__ - 1;
    }
    std::vector<std::string> words(std::uint32_t line) const {
        return {"add", "3x1x1", "8x1x1", "24", "4711", "error_test.cpp:" + std::to_string(line), reason_};
    }

private:
    static void fails(const ferry::HostGroup& group, std::uint32_t*, std::uint32_t, std::uint32_t) {
        if (group.group.x == 1) {
            throw std::runtime_error("the kernel's own words");
        }
    }
    static constexpr ferry::HostKernel functions[] = {ferry::host_kernel<fails>("add")};

    ferry::Device device_;
    ferry::Program program_;
    std::string reason_ = "the kernel's own words";
};

void throws_number(const ferry::HostGroup&) {
    throw 17;
} // NOLINT: anything may leave a kernel

void check_names(const std::optional<ferry::Error>& error, const FailingLaunch& launch, std::uint32_t line,
                 const char* reached) {
    INFO("the error that reached ", std::string(reached));
    REQUIRE_MESSAGE(error.has_value(), "there was none");
    INFO("the message is: ", std::string(error->what()));
    CHECK(std::string(ferry::to_string(error->code())) == "command_failed");
    for (const std::string& word : launch.words(line)) {
        CHECK_MESSAGE(std::string(error->what()).find(word) != std::string::npos, "no \"", word, "\"");
    }
    CHECK(error->where().line() == line);
}

} // namespace

FERRY_TEST("error: a failed launch reaches event, status, callback and finish, named each time") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> data{device, 24};
    const FailingLaunch launch(device);
    std::optional<ferry::Error> called;
    const ferry::Event before = queue.record();
    const std::uint32_t line = launch.enqueue(queue, data);
    const ferry::Event after = queue.record();
    queue.on_complete([&](const ferry::Status& status) {
        if (!status.ok()) {
            called = *status.error();
        }
    });
    check_names(error_of([&] { after.wait(); }), launch, line, "wait()");
    CHECK(after.ready());
    REQUIRE_FALSE(after.status().ok());
    check_names(*after.status().error(), launch, line, "status()");
    check_names(error_of([&] { queue.finish(); }), launch, line, "finish()");
    check_names(called, launch, line, "the callback");
    CHECK(before.status().ok());
    before.wait();
}

FERRY_TEST("error: a failed launch reaches an event that is before another suspect") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> data{device, 24};
    const FailingLaunch launch(device);
    const ferry::Event before = queue.record();
    const std::uint32_t line = launch.enqueue(queue, data);
    const ferry::Event between = queue.record();
    queue.launch(kernel(device, "noop"), {1, 1});
    check_names(error_of([&] { queue.finish(); }), launch, line, "finish()");
    check_names(error_of([&] { between.wait(); }), launch, line, "the event behind it");
    CHECK(before.status().ok());
    queue.finish();
}

FERRY_TEST("error: the queue works after finish has thrown") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> data{device, 24};
    for (int round = 0; round < 3; ++round) {
        {
            const FailingLaunch launch(device);
            const std::uint32_t line = launch.enqueue(queue, data);
            check_names(error_of([&] { queue.finish(); }), launch, line, "finish()");
            queue.finish(); // one report is enough
        }
        queue.fill(data, 5U);
        queue.launch(kernel(device, "add"), {1, 24}, data, 24U, 2U);
        check_same(queue.read(data), std::vector<std::uint32_t>(24, 7U));
        CHECK(queue.record().status().ok());
    }
}

FERRY_TEST("error: the queue works, and what is recorded once finish has thrown is not told the same again") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> data{device, 24};
    std::vector<ferry::Event> failed;
    for (int round = 0; round < 3; ++round) {
        const FailingLaunch launch(device);
        (void)launch.enqueue(queue, data);
        failed.push_back(queue.record());
        CHECK(error_of([&] { queue.finish(); }).has_value());
        const ferry::Event after = queue.record();
        std::optional<bool> well;
        queue.on_complete([&](const ferry::Status& status) { well = status.ok(); });
        ferry::Queue other{device};
        other.wait(after);
        other.finish();
        queue.finish();
        CHECK(after.status().ok());
        CHECK(well == true);
    }
    for (const ferry::Event& event : failed) { // all events of commands that failed so far
        CHECK_FALSE(event.status().ok());
    }
}

FERRY_TEST("error: a failed launch has its own message although a callback threw before") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> data{device, 24};
    std::atomic<bool> called{false};
    queue.on_complete([&](const ferry::Status&) {
        called = true;
        called.notify_all();
        throw std::runtime_error("the callback's");
    });
    called.wait(false);
    const FailingLaunch launch(device);
    const std::uint32_t line = launch.enqueue(queue, data);
    const ferry::Event after = queue.record();
    check_names(error_of([&] { after.wait(); }), launch, line, "the event");
    check_names(error_of([&] { queue.finish(); }), launch, line, "finish()");
    queue.finish();
}

FERRY_TEST("error: other queues of the device and other devices continue") {
    ferry::Queue queue{device};
    ferry::Queue other{device};
    ferry::Buffer<std::uint32_t> data{device, 24};
    ferry::Buffer<std::uint32_t> theirs{device, 24};
    const FailingLaunch launch(device);
    (void)launch.enqueue(queue, data);
    other.fill(theirs, 9U);
    check_same(other.read(theirs), std::vector<std::uint32_t>(24, 9U));
    for (const ferry::Device& elsewhere : devices_other_than(device)) {
        check_still_works(elsewhere);
    }
    CHECK(error_of([&] { queue.finish(); }).has_value());
    other.finish();
}

FERRY_TEST("error: a queue that waits for a failed command fails too") {
    ferry::Queue queue{device};
    ferry::Queue other{device};
    ferry::Buffer<std::uint32_t> data{device, 24};
    const FailingLaunch launch(device);
    const std::uint32_t line = launch.enqueue(queue, data);
    other.wait(queue.record());
    check_names(error_of([&] { other.finish(); }), launch, line, "the other queue's finish()");
    CHECK(error_of([&] { queue.finish(); }).has_value());
    other.finish();
    queue.finish();
}

// The wait is tested on the vendor's queue and after host work.
FERRY_TEST("error: a queue that waits for a failed one continues after it") {
    constexpr std::uint32_t rounds = 20'000'000;
    for (const bool host_work : {false, true}) {
        ferry::Queue queue{device};
        ferry::Queue other{device};
        ferry::Buffer<std::uint32_t> slow{device, 1};
        ferry::Buffer<std::uint32_t> data{device, 24};
        other.fill(slow, 0U);
        other.finish();
        const FailingLaunch launch(device);
        other.launch(kernel(device, "spin"), {1, 1}, slow, rounds);
        const ferry::Event end = other.record();
        if (host_work) {
            ferry::read_file(queue, "/proc/self/exe", data);
        }
        (void)launch.enqueue(queue, data);
        queue.wait(end);
        CHECK(error_of([&] { queue.finish(); }).has_value());
        check_same(queue.read(slow), std::vector<std::uint32_t>(1, spin_result(0, rounds)));
        CHECK(end.ready());
    }
}

FERRY_TEST("error: a queue that waits for a failed command reports it after its own commands") {
    constexpr std::uint32_t rounds = 20'000'000;
    ferry::Queue failing{device};
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> slow{device, 1};
    ferry::Buffer<std::uint32_t> data{device, 24};
    const ferry::Kernel spin = kernel(device, "spin");
    const FailingLaunch launch(device);
    (void)launch.enqueue(failing, data);
    const ferry::Event failed = failing.record();
    CHECK_FALSE(failed.status().ok());
    queue.launch(spin, {1, 1}, slow, rounds);
    const ferry::Event before = queue.record();
    queue.wait(failed);
    const ferry::Event after = queue.record();
    std::atomic<bool> early{false};
    queue.on_complete([&](const ferry::Status&) { early = !before.ready(); });
    CHECK(error_of([&] { after.wait(); }).has_value());
    CHECK(before.ready());
    CHECK(error_of([&] { queue.finish(); }).has_value());
    CHECK_FALSE(early);
}

FERRY_TEST("error: nobody asks, the destructor drops it") {
    const Unchanged unchanged{device};
    {
        const FailingLaunch launch(device);
        ferry::Queue queue{device};
        ferry::Buffer<std::uint32_t> data{device, 24};
        (void)launch.enqueue(queue, data);
    }
}

FERRY_TEST("error: read and copy_and_wait throw earlier failures") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> data{device, 24};
    const FailingLaunch launch(device);
    const std::uint32_t line = launch.enqueue(queue, data);
    check_names(error_of([&] { (void)queue.read(data); }), launch, line, "read()");
}

FERRY_TEST("error: map throws earlier failures, and maps nothing") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> data{device, 24};
    ferry::Buffer<std::uint32_t> other{device, 24};
    {
        const FailingLaunch launch(device);
        for (const ferry::Map access : {ferry::Map::read, ferry::Map::discard}) {
            const std::uint32_t line = launch.enqueue(queue, data);
            const ferry::Event after = queue.record();
            check_names(error_of([&] { (void)data.map(queue, access); }), launch, line, "map()");
            check_names(error_of([&] { after.wait(); }), launch, line, "an event behind it");
            queue.finish(); // map() has reported the error
        }
        launch.enqueue(queue, data);
        CHECK(error_of([&] { (void)other.map(queue, ferry::Map::read); }).has_value());
    }
    queue.fill(data, 7U); // must not be rejected because of a remaining mapping
    const auto mapping = data.map(queue, ferry::Map::read);
    CHECK(mapping[23] == 7);
}

FERRY_TEST("error: one that throws something else is reported as well") {
    if (device.backend() != ferry::Backend::host) {
        throw ferry::Error(Code::unsupported, "Only functions of the program can throw.");
    }
    static constexpr ferry::HostKernel kernels[] = {ferry::host_kernel<throws_number>("thrower")};
    ferry::Queue queue{device};
    queue.launch(ferry::Program{device, ferry::Source::host(kernels)}.kernel("thrower"), {2, 2});
    expect_error_anywhere(Code::command_failed, {"thrower"}, [&] { queue.finish(); });
    check_still_works(device);
}

FERRY_TEST("error: work-items that part around a barrier end the launch, which names the place") {
    if (device.backend() != ferry::Backend::host) {
        throw ferry::Error(Code::unsupported, "On " + device.id() + " nothing tells of it.");
    }
    constexpr std::string_view text = R"(
kernel void parts(global const int* in, global int* out, int limit) {
    const int i = (int)get_global_id(0);
    if (in[i] > limit) barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = 1;
}
kernel void parts_in_loop(global const int* in, global int* out, int limit) {
    const int i = (int)get_global_id(0);
    for (int k = 0; k < 3; ++k) {
        if (in[i] > limit) break;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = 1;
}
kernel void parts_to_labels(global const int* in, global int* out, int limit) {
    const int i = (int)get_global_id(0);
    int k = 0;
first:
    k += 0;
again:
    barrier(CLK_LOCAL_MEM_FENCE);
    if (++k < 3) {
        if (in[i] > limit) goto first;
        goto again;
    }
    out[i] = 1;
}
kernel void parts_in_turn(global const int* in, global int* out, int limit) {
    const int i = (int)get_global_id(0);
    for (int k = 0; k < 3; ++k) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (in[i] > limit) break; else continue;
    }
    out[i] = 1;
})";
    const ferry::Program program{device, text};
    ferry::Queue queue{device};
    std::vector<int> in(48);
    in[20] = 1;
    ferry::Buffer<int> din{device, in.size()};
    ferry::Buffer<int> out{device, in.size()};
    queue.copy_and_wait(in, din);
    for (const auto& [name, place] :
         {std::pair{"parts", "kernel.cl:4:9,"}, std::pair{"parts_in_loop", "kernel.cl:11:9,"},
          std::pair{"parts_to_labels", "kernel.cl:21:5,"}, std::pair{"parts_in_turn", "kernel.cl:31:9,"}}) {
        const ferry::Kernel kernel = program.kernel(name);
        for (const int limit : {1, -1}) { // the same limit for both ways
            queue.fill(out, -7);
            queue.launch(kernel, {3, 16}, din, out, limit);
            check_same(queue.read(out), std::vector<int>(in.size(), 1));
        }
        queue.launch(kernel, {3, 16}, din, out, 0);
        expect_error_anywhere(Code::command_failed,
                              {name, "The work-items of a group do not go the same way at ", place},
                              [&] { queue.finish(); });
    }
    check_still_works(device);
}

FERRY_TEST("error: a refused call enqueues nothing and leaves the queue as it was") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> data{device, 24};
    queue.fill(data, 1U);
    for (int i = 0; i < 100; ++i) {
        CHECK(error_of([&] { queue.launch(kernel(device, "add"), {0, 8}, data, 24U, 1U); }).has_value());
        CHECK(error_of([&] { queue.copy(data.first(3), data.last(4)); }).has_value());
    }
    queue.finish(); // no error is left to report
    check_same(queue.read(data), std::vector<std::uint32_t>(24, 1U));
}

FERRY_TEST("error: the double runs out of memory and continues") {
    const Unchanged unchanged{device};
    inject(device, "");
    device.pool().trim();
    inject(device, "hipMalloc:2");
    const std::string call = vendor_name(device, "hipMalloc");
    const bool cuda = device.backend() == ferry::Backend::cuda;
    const ferry::Error error =
        expect_error(Code::out_of_memory, {call, cuda ? "CUDA_ERROR_OUT_OF_MEMORY" : "hipErrorOutOfMemory"},
                     [&] { const ferry::Buffer<std::uint32_t> none(device, 50'000'000); });
    REQUIRE(error.vendor() != nullptr);
    CHECK(error.vendor()->code == 2);
    CHECK(error.vendor()->call == call);
    inject(device, "");
    const ferry::Buffer<std::uint32_t> some(device, 1000);
    CHECK(some.size() == 1000);
}

FERRY_TEST("error: the double refuses memory once, and the pool's kept memory makes room") {
    inject(device, "");
    { const ferry::Buffer<std::uint32_t> idle(device, 10'000'000); }
    const ferry::PoolUse before = device.pool().use();
    // A segment is refused, then an allocation of exactly the size. Then idle memory is released.
    inject(device, device.pool().enabled() ? "hipMalloc:2@1,hipMalloc:2@2" : "hipMalloc:2@1");
    const ferry::Buffer<std::uint32_t> some(device, 30'000'000);
    inject(device, "");
    if (device.pool().enabled()) {
        CHECK(device.pool().use().reserved < before.reserved + some.size_bytes());
    }
    check_still_works(device);
}

FERRY_TEST("error: the double's boxes and batches that fail later name themselves, and the queue continues") {
    inject(device, "");
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> a{device, 100};
    ferry::Buffer<std::uint32_t> b{device, 100};
    queue.fill(a, 3U);
    queue.fill(b, 4U);
    queue.finish();
    inject(device, "later:hipMemcpy3DAsync:999");
    queue.copy(ferry::Box{a, {5, 5}, {.row = 80}}, ferry::Box{b, {5, 5}});
    const ferry::Event event = queue.record();
    inject(device, "");
    expect_error_anywhere(Code::internal, {"copy of 100 bytes", "error_test.cpp", "999"},
                          [&] { event.wait(); });
    expect_error_anywhere(Code::internal, {"copy of 100 bytes"}, [&] { queue.finish(); });
    inject(device, "later:hipMemcpyDtoHAsync:999");
    ferry::Buffer<std::uint32_t> large_copy{device, 60'000};
    std::vector<std::uint32_t> host(60'000);
    ferry::Batch batch; // too large for anything except the vendor's copy
    batch.copy(large_copy.first(20'000), std::span(host).first(20'000));
    batch.copy(large_copy.last(20'000), std::span(host).last(20'000));
    queue.copy(batch);
    inject(device, "");
    expect_error_anywhere(Code::internal, {"batch of copies of", "160000 bytes", "999"},
                          [&] { queue.finish(); });
    // Many copies are one launch of Ferry's own kernel. So is a fill with a pattern that the vendor does not
    // support.
    inject(device, "kernel:ferry_copies:999");
    batch.clear();
    for (std::size_t i = 0; i < 10; ++i) {
        batch.copy(a.subview(i, 1), b.subview(i, 1));
    }
    queue.copy(batch);
    inject(device, "kernel:ferry_fill:999");
    expect_error_anywhere(Code::internal, {"batch of copies of 40 bytes", "999"}, [&] { queue.finish(); });
    const std::vector<std::byte> pattern{std::byte{1}, std::byte{2}, std::byte{3}};
    ferry::Buffer<std::byte> large{device, 3U << 20U};
    queue.fill_bytes(large, pattern);
    inject(device, "");
    expect_error_anywhere(Code::internal, {"fill of", "3145728 bytes", "999"}, [&] { queue.finish(); });
    inject(device, "hipMemcpy3DAsync:1");
    expect_error(Code::internal, {"copy of 100 bytes", vendor_name(device, "hipMemcpy3DAsync"), "1"}, [&] {
        queue.copy(ferry::Box{a, {5, 5}, {.row = 80}}, ferry::Box{b, {5, 5}});
    });
    inject(device, "");
    check_still_works(device);
    queue.copy(ferry::Box{a, {5, 5}, {.row = 80}}, ferry::Box{b, {5, 5}});
    check_same(queue.read(b.first(25)), std::vector<std::uint32_t>(25, 3U));
}
