// SPDX-License-Identifier: Apache-2.0
// The memory pool: exclusive use of memory, the figures, the limit and ways to avoid the pool.
#include "check.hpp"
#include "children.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <ferry/interop/cuda.hpp>
#include <ferry/interop/hip.hpp>
#include <ferry/interop/opencl.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace pool_test {

using namespace conformance;
using ferry::Buffer;
using ferry::Code;
using ferry::MemoryKind;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::uint32_t size = 1 << 18; // elements: 1 MiB

/// Slow work, so that later commands stay in flight.
struct Delay {
    ferry::Device device;
    Buffer<std::uint32_t> scratch{device, 64};
    std::uint32_t rounds = 50'000;

    void operator()(ferry::Queue& queue) {
        queue.launch(kernel(device, "spin"), {1, 64}, scratch,
                     rounds + static_cast<std::uint32_t>(random_below(rounds)));
    }
};

/// Destroys a buffer while a late command of `queue` still has to write to it.
void write_late(ferry::Queue& queue, Delay& delay, MemoryKind kind, std::uint32_t count = size) {
    Buffer<std::uint32_t> gone{queue.device(), count, kind};
    delay(queue);
    queue.launch(kernel(queue.device(), "iota"), ferry::Grid::covering(count, 64), gone, count, 1U);
    queue.flush();
}

void fails_late(const ferry::HostGroup&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    throw std::runtime_error("on purpose");
}

struct Limited {
    ferry::Pool pool;
    Limited(const ferry::Device& device, std::uint64_t more) : pool(device.pool()) {
        pool.trim();
        pool.set_limit(pool.use().reserved + more);
    }
    Limited(const Limited&) = delete;
    Limited& operator=(const Limited&) = delete;
    ~Limited() { pool.set_limit(~std::uint64_t{0}); }
};

bool is_off(const ferry::Device& device) {
    return !device.pool().enabled();
}

void require_pool(const ferry::Device& device) {
    if (is_off(device)) {
        throw ferry::Error(Code::unsupported, device.id() + " has no pool.");
    }
}

/// Repeats `round` until the write was late several times, that is, still pending when its memory was freed.
template <class Round>
void until_late(const ferry::Device& device, Delay& delay, const Round& round) {
    int late = 0;
    // Without a pool, the end of a buffer waits for its commands, so no write is late.
    const int most = is_off(device) ? 4 : 30;
    for (int i = 0; i < most && late < 4; ++i) {
        if (round()) {
            ++late;
        } else {
            delay.rounds = std::min(delay.rounds * 2, 50'000'000U);
        }
    }
    CHECK_MESSAGE((late > 0 || is_off(device)), "no write was late, so nothing was tested");
}

} // namespace

FERRY_TEST("pool: another queue does not see late writes to a destroyed buffer") {
    ferry::Queue late{device};
    ferry::Queue queue{device};
    Delay delay{device};
    until_late(device, delay, [&] {
        write_late(late, delay, MemoryKind::device);
        Buffer<std::uint32_t> fresh{device, size};
        queue.fill(fresh, 7U);
        // Read before finish(), because a processor may do the work of both queues one after the other.
        const bool busy = !late.idle();
        queue.finish();
        late.finish();
        check_same(queue.read(fresh), std::vector<std::uint32_t>(size, 7U));
        return busy;
    });
}

FERRY_TEST("pool: another queue waits where there is no other memory, and counts it") {
    require_pool(device);
    ferry::Queue late{device};
    ferry::Queue queue{device};
    Delay delay{device};
    late.finish();
    const Limited limited{device, 24 * mib};
    constexpr std::uint32_t most = 5 * size * 3; // 15 MiB: two of them do not fit
    const auto waits = [&] { return device.pool().use().waits; };
    const std::uint64_t before = waits();
    for (int round = 0; round < 30 && waits() < before + 3; ++round) {
        write_late(late, delay, MemoryKind::device, most);
        const std::uint64_t earlier = waits();
        Buffer<std::uint32_t> fresh{device, most};
        if (waits() == earlier) { // the write was already complete
            delay.rounds = std::min(delay.rounds * 2, 50'000'000U);
        }
        queue.fill(fresh, 7U);
        queue.finish();
        late.finish();
        check_same(queue.read(fresh), std::vector<std::uint32_t>(most, 7U));
    }
    CHECK(waits() > before);
}

