// SPDX-License-Identifier: Apache-2.0
// Copies of ordinary memory through page-locked slots, forced on every device.
#include "../support/eventually.hpp"
#include "check.hpp"
#include "children.hpp"
#include "device/device_state.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"
#include "staged.hpp"
#include "staging/slot_sizes.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <span>
#include <thread>
#include <vector>

namespace staging_test {

using namespace conformance;

namespace {

constexpr std::size_t slot = Staged::slot;
constexpr std::size_t sizes[] = {1,        2,    4095,     4097,         slot / 4 + 1,
                                 slot - 1, slot, slot + 1, 5 * slot + 3, 40 * slot + 77};

void stir_on(ferry::Queue& queue, ferry::Buffer<std::uint32_t>& buffer, std::uint32_t salt) {
    const auto count = static_cast<std::uint32_t>(buffer.size());
    queue.launch(kernel(queue.device(), "stir"), ferry::Grid::covering(count, 64), buffer, count, salt);
}

void stir_model(std::vector<std::uint32_t>& model, std::uint32_t salt) {
    for (std::uint32_t i = 0; i < model.size(); ++i) {
        model[i] = stir_result(model[i], i, salt);
    }
}

std::atomic<bool> gate_is_open{false};

void wait_at_gate(const ferry::HostGroup&) {
    while (!gate_is_open) {
        std::this_thread::yield();
    }
}

/// Whether no copy thread is left. A thread that just finished may need time to end.
bool none_are_left(const ferry::Device& device) {
    return support::eventually([&] {
        const ferry::StagingInfo info = ferry::staging_info(device);
        return info.slots == 0 && info.threads == 0;
    });
}

/// Pages of the operating system. Any access after they are unmapped ends the process.
class Pages {
public:
    explicit Pages(std::size_t bytes)
        : bytes_(bytes),
          data_(static_cast<std::uint8_t*>(
              mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
        REQUIRE(static_cast<void*>(data_) != MAP_FAILED);
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    ~Pages() { munmap(data_, bytes_); }
    std::span<std::uint8_t> span() const { return {data_, bytes_}; }
    void go() const { // no other mapping takes this range
        REQUIRE(mmap(data_, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == data_);
    }

private:
    std::size_t bytes_;
    std::uint8_t* data_;
};

/// Waits in one of the ways by which a queue reports that its commands are done.
void wait_in_way(ferry::Queue& queue, int way) {
    const ferry::Event done = queue.record();
    std::atomic<bool> called{false};
    switch (way) {
    case 0:
        done.wait();
        break;
    case 1:
        queue.flush();
        while (!done.ready()) {
            std::this_thread::yield();
        }
        break;
    case 2:
        queue.on_complete([&](const ferry::Status&) { called = true; });
        while (!called) {
            std::this_thread::yield();
        }
        break;
    default:
        queue.finish();
        break;
    }
}

/// The process ends during its copies, and no object is destroyed.
int exit_with_staged_copies(const ferry::Device& device) {
    new Staged;
    for (int i = 0; i < 4; ++i) {
        auto* const queue = new ferry::Queue{device};
        auto* const data = new std::vector<std::uint8_t>(200 * slot, std::uint8_t{5});
        auto* const buffer = new ferry::Buffer<std::uint8_t>{device, data->size()};
        for (int round = 0; round < 20; ++round) {
            queue->copy(*data, *buffer);
            queue->copy(*buffer, *data);
        }
    }
    std::exit(21);
}

const ChildRegistration registration("exit_with_staged_copies", exit_with_staged_copies);

} // namespace

FERRY_TEST("staging: exit in the middle of copies") {
    check_child("exit_with_staged_copies", device, 21);
}

FERRY_TEST("staging: up and down, every size, at odd addresses, and no other byte changes") {
    const Unchanged unchanged{device};
    const Staged staged;
    ferry::Queue queue{device};
    for (const std::size_t size : sizes) {
        const std::size_t shift = random_below(70);
        const auto data = random_values<std::uint8_t>(size + 200);
        auto wanted = poison<std::uint8_t>(size + 200);
        ferry::Buffer<std::uint8_t> buffer{device, size + 100};
        queue.copy(std::span(data).first(size + 100), buffer);
        queue.copy(std::span(data).subspan(shift, size), buffer.subview(shift / 2, size));
        auto back = poison<std::uint8_t>(size + 200);
        queue.copy_and_wait(buffer.subview(shift / 2, size), std::span(back).subspan(100 - shift, size));
        std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(shift), size,
                    wanted.begin() + static_cast<std::ptrdiff_t>(100 - shift));
        check_same(back, wanted);
        auto whole =
            std::vector<std::uint8_t>(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(size) + 100);
        std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(shift), size,
                    whole.begin() + static_cast<std::ptrdiff_t>(shift / 2));
        check_same(queue.read(buffer), whole);
    }
    CHECK(ferry::staging_info(device).copies > std::size(sizes));
    CHECK(ferry::staging_info(device).note.empty());
}

FERRY_TEST("staging: commands around staged copies keep their order, without a wait between") {
    const Staged staged;
    ferry::Queue queue{device};
    const std::size_t count = 10 * slot / 4 + 5;
    ferry::Buffer<std::uint32_t> buffer{device, count};
    ferry::Buffer<std::uint32_t> other{device, count};
    auto model = random_values<std::uint32_t>(count);
    const auto start = model;
    std::vector<std::vector<std::uint32_t>> seen(6, poison<std::uint32_t>(count));
    std::vector<std::vector<std::uint32_t>> wanted;
    queue.fill(buffer, 7U); // must not run after the upload
    queue.copy(start, buffer);
    for (std::uint32_t round = 0; round < seen.size(); ++round) {
        stir_on(queue, buffer, round);
        queue.copy(buffer, seen[round]);
        queue.copy(buffer, other);
        queue.fill(buffer, 0U); // must not run before the download
        queue.copy(other, buffer);
        stir_model(model, round);
        wanted.push_back(model);
    }
    queue.finish();
    for (std::size_t round = 0; round < seen.size(); ++round) {
        check_same(seen[round], wanted[round]);
    }
}

FERRY_TEST(
    "staging: a source may change once an event says so, a destination is whole once an event says so") {
    const Staged staged;
    ferry::Queue up{device};
    ferry::Queue down{device};
    const std::size_t size = 20 * slot + 1;
    ferry::Buffer<std::uint8_t> buffer{device, size};
    for (int round = 0; round < 8; ++round) {
        auto data = random_values<std::uint8_t>(size);
        const auto kept = data;
        up.copy(data, buffer);
        const ferry::Event uploaded = up.record();
        auto back = poison<std::uint8_t>(size);
        down.wait(uploaded);
        down.copy(buffer, back);
        const ferry::Event downloaded = down.record();
        std::atomic<bool> whole{false};
        down.on_complete([&](const ferry::Status& status) { whole = status.ok() && back == kept; });
        if (round % 2 == 0) {
            uploaded.wait();
        } else {
            while (!uploaded.ready()) {
                std::this_thread::yield();
            }
        }
        std::fill(data.begin(), data.end(), std::uint8_t{0x77});
        while (!downloaded.ready()) {
            std::this_thread::yield();
        }
        CHECK(back == kept);
        down.finish();
        CHECK(whole.load());
    }
}

FERRY_TEST("staging: host memory may be unmapped as soon as a queue says that the copy is done") {
    constexpr std::size_t width = 255;
    constexpr std::size_t size = 12 * slot;
    const ferry::Extent extent{width, size / 256};
    const ferry::Pitches pitches{.row = 256};
    for (const char* const mode : {"on", "off"}) {
        const Staged staged(mode);
        ferry::Queue queue{device};
        for (int round = 0; round < 12; ++round) {
            const int way = round % 4;
            const int kind = round / 4;
            INFO("staging ", std::string(mode), ", kind ", kind, ", way ", way);
            const Pages source{size};
            const Pages destination{size};
            auto data = random_values<std::uint8_t>(size);
            std::copy(data.begin(), data.end(), source.span().begin());
            ferry::Buffer<std::uint8_t> buffer{device, size};
            queue.fill(buffer, std::uint8_t{0});
            ferry::Batch up;
            ferry::Batch down;
            if (kind == 0) {
                queue.copy(source.span(), buffer);
            } else if (kind == 1) {
                queue.copy(ferry::HostBox{source.span(), extent, pitches},
                           ferry::Box{buffer.view(), extent, pitches});
                for (std::size_t i = width; i < size; i += 256) {
                    data[i] = 0;
                }
            } else {
                for (std::size_t at = 0; at < size; at += slot) {
                    up.copy(source.span().subspan(at, slot), buffer.subview(at, slot));
                    down.copy(buffer.subview(at, slot), destination.span().subspan(at, slot));
                }
                queue.copy(up);
            }
            wait_in_way(queue, way);
            source.go();
            std::fill(destination.span().begin(), destination.span().end(), std::uint8_t{0});
            if (kind == 0) {
                queue.copy(buffer, destination.span());
            } else if (kind == 1) {
                queue.copy(ferry::Box{buffer.view(), extent, pitches},
                           ferry::HostBox{destination.span(), extent, pitches});
            } else {
                queue.copy(down);
            }
            wait_in_way(queue, way);
            const std::vector<std::uint8_t> seen(destination.span().begin(), destination.span().end());
            destination.go();
            check_same(seen, data);
            check_same(queue.read(buffer), data);
        }
    }
}

FERRY_PAIR_TEST("staging: the caller waits neither for the copy nor for earlier commands") {
    if (from.backend() != ferry::Backend::host) {
        return; // only kernels of other devices can be delayed
    }
    gate_is_open = false;
    static constexpr ferry::HostKernel kernels[] = {ferry::host_kernel<wait_at_gate>("gate")};
    const Staged staged;
    ferry::Queue gate{from};
    ferry::Queue queue{to};
    ferry::Buffer<std::uint8_t> buffer{to, 40 * slot};
    const auto data = random_values<std::uint8_t>(buffer.size());
    auto back = poison<std::uint8_t>(buffer.size());
    gate.launch(ferry::Program{from, ferry::Source::host(kernels)}.kernel("gate"), {1, 1});
    queue.wait(gate.record());
    queue.copy(data, buffer);
    queue.copy(buffer, back);
    const ferry::Event done = queue.record();
    CHECK(!done.ready());
    CHECK(!queue.idle());
    gate_is_open = true; // reached only if none of the calls above waited
    done.wait();
    check_same(back, data);
}

FERRY_TEST("staging: more queues than slots, from several threads, both directions") {
    const Staged staged;
    constexpr int threads = 5;
    constexpr int queues_each = 4;
    std::atomic<int> wrong{0};
    std::vector<std::thread> running;
    const std::uint64_t seed = random_engine()();
    for (int t = 0; t < threads; ++t) {
        running.emplace_back([&, t] {
            try {
                std::mt19937_64 random(seed + static_cast<std::uint64_t>(t));
                struct One {
                    ferry::Queue queue;
                    ferry::Buffer<std::uint8_t> buffer;
                    std::vector<std::uint8_t> data, back;
                };
                std::vector<One> all;
                for (int q = 0; q < queues_each; ++q) {
                    const std::size_t size = 1 + random() % (12 * slot);
                    all.push_back({ferry::Queue{device}, ferry::Buffer<std::uint8_t>{device, size},
                                   std::vector<std::uint8_t>(size), std::vector<std::uint8_t>(size)});
                }
                for (int round = 0; round < 4; ++round) {
                    for (One& one : all) {
                        for (auto& byte : one.data) {
                            byte = static_cast<std::uint8_t>(random());
                        }
                        one.queue.copy(one.data, one.buffer);
                        one.queue.copy(one.buffer, one.back);
                    }
                    for (One& one : all) {
                        one.queue.finish();
                        wrong += one.data != one.back ? 1 : 0;
                    }
                }
            } catch (const std::exception&) {
                wrong += 1000;
            }
        });
    }
    for (std::thread& thread : running) {
        thread.join();
    }
    CHECK(wrong == 0);
    const ferry::StagingInfo info = ferry::staging_info(device);
    CHECK(info.slots <= info.most_slots);
    CHECK(info.threads <= info.most_threads);
}

FERRY_TEST("staging: queues and buffers may go while copies are under way") {
    const Unchanged unchanged{device};
    const Staged staged;
    const auto data = random_values<std::uint8_t>(12 * slot + 9);
    auto back = poison<std::uint8_t>(data.size());
    for (int round = 0; round < 10; ++round) {
        std::fill(back.begin(), back.end(), std::uint8_t{0});
        {
            ferry::Queue queue{device};
            ferry::Buffer<std::uint8_t> buffer{device, data.size()};
            queue.copy(data, buffer);
            queue.copy(buffer, back);
            const ferry::Buffer<std::uint8_t> gone = std::move(buffer);
        }
        check_same(back, data); // the queue's destructor waited
    }
}

FERRY_TEST("staging: page-locked memory goes straight, and off means off") {
    const std::size_t size = 4 * slot;
    const auto data = random_values<std::uint8_t>(size);
    const auto staged_copies = [&] { return ferry::staging_info(device).copies; };
    {
        const Staged staged;
        ferry::Queue queue{device};
        ferry::Buffer<std::uint8_t> buffer{device, size};
        std::uint64_t before = staged_copies();
        queue.copy_and_wait(data, buffer);
        CHECK(staged_copies() == before + 1);
        check_same(queue.read(buffer), data);
        CHECK(staged_copies() == before + 2);
        if (device.has(ferry::MemoryKind::host) && device.backend() != ferry::Backend::host) {
            ferry::Buffer<std::uint8_t> pinned{device, size, ferry::MemoryKind::host};
            before = staged_copies();
            std::copy(data.begin(), data.end(), pinned.span().begin());
            queue.copy(pinned.span(), buffer);
            queue.copy_and_wait(buffer, pinned.span().subspan(0, size));
            CHECK(staged_copies() == before);
            CHECK(std::equal(data.begin(), data.end(), pinned.span().begin()));
        }
    }
    const Staged none("off");
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> buffer{device, size};
    const std::uint64_t before = staged_copies();
    queue.copy(data, buffer);
    check_same(queue.read(buffer), data);
    CHECK(staged_copies() == before);
}

FERRY_TEST("staging: trim gives back slots and threads, and the next copy makes new ones") {
    const Staged staged;
    ferry::Queue queue{device};
    const auto data = random_values<std::uint8_t>(10 * slot);
    ferry::Buffer<std::uint8_t> buffer{device, data.size()};
    for (int round = 0; round < 3; ++round) {
        queue.copy(data, buffer);
        check_same(queue.read(buffer), data);
        CHECK(ferry::staging_info(device).slots > 0);
        CHECK(ferry::staging_info(device).slot_bytes == slot);
        ferry::trim_staging();
        CHECK(none_are_left(device));
    }
}

FERRY_TEST("staging: slots have the smallest size that was measured to be as fast as any") {
    const Staged staged;
    ferry::detail::staging::Tuning& tuning = ferry::detail::staging::tuning();
    tuning.slot_bytes = 0;
    // A number without a cache entry of an earlier run.
    tuning.most_threads = random_values<std::uint32_t>(1)[0] % 1'000'000'000 + 1000;
    ferry::trim_staging();
    CHECK(ferry::staging_info(device).slot_bytes == std::size_t{4} << 20);
    CHECK(ferry::staging_info(device).slot_bytes_source.starts_with("default: "));

    int times = 0;
    std::vector<ferry::detail::staging::SlotRate> rates;
    const auto measure = [&](std::chrono::milliseconds) {
        ++times;
        return rates.empty() ? std::nullopt : std::optional(rates);
    };
    ferry::detail::learn_slot_rates(device.state(), false, measure); // without rates there is no decision
    CHECK(ferry::staging_info(device).slot_bytes == std::size_t{4} << 20);
    ferry::detail::forget_slot_rates();
    for (const std::size_t bytes : ferry::detail::staging::slot_sizes) {
        rates.push_back({bytes, bytes >> 20 == 1 ? 30e9 : 40e9, 50e9});
    }
    for (int i = 0; i < 2; ++i) {
        ferry::detail::learn_slot_rates(device.state(), false, measure);
        CHECK(times <= (i == 0 ? 2 : 3)); // without a cache it measures again
        const ferry::StagingInfo info = ferry::staging_info(device);
        CHECK(info.slot_bytes == std::size_t{2} << 20);
        CHECK(info.slot_bytes_source.starts_with("measured: with 1 MiB 30.0 GB/s up and 50.0 down, with 2"));
        ferry::Queue queue{device};
        const auto data = random_values<std::uint8_t>((std::size_t{5} << 20) + 7);
        ferry::Buffer<std::uint8_t> buffer{device, data.size()};
        queue.copy(data, buffer);
        check_same(queue.read(buffer), data);
        ferry::detail::forget_slot_rates(); // the next process reads the rates from disk
    }
    rates[0].up = 39e9;
    ferry::detail::learn_slot_rates(device.state(), true, measure); // requested explicitly
    CHECK(ferry::staging_info(device).slot_bytes == std::size_t{1} << 20);
    ferry::detail::forget_slot_rates();
}

FERRY_TEST("staging: measuring slots gives each size its rates, and leaves nothing behind") {
    using ferry::detail::staging::measure_slot_rounds;
    CHECK(measure_slot_rounds(device, std::chrono::milliseconds(0)).empty());
    if (!device.state().native().gains_from_staging()) {
        // the rates are not needed on such a device
        CHECK(ferry::detail::known_slot_rates(device.state()).empty());
        return;
    }
    const std::size_t before = ferry::staging_info(device).slots;
    std::vector<std::vector<ferry::detail::staging::SlotRate>> rounds;
    // Other tests may occupy all the processors.
    for (std::chrono::milliseconds time(3000); time < std::chrono::minutes(2) && rounds.empty(); time *= 2) {
        rounds = measure_slot_rounds(device, time);
    }
    REQUIRE_FALSE(rounds.empty());
    for (const auto& round : rounds) { // other load decides whether the rounds agree
        REQUIRE(round.size() == ferry::detail::staging::slot_sizes.size());
        for (std::size_t i = 0; i < round.size(); ++i) {
            CHECK(round[i].slot_bytes == ferry::detail::staging::slot_sizes[i]);
            CHECK(round[i].up > 1e6);
            CHECK(round[i].down > 1e6);
        }
    }
    CHECK(ferry::staging_info(device).slots <= before);
}

FERRY_TEST("staging: slots can be made before the first copy, and are released if none comes") {
    const Staged staged;
    const bool gains = device.state().native().gains_from_staging();
    const ferry::StagingInfo info = ferry::prepare_staging(device);
    CHECK_MESSAGE(info.note.empty(), info.note);
    CHECK(info.most_threads == 3);
    CHECK(info.most_threads_source == "set by the program");
    CHECK(info.slots == (gains ? info.most_slots : 0));
    ferry::trim_staging();
    CHECK(none_are_left(device));
    ferry::detail::staging::tuning().idle = std::chrono::milliseconds(100);
    // on a busy machine some slots may be gone already
    CHECK(ferry::prepare_staging(device).slots <= info.slots);
    CHECK(none_are_left(device));
}

FERRY_TEST("staging: idle slots are released automatically") {
    const Staged staged;
    ferry::detail::staging::tuning().idle = std::chrono::milliseconds(100);
    ferry::Queue queue{device};
    const auto data = random_values<std::uint8_t>(10 * slot);
    ferry::Buffer<std::uint8_t> buffer{device, data.size()};
    queue.copy(data, buffer);
    check_same(queue.read(buffer), data);
    CHECK(none_are_left(device));
}

FERRY_PAIR_TEST("staging: large copies between devices, through slots of either") {
    const Staged staged;
    ferry::Queue queue_from{from};
    ferry::Queue queue_to{to};
    for (const std::size_t size : sizes) {
        const auto data = random_values<std::uint8_t>(size);
        ferry::Buffer<std::uint8_t> a{from, size};
        ferry::Buffer<std::uint8_t> b{to, size};
        ferry::Buffer<std::uint8_t> c{to, size};
        queue_from.copy_and_wait(data, a);
        queue_to.fill(b, std::uint8_t{1});
        queue_to.fill(c, std::uint8_t{1});
        queue_to.finish();
        queue_from.copy(a, b);
        queue_to.copy(a, c);
        queue_from.finish();
        check_same(queue_to.read(b), data);
        check_same(queue_to.read(c), data);
    }
}

} // namespace staging_test
