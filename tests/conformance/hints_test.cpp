// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "hip_double.hpp"
#include "kernels.hpp"
#include "random.hpp"
#include "vendor.hpp"

#include <ferry/interop/cuda.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace hints_test {

using namespace conformance;
using ferry::Advice;
using ferry::Code;
using ferry::MemoryKind;
using ferry::Prefetch;
using ferry::QueuePriority;

namespace {

constexpr std::uint32_t size = 70'001;

void stir_all(ferry::Queue& queue, const ferry::Device& device, ferry::Buffer<std::uint32_t>& buffer,
              std::vector<std::uint32_t>& model, std::uint32_t round) {
    queue.launch(kernel(device, "stir"), ferry::Grid::covering(size, 64), buffer, size, round);
    for (std::uint32_t i = 0; i < size; ++i) {
        model[i] = stir_result(model[i], i, round);
    }
}

/// Whether the hints of this stand-in can be seen.
bool sees(const ferry::Device& device, const char* function) {
    return is_double(device) && double_has(device, function);
}

} // namespace

FERRY_TEST("hints: queues of every priority compute the same, and the driver gets the priority") {
    const char* const create = "hipStreamCreateWithPriority";
    for (const QueuePriority priority : {QueuePriority::high, QueuePriority::normal, QueuePriority::low}) {
        INFO("priority ", std::string(to_string(priority)));
        const bool seen = sees(device, create);
        const long long calls = seen ? double_calls(device, create) : 0;
        ferry::Queue queue{device, {.priority = priority}};
        auto model = random_values<std::uint32_t>(size);
        ferry::Buffer<std::uint32_t> buffer{device, size};
        queue.copy_and_wait(model, buffer);
        stir_all(queue, device, buffer, model, 5);
        check_same(queue.read(buffer), model);
        if (seen) {
            const bool cuda = device.backend() == ferry::Backend::cuda;
            CHECK(device.info().queue_priority);
            CHECK(double_calls(device, create) == calls + (priority == QueuePriority::normal ? 0 : 1));
            if (priority != QueuePriority::normal) {
                const long long highest = cuda ? -5 : -1;
                const long long lowest = cuda ? 0 : 1;
                CHECK(double_argument(device, create, 0) ==
                      (priority == QueuePriority::high ? highest : lowest));
            }
        }
    }
    CHECK((device.info().queue_priority || device.backend() != ferry::Backend::cuda));
}

FERRY_TEST("hints: prefetch and advice change no bytes of any kind of memory") {
    for (const MemoryKind kind : {MemoryKind::device, MemoryKind::host, MemoryKind::shared}) {
        if (!device.has(kind)) {
            continue;
        }
        INFO("kind ", std::string(to_string(kind)));
        ferry::Queue queue{device};
        auto model = random_values<std::uint32_t>(size);
        ferry::Buffer<std::uint32_t> buffer{device, size, kind};
        queue.copy_and_wait(model, buffer);
        std::uint32_t round = 0;
        for (const Advice advice : {Advice::read_mostly, Advice::prefer_device, Advice::prefer_host,
                                    Advice::device_access, Advice::none}) {
            queue.advise(buffer, advice);
            queue.prefetch(buffer);
            stir_all(queue, device, buffer, model, ++round);
            const std::size_t begin = random_below(size);
            const std::size_t count = random_below(size - begin);
            queue.prefetch(buffer.subview(begin, count), Prefetch::to_host);
            queue.advise(std::as_const(buffer).subview(begin, count), advice);
            check_same(queue.read(buffer), model);
        }
        queue.prefetch(buffer.first(0));
    }
}