FERRY_TEST("pool: a wait for a queue whose command fails does not fail with it") {
    require_pool(device);
    if (device.backend() != ferry::Backend::host) {
        throw ferry::Error(Code::unsupported, "Only the host's kernels can be made to throw.");
    }
    ferry::Queue late{device};
    ferry::Queue queue{device};
    const Limited limited{device, 24 * mib};
    constexpr std::uint32_t most = 5 * size * 3;
    static constexpr ferry::HostKernel functions[] = {ferry::host_kernel<fails_late>("fails_late")};
    const ferry::Kernel fails = ferry::Program{device, ferry::Source::host(functions)}.kernel("fails_late");
    {
        Buffer<std::uint32_t> gone{device, most};
        late.fill(gone, 1U);
        late.launch(fails, {1, 1});
        late.fill(gone, 2U);
    }
    Buffer<std::uint32_t> fresh{device, most};
    queue.fill(fresh, 7U);
    queue.finish();
    check_same(queue.read(fresh), std::vector<std::uint32_t>(most, 7U));
    expect_error_anywhere(Code::command_failed, {"on purpose"}, [&] { late.finish(); });
}

FERRY_TEST("pool: one queue uses the same memory again at once, and nothing waits") {
    require_pool(device);
    ferry::Queue queue{device};
    Delay delay{device};
    queue.finish();
    device.pool().trim();
    const ferry::PoolUse before = device.pool().use();
    Buffer<std::uint32_t> sum{device, size};
    queue.fill(sum, 0U);
    delay(queue);
    constexpr std::uint32_t rounds = 50;
    for (std::uint32_t round = 0; round < rounds; ++round) {
        Buffer<std::uint32_t> passing{device, size};
        queue.launch(kernel(device, "iota"), ferry::Grid::covering(size, 64), passing, size, round);
        queue.launch(kernel(device, "combine"), ferry::Grid::covering(size, 64), passing, sum, sum, size);
    }
    const std::vector<std::uint32_t> seen = queue.read(sum);
    std::vector<std::uint32_t> wanted(size);
    for (std::uint32_t i = 0; i < size; ++i) {
        wanted[i] = 3 * (rounds * i + rounds * (rounds - 1) / 2);
    }
    check_same(seen, wanted);
    const ferry::PoolUse after = device.pool().use();
    CHECK(after.waits == before.waits);
    CHECK(after.reserved - before.reserved <= 16 * mib);
    CHECK(after.driver_allocations - before.driver_allocations <= 4);
}

FERRY_TEST("pool: memory that the host may write at once is not in use by the device") {
    for (const MemoryKind kind : {MemoryKind::host, MemoryKind::shared}) {
        if (!device.has(kind)) {
            continue;
        }
        INFO("kind ", std::string(ferry::to_string(kind)));
        ferry::Queue late{device};
        Delay delay{device};
        until_late(device, delay, [&] {
            write_late(late, delay, kind);
            Buffer<std::uint32_t> fresh{device, size, kind};
            std::fill(fresh.span().begin(), fresh.span().end(), 7U);
            const bool busy = !late.idle();
            late.finish();
            check_same(std::vector<std::uint32_t>(fresh.span().begin(), fresh.span().end()),
                       std::vector<std::uint32_t>(size, 7U));
            return busy;
        });
    }
}

