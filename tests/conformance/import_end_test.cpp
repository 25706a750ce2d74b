// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "hip_double.hpp"
#include "kernels.hpp"
#include "pages.hpp"
#include "random.hpp"
#include "system/pages.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace conformance;
using ferry::Imported;

namespace {

/// One thread repeatedly imports pages and ends the import. Meanwhile another thread copies from and to them.
/// The vendors' copies identify the pages by address only.
void copy_while_imports_come_and_go(const ferry::Device& importing, const ferry::Device& copying) {
    const std::size_t page = ferry::detail::page_size() / sizeof(std::uint32_t);
    constexpr std::size_t count = 16;
    ferry::Queue queue{copying};
    const Pages pages{count * page * sizeof(std::uint32_t)};
    const std::span<std::uint32_t> all = pages.span();
    ferry::Buffer<std::uint32_t> there{copying, all.size()};
    ferry::Buffer<std::uint32_t> spun{copying, 64};
    const ferry::Kernel spin = kernel(copying, "spin");
    constexpr std::uint32_t spins = 20'000; // keeps copies in flight for a while
    std::exception_ptr failure;
    std::atomic<bool> begun{false}; // the first import was made or refused
    std::jthread other([&](const std::stop_token& over) {
        try {
            for (std::size_t i = 0; !over.stop_requested(); ++i) {
                const std::size_t first = i * 5 % count;
                const std::size_t pages_here = 1 + i * 7 % (count - first);
                const Imported<std::uint32_t> imported{importing,
                                                       all.subspan(first * page, pages_here * page)};
                if (!begun.exchange(true)) {
                    begun.notify_all();
                }
            }
        } catch (...) {
            failure = std::current_exception();
            begun = true;
            begun.notify_all();
        }
    });
    begun.wait(false);
    const auto poison = [&](std::span<std::uint32_t> here) {
        queue.finish();
        std::fill(here.begin(), here.end(), 0xa5a5a5a5U);
    };
    for (int round = 0; round < 100; ++round) {
        INFO("round ", round);
        const std::size_t first = random_below(all.size() - 8);
        const std::size_t half = 2 + random_below((all.size() - first) / 2 - 2);
        const std::span<std::uint32_t> here = all.subspan(first, 2 * half);
        std::vector<std::uint32_t> values = random_values<std::uint32_t>(here.size());
        std::copy(values.begin(), values.end(), here.begin());
        if (round % 3 == 2) { // two rows without their last words
            const ferry::HostBox on_host{here, {half - 1, 2}, {.row = half * sizeof(std::uint32_t)}};
            const ferry::Box on_device{there.first(2 * (half - 1)), {half - 1, 2}};
            queue.launch(spin, {1, 64}, spun, spins);
            queue.copy(on_host, on_device);
            poison(here);
            queue.launch(spin, {1, 64}, spun, spins);
            queue.copy(on_device, on_host);
            values[half - 1] = values[2 * half - 1] = 0xa5a5a5a5U;
        } else {
            queue.launch(spin, {1, 64}, spun, spins);
            queue.copy(here, there.first(here.size()));
            if (round % 2 == 0) {
                poison(here);
            }
            queue.copy(there.first(here.size()), here);
        }
        queue.finish();
        check_same(std::vector<std::uint32_t>(here.begin(), here.end()), values);
    }
    other.request_stop();
    other.join();
    if (failure != nullptr) {
        std::rethrow_exception(failure);
    }
}

} // namespace

FERRY_TEST("import: ended while a command uses it") {
    ferry::Queue queue{device};
    const Pages pages{std::size_t{1} << 16};
    const std::span<std::uint32_t> data = pages.span();
    const auto count = static_cast<std::uint32_t>(data.size());
    std::fill(data.begin(), data.end(), 1U);
    {
        Imported<std::uint32_t> imported{device, data};
        queue.launch(kernel(device, "add"), ferry::Grid::covering(count, 32), imported, count, 4U);
        Imported<std::uint32_t> moved = std::move(imported);
        CHECK(imported.empty()); // NOLINT(bugprone-use-after-move): that is the behaviour under test
    }
    queue.finish();
    check_same(std::vector<std::uint32_t>(data.begin(), data.end()), std::vector<std::uint32_t>(count, 5U));
}