FERRY_TEST("hints: the driver gets the range and the place of a prefetch, and each part of an advice") {
    if (!sees(device, "hipMemPrefetchAsync") || !device.has(MemoryKind::shared)) {
        return;
    }
    CHECK(device.info().prefetch);
    const char* const prefetch = "hipMemPrefetchAsync";
    const char* const advise = "hipMemAdvise";
    const long long here = device.info().index;
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, size, MemoryKind::shared};
    const auto count = static_cast<std::uint32_t>(1 + random_below(1000));
    queue.prefetch(buffer.subview(7, count));
    CHECK(double_argument(device, prefetch, 0) == 4LL * count);
    CHECK(double_argument(device, prefetch, 1) == here);
    queue.prefetch(buffer, Prefetch::to_host);
    CHECK(double_argument(device, prefetch, 0) == 4LL * size);
    CHECK(double_argument(device, prefetch, 1) == -1);
    const auto check_advice = [&](Advice advice, long long calls, long long last, long long place) {
        INFO("advice ", std::string(to_string(advice)));
        const long long before = double_calls(device, advise);
        queue.advise(buffer.subview(3, count), advice);
        CHECK(double_calls(device, advise) == before + calls);
        CHECK(double_argument(device, advise, 0) == 4LL * count);
        CHECK(double_argument(device, advise, 1) == last);
        CHECK(double_argument(device, advise, 2) == place);
    };
    check_advice(Advice::read_mostly, 1, 1, here);
    check_advice(Advice::prefer_device, 1, 3, here);
    check_advice(Advice::prefer_host, 1, 3, -1);
    check_advice(Advice::device_access, 1, 5, here);
    check_advice(Advice::none, 3, 6, here);
    const long long before = double_calls(device, prefetch);
    ferry::Buffer<std::uint32_t> other{device, size};
    queue.prefetch(other);
    queue.prefetch(buffer.first(0));
    CHECK(double_calls(device, prefetch) == before);
}

/// Calls of CUDA that Ferry does not make. Each ends the test if the library lacks it or it fails.
template <class... Arguments>
void call_cuda(const char* name, Arguments... arguments) {
    INFO(name);
    void* const found = vendor_symbol(open_vendor_library("FERRY_CUDA_LIBRARY", {"libcuda.so.1"}), name);
    REQUIRE(found != nullptr);
    REQUIRE(reinterpret_cast<int (*)(Arguments...)>(found)(arguments...) == 0);
}

FERRY_TEST("hints: NVIDIA's driver has the priority, the advice and the destination of the prefetch") {
    if (device.backend() != ferry::Backend::cuda || is_double(device)) {
        return; // The test before it examines a stand-in.
    }
    call_cuda("cuCtxSetCurrent", ferry::interop::cuda::context(device));
    for (const QueuePriority priority : {QueuePriority::normal, QueuePriority::low, QueuePriority::high}) {
        ferry::Queue queue{device, {.priority = priority}};
        int lowest = 1;
        int highest = 1;
        int seen = 1;
        call_cuda("cuCtxGetStreamPriorityRange", &lowest, &highest);
        call_cuda("cuStreamGetPriority", ferry::interop::cuda::stream(queue), &seen);
        CHECK(highest < lowest);
        CHECK(seen == (priority == QueuePriority::high ? highest : lowest));
    }
    if (!device.info().prefetch) {
        return;
    }
    constexpr int read_mostly = 1;
    constexpr int preferred_location = 2;
    constexpr int last_prefetch = 4;
    constexpr int processor = -1;
    constexpr int nowhere = -2;
    const int here = ferry::interop::cuda::device(device);
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 1U << 20U, MemoryKind::shared};
    const auto of_range = [&](int attribute) {
        int value = -100;
        call_cuda("cuMemRangeGetAttribute", static_cast<void*>(&value), sizeof value, attribute,
                  ferry::interop::cuda::pointer(buffer), std::size_t{4} << 20U);
        return value;
    };
    queue.fill(buffer, 7U);
    for (const Prefetch to : {Prefetch::to_device, Prefetch::to_host}) {
        queue.prefetch(buffer, to);
        queue.finish();
        CHECK(of_range(last_prefetch) == (to == Prefetch::to_host ? processor : here));
    }
    queue.advise(buffer, Advice::read_mostly);
    CHECK(of_range(read_mostly) == 1);
    queue.advise(buffer, Advice::prefer_device);
    CHECK(of_range(preferred_location) == here);
    queue.advise(buffer, Advice::prefer_host);
    CHECK(of_range(preferred_location) == processor);
    queue.advise(buffer, Advice::none);
    CHECK(of_range(read_mostly) == 0);
    CHECK(of_range(preferred_location) == nowhere);
}