FERRY_TEST("pool: memory in flight is waited for before there is no memory") {
    require_pool(device);
    ferry::Queue late{device};
    Delay delay{device};
    late.finish();
    const Limited limited{device, 24 * mib};
    constexpr std::uint32_t most = 5 * size * 3;
    until_late(device, delay, [&] {
        write_late(late, delay, MemoryKind::host, most);
        const bool busy = !late.idle();
        Buffer<std::uint32_t> fresh{device, most, MemoryKind::host};
        CHECK(late.idle());
        std::fill(fresh.span().begin(), fresh.span().end(), 7U);
        late.finish();
        CHECK(fresh.span()[most - 1] == 7);
        return busy;
    });
}

FERRY_TEST("pool: former commands do not write to a mapping of new memory") {
    ferry::Queue late{device};
    ferry::Queue queue{device};
    Delay delay{device};
    until_late(device, delay, [&] {
        write_late(late, delay, MemoryKind::device);
        Buffer<std::uint32_t> fresh{device, size};
        const bool busy = !late.idle();
        {
            auto mapping = fresh.map(queue, ferry::Map::discard);
            std::fill(mapping.begin(), mapping.end(), 7U);
        }
        queue.finish();
        late.finish();
        check_same(queue.read(fresh), std::vector<std::uint32_t>(size, 7U));
        return busy;
    });
}

FERRY_PAIR_TEST("pool between devices: former commands do not overwrite a copy from another device") {
    ferry::Queue late{to};
    ferry::Queue queue{from};
    Delay delay{to};
    const auto data = random_values<std::uint32_t>(size);
    Buffer<std::uint32_t> source{from, size};
    queue.copy_and_wait(data, source);
    until_late(to, delay, [&] {
        write_late(late, delay, MemoryKind::device);
        Buffer<std::uint32_t> fresh{to, size};
        queue.copy(source, fresh);
        const bool busy = !late.idle();
        queue.finish();
        late.finish();
        check_same(late.read(fresh), data);
        return busy;
    });
}

FERRY_PAIR_TEST("pool between devices: memory that another device's queue reads is not given out meanwhile") {
    ferry::Queue there{to};
    ferry::Queue queue{from};
    Delay delay{to};
    const auto data = random_values<std::uint32_t>(size);
    until_late(from, delay, [&] {
        Buffer<std::uint32_t> target{to, size};
        {
            Buffer<std::uint32_t> source{from, size};
            queue.copy_and_wait(data, source);
            delay(there);
            there.copy(source, target);
        }
        Buffer<std::uint32_t> fresh{from, size};
        queue.fill(fresh, 7U);
        const bool busy = !there.idle();
        queue.finish();
        check_same(there.read(target), data);
        return busy;
    });
}

FERRY_TEST(
    "pool: the double refuses to wait for a program's own use, and a later wait gives the memory back") {
    inject(device, "");
    const auto place = [&](const Buffer<std::uint32_t>& buffer) {
        return device.backend() == ferry::Backend::cuda
                   ? std::uint64_t{ferry::interop::cuda::pointer(buffer)}
                   : reinterpret_cast<std::uint64_t>(ferry::interop::hip::pointer(buffer));
    };
    constexpr std::uint32_t large = 20 << 20; // a segment of its own
    for (const std::uint32_t count : {size, large}) {
        INFO("elements ", count);
        { const Buffer<std::uint32_t> warm{device, count}; }
        device.pool().trim();
        const DoubleCounts before = double_counts(device);
        const std::uint64_t reserved = device.pool().use().reserved;
        std::uint64_t used = 0;
        {
            const Buffer<std::uint32_t> buffer{device, count};
            used = place(buffer);
            inject(device, "hipDeviceSynchronize:999");
        }
        device.pool().trim();
        {
            const Buffer<std::uint32_t> other{device, count};
            CHECK(place(other) != used); // the program may still write there
        }
        CHECK(double_counts(device).allocations > before.allocations);
        inject(device, "");
        device.pool().trim();
        check_counts(double_counts(device), before);
        CHECK(device.pool().use().reserved == reserved);
    }
    {
        const Buffer<std::uint32_t> buffer{device, size};
        static_cast<void>(place(buffer));
        inject(device, "hipDeviceSynchronize:999");
    }
    inject(device, "");
    const DoubleCounts kept = double_counts(device);
    {
        const Buffer<std::uint32_t> next{device, size}; // whose end waits for the device
        static_cast<void>(place(next));
    }
    if (!device.pool().enabled()) { // else the pool keeps both
        CHECK(double_counts(device).allocations < kept.allocations);
    }
    device.pool().trim();
}