FERRY_TEST("import: the double has let go, at its end, of memory that host work used") {
    inject(device, "");
    struct Slow {
        ~Slow() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }
    };
    ferry::Queue queue{device};
    const Pages pages{std::size_t{1} << 16};
    const long long before = double_calls(device, "hipHostUnregister");
    {
        Imported<std::uint32_t> imported{device, pages.span()};
        ferry::read_file(queue, "/proc/self/exe", imported.first(1024),
                         {.progress = [slow = std::make_shared<Slow>()](const ferry::FileProgress&) {}});
    }
    CHECK(double_calls(device, "hipHostUnregister") == before + 1);
    queue.finish();
}

FERRY_TEST("import: its end waits for commands that are enqueued after host work") {
    const std::string path = file_of(4096);
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> from_file{device, 4096};
    const Pages pages{std::size_t{1} << 16};
    const std::span<std::uint32_t> data = pages.span();
    const auto count = static_cast<std::uint32_t>(data.size());
    const ferry::Grid grid = ferry::Grid::covering(count, 32);
    for (const bool replayed : {false, true}) {
        INFO("replayed: ", replayed);
        std::fill(data.begin(), data.end(), 1U);
        std::atomic<bool> open{false};
        ferry::Recording recording;
        Imported<std::uint32_t> imported{device, data};
        ferry::read_file(queue, path, from_file, {.progress = [&](const ferry::FileProgress&) {
                             while (!open) {
                                 std::this_thread::sleep_for(std::chrono::milliseconds(1));
                             }
                         }});
        if (replayed) {
            recording = ferry::Recording{device, [&](ferry::Recorder& record) {
                                             record.launch(kernel(device, "add"), grid, imported, count, 4U);
                                         }};
            queue.replay(recording);
        } else {
            queue.launch(kernel(device, "add"), grid, imported, count, 4U);
        }
        std::thread opener([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            open = true;
        });
        imported = {};
        CHECK(open);
        check_same(std::vector<std::uint32_t>(data.begin(), data.end()),
                   std::vector<std::uint32_t>(count, 5U));
        opener.join();
        queue.finish();
    }
    unlink(path.c_str());
}

FERRY_TEST("import: its end waits though a recording or another import has its memory") {
    constexpr std::uint32_t rounds = 60'000; // llvmpipe may end a loop after 65536
    ferry::Queue queue{device};
    const ferry::Kernel spin = kernel(device, "spin");
    const Pages pages{std::size_t{1} << 16};
    const std::span<std::uint32_t> data = pages.span();
    const ferry::Grid grid{16, 64};
    for (const bool replayed : {false, true}) {
        INFO("replayed: ", replayed);
        std::fill(data.begin(), data.end(), 1U);
        ferry::Recording recording;
        std::optional<Imported<std::uint32_t>> within;
        {
            const Imported<std::uint32_t> imported{device, data};
            if (replayed) {
                recording = ferry::Recording{
                    device, [&](ferry::Recorder& record) { record.launch(spin, grid, imported, rounds); }};
                queue.replay(recording);
            } else {
                within.emplace(device, data.first(data.size() / 2));
                queue.launch(spin, grid, imported, rounds);
            }
        }
        CHECK(data[0] == spin_result(0, rounds));
        CHECK(data[1023] == spin_result(1023, rounds));
        queue.finish();
    }
}

FERRY_TEST("import: comes and goes in one thread while another copies to and from its pages") {
    copy_while_imports_come_and_go(device, device);
}

FERRY_PAIR_TEST("imports: come and go on one device while another one copies to and from their pages") {
    if (from.capabilities(ferry::MemoryKind::imported, ferry::Probe::declared).available) {
        copy_while_imports_come_and_go(from, to);
    } else {
        std::vector<std::uint32_t> data(1024);
        expect_error(ferry::Code::unsupported, {from.id()}, [&] { Imported<std::uint32_t>{from, data}; });
    }
}

FERRY_TEST("import: ended by the function that its own command calls") {
    const std::string path = file_of(4096);
    ferry::Queue queue{device};
    const Pages pages{std::size_t{1} << 16};
    const std::span<std::uint32_t> data = pages.span();
    std::optional<Imported<std::uint32_t>> imported(std::in_place, device, data);
    std::atomic<bool> open{false};
    ferry::read_file(queue, path, imported->first(1024), {.progress = [&](const ferry::FileProgress&) {
                         while (!open) {
                             std::this_thread::sleep_for(std::chrono::milliseconds(1));
                         }
                         imported.reset(); // would wait for itself and for the fill
                     }});
    queue.fill(*imported, 7U);
    open = true;
    queue.finish();
    CHECK(!imported.has_value());
    CHECK(std::count(data.begin(), data.end(), 7U) == static_cast<std::ptrdiff_t>(data.size()));
    unlink(path.c_str());
}
