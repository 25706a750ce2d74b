// SPDX-License-Identifier: Apache-2.0
#include "beside.hpp"
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"
#include "shares.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace share_test {

using namespace conformance;
using ferry::Access;
using ferry::Code;
using ferry::HostAccess;
using ferry::Placement;
using ferry::Shared;

namespace {

using Words = std::vector<std::uint32_t>;

constexpr Placement every_placement[] = {Placement::alias, Placement::link, Placement::migrate,
                                         Placement::copy, Placement::stage};

/// The placements that can be forced for ordinary memory on this device.
std::vector<Placement> possible(const ferry::Device& device) {
    std::vector<Placement> found;
    Words data(64);
    for (const Placement placement : every_placement) {
        try {
            const auto shared = ferry::share(device, data, Access::device_updates, {.allowed = placement});
            CHECK(shared.explain().taken == placement);
            found.push_back(placement);
        } catch (const ferry::Error& error) {
            CHECK(error.code() == Code::unsupported);
            CHECK(std::string(error.what()).find(std::string(ferry::to_string(placement)) + ": ") !=
                  std::string::npos);
        }
    }
    CHECK(std::count(found.begin(), found.end(), Placement::stage) == 1);
    return found;
}

/// The placements named by FERRY_EXPECT_PLACEMENTS, set for stand-ins of machines that support them.
std::string expected_placements() {
    const char* const names = std::getenv("FERRY_EXPECT_PLACEMENTS");
    return names != nullptr ? names : "";
}

bool in_place(Placement placement) {
    return placement == Placement::alias || placement == Placement::link || placement == Placement::migrate;
}

} // namespace

FERRY_TEST("share: a machine has the placements that its driver's answers make possible") {
    std::string names;
    for (const Placement placement : possible(device)) {
        names += (names.empty() ? "" : " ") + std::string(ferry::to_string(placement));
    }
    MESSAGE(device.id(), ": ", names);
    const bool late = was_late(device.capabilities(ferry::MemoryKind::imported).reach);
    if (const std::string expected = expected_placements(); !expected.empty() && !late) {
        CHECK(names == expected);
    }
}

FERRY_TEST("share: reads, writes and updates, in every placement that can be forced") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    for (const Placement placement : possible(device)) {
        INFO(std::string(ferry::to_string(placement)));
        for (const std::size_t size : odd_sizes) {
            const Words a = random_values<std::uint32_t>(size);
            Words b = random_values<std::uint32_t>(size);
            Words out = poison<std::uint32_t>(size);
            Words wanted(size);
            for (std::size_t i = 0; i < size; ++i) {
                wanted[i] = a[i] * 3 + b[i] + 10;
            }
            const ferry::ShareOptions forced{.allowed = placement};
            auto sa = ferry::share(device, a, Access::device_reads, forced);
            auto sb = ferry::share(device, b, Access::device_updates, forced);
            auto so = ferry::share(device, out, Access::device_writes, forced);
            const auto n = static_cast<std::uint32_t>(size);
            add(queue, sb, size, 10);
            queue.launch(kernel(device, "combine"), ferry::Grid::covering(size, 32), sa, sb, so, n);
            {
                const auto guard = so.host(queue);
                check_same(Words(guard.begin(), guard.end()), wanted);
            }
            const std::uint64_t bytes = size * sizeof(std::uint32_t);
            const ferry::Explanation ea = sa.explain();
            const ferry::Explanation eb = sb.explain();
            const ferry::Explanation eo = so.explain();
            CHECK(ea.bytes_up == (in_place(placement) ? 0 : bytes));
            CHECK(ea.bytes_down == 0);
            CHECK(eb.bytes_up == (in_place(placement) ? 0 : bytes));
            CHECK(eo.bytes_up == 0);
            CHECK(eo.bytes_down == (in_place(placement) ? 0 : bytes));
            CHECK(ea.rejected.size() == 4);
        }
    }
}