FERRY_TEST("pool: a native handle refers to the buffer's own bytes, also if other buffers used them before") {
    ferry::Queue late{device};
    ferry::Queue queue{device};
    Delay delay{device};
    const auto place = [&](const auto& view) -> std::uint64_t {
        switch (device.backend()) {
        case ferry::Backend::cuda:
            return ferry::interop::cuda::pointer(view);
        case ferry::Backend::hip:
            return reinterpret_cast<std::uint64_t>(ferry::interop::hip::pointer(view));
        case ferry::Backend::opencl:
            return reinterpret_cast<std::uint64_t>(ferry::interop::opencl::pointer(view));
        default:
            return 0;
        }
    };
    until_late(device, delay, [&] {
        write_late(late, delay, MemoryKind::device);
        Buffer<std::uint32_t> a{device, size};
        Buffer<std::uint32_t> b{device, size};
        const bool busy = !late.idle();
        const std::uint64_t at = place(a.view());
        if (at != 0) {
            CHECK(place(a.subview(100, 5)) == at + 400);
            const std::uint64_t other = place(b.view());
            CHECK((other >= at + 4 * size || at >= other + 4 * size));
        }
        // From here on, all commands may write to the memory, because its former use is complete.
        queue.fill(a, 7U);
        queue.fill(b, 8U);
        queue.finish();
        late.finish();
        check_same(queue.read(a), std::vector<std::uint32_t>(size, 7U));
        check_same(queue.read(b), std::vector<std::uint32_t>(size, 8U));
        return busy;
    });
}