FERRY_TEST("hints: a buffer that was moved from is refused") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 10};
    const ferry::Buffer<std::uint32_t> moved = std::move(buffer);
    expect_error(Code::invalid_state, {"moved from"}, [&] { queue.prefetch(buffer); }); // NOLINT
    expect_error(Code::invalid_state, {"moved from"}, [&] { queue.advise(buffer, Advice::none); });
}

FERRY_PAIR_TEST(
    "hints: after a wait for another device they stay in order, and memory elsewhere is refused") {
    const MemoryKind kind = to.has(MemoryKind::shared) ? MemoryKind::shared : MemoryKind::device;
    ferry::Queue first{from};
    ferry::Queue queue{to};
    ferry::Buffer<std::uint32_t> spun{from, 64 * 64};
    first.launch(kernel(from, "spin"), {64, 64}, spun, 3000U);
    queue.wait(first.record());
    auto model = random_values<std::uint32_t>(size);
    std::vector<std::uint32_t> got(size);
    {
        ferry::Buffer<std::uint32_t> buffer{to, size, kind};
        queue.copy_and_wait(model, buffer);
        queue.advise(buffer, Advice::prefer_device);
        queue.prefetch(buffer);
        stir_all(queue, to, buffer, model, 9);
        queue.prefetch(buffer, Prefetch::to_host);
        queue.copy(buffer, got);
        queue.advise(buffer, Advice::none);
    }
    queue.finish();
    check_same(got, model);
    if (from != to) {
        expect_error(Code::invalid_argument, {"the queue is on"}, [&] { queue.prefetch(spun); });
    }
}

FERRY_TEST("hints: occupancy is the driver's, falls with local memory, and refuses groups that cannot run") {
    const ferry::Kernel add = kernel(device, "add");
    const ferry::DeviceInfo& info = device.info();
    const std::size_t own = add.info().max_group_size;
    const std::size_t most = own != 0 ? std::min(own, info.max_group_size) : info.max_group_size;
    const std::size_t items = 1 + random_below(most / 2);
    const std::optional<std::uint32_t> plain = add.occupancy({items});
    CHECK(plain.has_value() ==
          (device.backend() != ferry::Backend::opencl && device.backend() != ferry::Backend::vulkan &&
           (!is_double(device) || sees(device, "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor"))));
    if (plain) {
        CHECK(*plain >= 1);
        CHECK((device.backend() != ferry::Backend::host || *plain == 1));
        std::uint32_t last = *plain;
        for (std::size_t bytes = 16; bytes <= info.local_memory; bytes *= 2) {
            const std::uint32_t fits = add.occupancy({items}, bytes).value();
            CHECK(fits <= last);
            CHECK((fits >= 1 || add.info().local_bytes + bytes > info.local_memory));
            last = fits;
        }
        const char* const query = "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor";
        if (sees(device, query)) {
            CHECK(add.occupancy({2, 3, 5}, 48).value() > 0);
            CHECK(double_argument(device, query, 0) == 30);
            CHECK(double_argument(device, query, 1) == 48);
        }
    }
    expect_error(Code::invalid_argument, {"work-items"},
                 [&] { static_cast<void>(add.occupancy({info.max_group_size + 1})); });
    expect_error(Code::invalid_argument, {"at least 1"}, [&] { static_cast<void>(add.occupancy({0})); });
    if (info.local_memory != 0) {
        expect_error(Code::invalid_argument, {"local memory"},
                     [&] { static_cast<void>(add.occupancy({1}, info.local_memory + 1)); });
    }
}

} // namespace hints_test