FERRY_TEST("share: nothing moves twice, and a part is all that goes") {
    ferry::Queue queue{device};
    Words data = random_values<std::uint32_t>(4000);
    Words model = data;
    auto shared = ferry::share(device, data, Access::device_updates, {.allowed = Placement::stage});
    for (std::uint32_t round = 0; round < 5; ++round) {
        add(queue, shared, data.size(), round);
    }
    CHECK(shared.explain().bytes_up == 16000);
    CHECK(shared.explain().copies == 1);
    for (std::uint32_t& v : model) {
        v += 10;
    }
    {
        const auto guard = shared.host_part(queue, 1000, 500);
        check_same(Words(guard.begin(), guard.end()), Words(model.begin() + 1000, model.begin() + 1500));
    }
    CHECK(shared.explain().bytes_down == 2000);
    {
        auto guard = shared.host_part(queue, HostAccess::read_write, 1200, 100);
        CHECK(shared.explain().bytes_down == 2000); // the bytes are already on the device
        std::fill(guard.begin(), guard.end(), 3U);
        std::fill(model.begin() + 1200, model.begin() + 1300, 3U);
    }
    add(queue, shared.part(1100, 400), 400, 1);
    std::for_each(model.begin() + 1100, model.begin() + 1500, [](std::uint32_t& v) { ++v; });
    CHECK(shared.explain().bytes_up == 16400);
    {
        const auto guard = shared.host(queue);
        check_same(Words(guard.begin(), guard.end()), model);
    }
    shared.end();
    check_same(data, model);
    CHECK(shared.empty());
}

FERRY_TEST("share: the end copies back values that only the device has") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    for (const Placement placement : possible(device)) {
        Words data(1009, 1U);
        {
            const auto shared = ferry::share(device, data, Access::device_updates, {.allowed = placement});
            add(queue, shared, data.size(), 41);
        }
        check_same(data, Words(1009, 42U)); // without finish()
    }
}

FERRY_TEST("share: random launches on two queues, guards and parts against a model") {
    const Unchanged unchanged{device};
    const std::vector<Placement> placements = possible(device);
    for (int run = 0; run < 8; ++run) {
        const Placement placement = placements[random_below(placements.size())];
        INFO(std::string(ferry::to_string(placement)));
        ferry::Queue queues[] = {ferry::Queue{device}, ferry::Queue{device}};
        const std::size_t size = 1 + random_below(3000);
        Words allocation = random_values<std::uint32_t>(2 * size);
        Words model = allocation;
        const ferry::ShareOptions options{.allowed = placement,
                                          .versions = 1 + static_cast<unsigned>(random_below(3))};
        // Two shares of parts of one allocation that have a page in common.
        std::optional<Shared<std::uint32_t>> shares[2];
        for (std::size_t s = 0; s < 2; ++s) {
            shares[s] = ferry::share(device, std::span(allocation).subspan(s * size, size),
                                     Access::device_updates, options);
        }
        for (int step = 0; step < 40; ++step) {
            const std::size_t which = random_below(2);
            Shared<std::uint32_t>& shared = *shares[which];
            ferry::Queue& queue = queues[random_below(2)];
            const std::size_t first = random_below(size);
            const std::size_t count = 1 + random_below(size - first);
            const auto begin = model.begin() + static_cast<std::ptrdiff_t>(which * size + first);
            const auto end = begin + static_cast<std::ptrdiff_t>(count);
            const auto value = static_cast<std::uint32_t>(random_below(1000));
            switch (random_below(6)) {
            case 0: {
                const auto guard = shared.host_part(queue, first, count);
                check_same(Words(guard.begin(), guard.end()), Words(begin, end));
                break;
            }
            case 1: {
                const auto guard = shared.host_part(queue, HostAccess::write, first, count);
                std::fill(guard.begin(), guard.end(), value);
                std::fill(begin, end, value);
                break;
            }
            case 2: {
                const auto guard = shared.host(queue, HostAccess::write);
                for (std::size_t i = 0; i < size; ++i) {
                    guard[i] = value + static_cast<std::uint32_t>(i);
                    model[which * size + i] = guard[i];
                }
                break;
            }
            case 3: {
                const auto guard = shared.host_part(queue, HostAccess::read_write, first, count);
                check_same(Words(guard.begin(), guard.end()), Words(begin, end));
                guard[0] = value;
                *begin = value;
                break;
            }
            case 4:
                add(queue, shared.part(first, count), count, value);
                std::for_each(begin, end, [&](std::uint32_t& v) { v += value; });
                break;
            default:
                add(queue, shared, size, value);
                for (std::size_t i = 0; i < size; ++i) {
                    model[which * size + i] += value;
                }
                break;
            }
        }
        shares[random_below(2)].reset();
        shares[0].reset();
        shares[1].reset();
        check_same(allocation, model);
    }
}