FERRY_TEST("pool: at random on several threads, each with its own queue") {
    const Unchanged unchanged{device};
    std::atomic<int> wrong{0};
    const ferry::Kernel iota = kernel(device, "iota");
    const ferry::Kernel add = kernel(device, "add");
    const auto work = [&](std::uint32_t seed) {
        ferry::Queue queue{device};
        std::vector<std::optional<Buffer<std::uint32_t>>> kept(4);
        std::vector<std::uint32_t> bases(4);
        for (std::uint32_t i = 0; i < 120; ++i) {
            const std::size_t slot = (seed * 7 + i * 5) % kept.size();
            const std::uint32_t count = 64U << ((seed + i * 3) % 9);
            if (kept[slot]) {
                const auto& buffer = *kept[slot];
                const auto length = static_cast<std::uint32_t>(buffer.size());
                const std::vector<std::uint32_t> seen = queue.read(buffer);
                for (std::uint32_t k = 0; k < length; ++k) {
                    wrong += seen[k] == bases[slot] + k ? 0 : 1;
                }
            }
            kept[slot].emplace(device, count);
            bases[slot] = seed * 1000 + i + 1;
            queue.launch(iota, ferry::Grid::covering(count, 64), *kept[slot], count, bases[slot] - 1);
            queue.launch(add, ferry::Grid::covering(count, 64), *kept[slot], count, 1U);
            if (i % 11 == 0) { // destroyed while in flight
                Buffer<std::uint32_t> gone{device, count};
                queue.launch(iota, ferry::Grid::covering(count, 64), gone, count, 5U);
            }
        }
    };
    std::vector<std::thread> threads;
    for (std::uint32_t seed = 0; seed < 4; ++seed) {
        threads.emplace_back(work, seed);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(wrong == 0);
}

FERRY_TEST("pool: figures") {
    const Unchanged unchanged{device};
    const ferry::Pool pool = device.pool();
    const ferry::PoolUse before = pool.use();
    {
        const Buffer<std::uint8_t> a{device, 3'000'001};
        const Buffer<std::uint8_t> b{device, 100};
        const ferry::PoolUse during = pool.use();
        CHECK(during.used == before.used + 3'000'101);
        CHECK(during.buffers == before.buffers + 2);
        CHECK(during.allocations == before.allocations + 2);
        CHECK(during.reserved >= during.used);
        CHECK(during.used_peak >= during.used);
        CHECK(during.reserved_peak >= during.reserved);
        CHECK(device.memory().used_here == during.used);
        std::uint64_t sum = 0;
        for (const MemoryKind kind : {MemoryKind::device, MemoryKind::host, MemoryKind::shared}) {
            sum += pool.use(kind).used;
        }
        CHECK(sum == during.used);
    }
    const ferry::PoolUse after = pool.use();
    CHECK(after.used == before.used);
    CHECK(after.used_peak >= before.used + 3'000'101);
    if (!is_off(device)) {
        CHECK(after.reserved >= before.reserved);
    }
}

FERRY_TEST("pool: trim gives back what is idle, and keeps what it is told") {
    require_pool(device);
    ferry::Pool pool = device.pool();
    pool.trim();
    const std::uint64_t least = pool.use().reserved;
    { const Buffer<std::uint8_t> large{device, 40 * mib}; }
    CHECK(pool.use().reserved >= least + 40 * mib);
    CHECK(pool.trim(least + 64 * mib) == 0);
    CHECK(pool.trim() >= 40 * mib);
    CHECK(pool.use().reserved <= least);
    check_still_works(device);
}

FERRY_TEST("pool: the limit is an error that names it, and lasts until it is lifted") {
    const Unchanged unchanged{device};
    {
        const Limited limited{device, 10 * mib};
        const std::uint64_t limit = device.pool().limit();
        const Buffer<std::uint8_t> fits{device, 6 * mib};
        expect_error(Code::out_of_memory, {std::to_string(limit), std::to_string(8 * mib)},
                     [&] { const Buffer<std::uint8_t> more(device, 8 * mib); });
    }
    const Buffer<std::uint8_t> more{device, 8 * mib};
    check_still_works(device);
}

FERRY_TEST("pool: what is idle makes room for another size") {
    require_pool(device);
    const Limited limited{device, 64 * mib};
    for (const std::size_t bytes : {60 * mib, 33 * mib, 63 * mib, 1 * mib, 50 * mib}) {
        const Buffer<std::uint8_t> buffer{device, bytes};
        CHECK(device.pool().use().reserved <= device.pool().limit());
    }
    std::vector<Buffer<std::uint8_t>> many;
    for (int i = 0; i < 60; ++i) {
        many.emplace_back(device, mib);
    }
    many.clear();
    const Buffer<std::uint8_t> one{device, 60 * mib};
}

namespace {

int pool_off(const ferry::Device& device) {
    if (device.pool().enabled()) {
        return 1;
    }
    ferry::Queue queue{device};
    const std::uint64_t before = device.pool().use().reserved;
    for (std::uint32_t i = 0; i < 20; ++i) {
        Buffer<std::uint32_t> buffer{device, 1000};
        if (device.pool().use().reserved != before + 4000) {
            return 2;
        }
        queue.launch(kernel(device, "iota"), ferry::Grid::covering(1000, 64), buffer, 1000U, i);
        if (queue.read(buffer)[999] != 999 + i) {
            return 3;
        }
    }
    const ferry::PoolUse use = device.pool().use();
    return use.reserved != before || use.driver_allocations != use.allocations ? 4 : 60;
}
const ChildRegistration pool_off_body{"pool off", pool_off};

} // namespace

FERRY_TEST("pool: off, by the variable and by the setting, each buffer has its own allocation") {
    setenv("FERRY_POOL", "off", 1);
    check_child("pool off", device, 60);
    unsetenv("FERRY_POOL");
}

} // namespace pool_test