FERRY_PAIR_TEST("share: two devices take turns on one span") {
    ferry::Queue first{from};
    ferry::Queue second{to};
    for (const Placement a : possible(from)) {
        for (const Placement b : possible(to)) {
            INFO(std::string(ferry::to_string(a)), " and ", std::string(ferry::to_string(b)));
            Words data(2000, 0U);
            auto one = ferry::share(from, data, Access::device_updates, {.allowed = a});
            auto two = ferry::share(to, data, Access::device_updates, {.allowed = b});
            for (std::uint32_t round = 0; round < 6; ++round) {
                add(first, one, data.size(), 1);
                add(second, two.part(0, 1000), 1000, 100);
            }
            {
                const auto guard = two.host(second);
                CHECK(guard[0] == 606);
                CHECK(guard[999] == 606);
                CHECK(guard[1000] == 6);
            }
            add(first, one, data.size(), 1);
            one.end();
            CHECK(data[1999] == 7);
            CHECK(data[0] == 607);
        }
    }
}

namespace {

/// Whether the kernel of the system can read a word in its first half. A direct access might raise a signal.
bool can_be_read(const Words& data) {
    int ends[2] = {-1, -1};
    REQUIRE(pipe(ends) == 0);
    const bool can = write(ends[1], &data[data.size() / 4], 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return can;
}

} // namespace

FERRY_PAIR_TEST("share: a device joins, in each way that it has, while another one has the latest bytes") {
    ferry::Queue writes{from};
    for (const Placement placement : possible(to)) {
        INFO(std::string(ferry::to_string(placement)));
        Words data(50'000, 1U);
        auto first = ferry::share(from, data, Access::device_updates);
        add(writes, first, data.size(), 1);
        writes.finish();
        ferry::Queue queue{to};
        auto second = ferry::share(to, data, Access::device_updates, {.allowed = placement});
        CHECK(can_be_read(data)); // required for a driver that page-locks it
        add(writes, first, data.size() / 2, 1);
        writes.finish();
        CHECK((can_be_read(data) || !in_place(placement)));
        add(queue, second, data.size(), 10);
        second.end();
        add(writes, first, data.size(), 100);
        writes.finish();
        first.end();
        Words wanted(data.size(), 112U);
        std::fill_n(wanted.begin(), wanted.size() / 2, 113U);
        check_same(data, wanted);
    }
}

FERRY_PAIR_TEST("share: two devices read one span, and see the writes of one of them") {
    ferry::Queue first{from};
    ferry::Queue second{to};
    for (const Placement a : possible(from)) {
        for (const Placement b : possible(to)) {
            INFO(std::string(ferry::to_string(a)), " and ", std::string(ferry::to_string(b)));
            Words data = random_values<std::uint32_t>(2000);
            Words model = data;
            auto one = ferry::share(from, data, Access::device_reads, {.allowed = a});
            auto two = ferry::share(to, data, Access::device_reads, {.allowed = b});
            const auto look = [&](ferry::Queue& queue, const auto& shared) {
                ferry::Buffer<std::uint32_t> seen{queue.device(), 2000};
                queue.launch(kernel(queue.device(), "combine"), ferry::Grid::covering(2000, 32), shared,
                             shared, seen, 2000U);
                return seen;
            };
            for (int again = 0; again < 2; ++again) { // nothing is copied the second time
                const auto seen_first = look(first, one);
                const auto seen_second = look(second, two);
                check_same(first.read(seen_first), second.read(seen_second));
                const ferry::Explanation of_one = one.explain();
                const ferry::Explanation of_two = two.explain();
                CHECK(of_one.bytes_up == (in_place(a) ? 0U : 8000U));
                CHECK(of_two.bytes_up == (in_place(b) ? 0U : 8000U));
                CHECK(of_one.bytes_down + of_two.bytes_down == 0);
            }
            auto writer = ferry::share(to, data, Access::device_updates, {.allowed = b});
            std::vector<ferry::Buffer<std::uint32_t>> seen_first, seen_second;
            for (std::uint32_t round = 0; round < 4; ++round) { // without a wait in between
                seen_first.push_back(look(first, one));
                seen_second.push_back(look(second, two));
                add(second, writer.part(0, 1000), 1000, 5);
            }
            for (std::uint32_t round = 0; round < 4; ++round) {
                Words wanted(2000);
                std::transform(model.begin(), model.end(), wanted.begin(),
                               [](std::uint32_t value) { return value * 4; });
                check_same(first.read(seen_first[round]), wanted);
                check_same(second.read(seen_second[round]), wanted);
                std::for_each_n(model.begin(), 1000, [](std::uint32_t& value) { value += 5; });
            }
            writer.end();
            check_same(data, model);
        }
    }
}

FERRY_TEST("share: with versions, the host continues while a queue still reads") {
    ferry::Queue queue{device};
    for (const Placement placement : possible(device)) {
        Words data(512, 0U);
        std::vector<ferry::Buffer<std::uint32_t>> seen;
        {
            const auto shared =
                ferry::share(device, data, Access::device_reads, {.allowed = placement, .versions = 3});
            const Words zero(512, 0U);
            for (std::uint32_t round = 1; round <= 9; ++round) {
                {
                    const auto guard = shared.host(queue, HostAccess::write);
                    std::fill(guard.begin(), guard.end(), round);
                }
                seen.emplace_back(device, 512);
                ferry::Buffer<std::uint32_t> nothing{device, 512};
                queue.fill(nothing, 0U);
                queue.launch(kernel(device, "combine"), ferry::Grid::covering(512, 32), shared, nothing,
                             seen.back(), 512U);
            }
        }
        for (std::uint32_t round = 1; round <= 9; ++round) {
            check_same(queue.read(seen[round - 1]), Words(512, 3 * round));
        }
        check_same(data, Words(512, 9U));
    }
}

FERRY_TEST("share: a guard keeps launches out, and launches with it") {
    ferry::Queue queue{device};
    Words data(100, 1U);
    auto shared = ferry::share(device, data, Access::device_updates);
    {
        auto guard = shared.host_part(queue, HostAccess::write, 10, 20);
        expect_error_anywhere(Code::invalid_state, {"40", "120", "guard for writing"},
                              [&] { add(queue, shared, 100, 1); });
        expect_error(Code::invalid_state, {"guard"}, [&] { (void)shared.host(queue); });
        add(queue, shared.part(50, 50), 50, 1);
        queue.launch(kernel(device, "add"), ferry::Grid::covering(1, 32), shared.part(12, 0), 0U, 1U);
        std::fill(guard.begin(), guard.end(), 1U);
        guard.release();
        add(queue, shared, 100, 1);
    }
    const auto guard = shared.host(queue);
    const auto again = shared.host(queue);
    CHECK(guard[0] == 2);
    CHECK(again[99] == 3);
}

FERRY_TEST("share: the host has guards for bytes that no launch uses while one uses the others") {
    ferry::Queue queue{device};
    for (const Placement placement : possible(device)) {
        INFO(std::string(ferry::to_string(placement)));
        Words data(1 << 14);
        auto shared = ferry::share(device, data, Access::device_updates, {.allowed = placement});
        const std::size_t half = data.size() / 2;
        Words seen(data.size());
        check_beside(
            queue, seen, [&](std::size_t first) { return shared.part(first, half); },
            [&](std::size_t first, std::uint32_t number) {
                const auto guard = shared.host_part(queue, HostAccess::write, first, half);
                std::fill(guard.begin(), guard.end(), number);
            },
            [&] {
                const auto guard = shared.host(queue);
                std::copy(guard.begin(), guard.end(), seen.begin());
            });
        shared.end();
        check_same(data, seen);
    }
}

FERRY_TEST("share: explain() is a table or a line for people and data for programs") {
    Words data(1 << 16);
    const auto shared = ferry::share(device, data, Access::device_reads);
    const ferry::Explanation explanation = shared.explain();
    CHECK(!explanation.why.empty());
    CHECK(explanation.rejected.size() == 4);
    std::ostringstream text;
    text << explanation;
    const std::string start = std::string(ferry::to_string(explanation.taken)) + ": ";
    CHECK(text.str().rfind(start, 0) == 0);
    const std::string line = ferry::one_line(explanation);
    CHECK(line.rfind(start, 0) == 0);
    CHECK(line.find('\n') == std::string::npos);
    CHECK(explanation.predicted_seconds > 0);
    CHECK(explanation.built_in_seconds > 0);
    for (const ferry::Rejected& other : explanation.rejected) {
        CHECK(!other.why.empty());
        const bool predicted = other.why.find(" predicted") != std::string::npos;
        CHECK((other.predicted_seconds > 0) == predicted);
        CHECK((other.built_in_seconds > 0) == predicted);
        CHECK(line.find(std::string(ferry::to_string(other.placement)) + " rejected: " + other.why) !=
              std::string::npos);
        CHECK(text.str().find("\n  " + std::string(ferry::to_string(other.placement)) + " ") !=
              std::string::npos);
    }
}

FERRY_TEST("share: bad requests are refused with their values") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    Words data(100);
    const std::span<std::uint32_t> null(static_cast<std::uint32_t*>(nullptr), 3);
    expect_error(Code::invalid_argument, {"null pointer", "3"},
                 [&] { (void)ferry::share(device, null, Access::device_reads); });
    expect_error(Code::invalid_argument, {"no elements"},
                 [&] { (void)ferry::share(device, std::span(data).first(0), Access::device_reads); });
    expect_error(Code::invalid_argument, {"address space"}, [&] {
        const std::span<std::uint32_t> vast(data.data(), std::size_t{1} << 62);
        (void)ferry::share(device, vast, Access::device_reads);
    });
    expect_error(Code::invalid_argument, {"placement"}, [&] {
        (void)ferry::share(device, data, Access::device_reads, {.allowed = ferry::Placements()});
    });
    expect_error(Code::invalid_argument, {"passes", "-1"},
                 [&] { (void)ferry::share(device, data, Access::device_reads, {.passes = -1}); });
    expect_error(Code::invalid_argument, {"17", "16"},
                 [&] { (void)ferry::share(device, data, Access::device_reads, {.versions = 17}); });
    auto shared = ferry::share(device, data, Access::device_updates);
    expect_error(Code::invalid_argument, {"overlaps", "(400 bytes)", "(40 bytes)"},
                 [&] { (void)ferry::share(device, std::span(data).first(10), Access::device_reads); });
    expect_error(Code::out_of_range, {"50", "51"}, [&] { (void)shared.part(50, 51); });
    expect_error(Code::out_of_range, {"101"}, [&] { (void)shared.host_part(queue, 101, 0); });
    const auto moved = std::move(shared);
    expect_error_anywhere(Code::invalid_state, {"empty"},
                          [&] { add(queue, shared, 100, 1); }); // NOLINT(bugprone-use-after-move)
    expect_error(Code::invalid_state, {"empty"}, [&] { (void)shared.explain(); });
}

FERRY_TEST("share: the stack is shared by copies") {
    ferry::Queue queue{device};
    // Not an array, because AddressSanitizer moves arrays away from the stack.
    const std::span local(static_cast<std::uint32_t*>(__builtin_alloca(256)), 64);
    std::fill(local.begin(), local.end(), 0U);
    {
        const auto shared = ferry::share(device, local, Access::device_updates);
        CHECK(!in_place(shared.explain().taken));
        const auto hints = shared.explain().hints;
        const auto about_stack = std::count_if(hints.begin(), hints.end(), [](const std::string& hint) {
            return hint.find("stack is never used in place") != std::string::npos;
        });
        const bool imports =
            device.capabilities(ferry::MemoryKind::imported, ferry::Probe::declared).available;
        CHECK((about_stack == (imports ? 1 : 0) ||
               was_late(device.capabilities(ferry::MemoryKind::imported).reach)));
        add(queue, shared, 64, 6);
    }
    CHECK(local[63] == 6);
}

FERRY_PAIR_TEST("share: a queue of another device is refused") {
    Words data(100);
    const auto shared = ferry::share(from, data, Access::device_updates);
    ferry::Queue queue{to};
    expect_error_anywhere(Code::invalid_argument, {from.id(), to.id()}, [&] { add(queue, shared, 100, 1); });
    expect_error(Code::invalid_argument, {from.id(), to.id()}, [&] { (void)shared.host(queue); });
}

} // namespace share_test
