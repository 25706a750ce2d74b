// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>

namespace bench {

namespace {

constexpr double usual = 1.05;
constexpr double large = 1 / 0.99; // at least 0.99 of the speed

constexpr Case all[] = {
    {"launch.enqueue", "kernel with 4 arguments, time of the call", Operation::launch, Size::none, Check::sum,
     true, false, usual},
    {"launch.pipelined", "the same, with the wait for all of them", Operation::launch, Size::none, Check::sum,
     true, true, usual},
    {"launch.finish", "launch and wait, each", Operation::launch_finish, Size::none, Check::sum, false, true,
     usual},
    {"up.4K.enqueue", "4 KiB page-locked to device, time of the call", Operation::up, Size::small,
     Check::uploaded, true, false, usual},
    {"up.4K.finish", "the same and wait, each", Operation::up_finish, Size::small, Check::uploaded, false,
     true, usual},
    {"down.4K.enqueue", "4 KiB device to page-locked, time of the call", Operation::down, Size::small,
     Check::downloaded, true, false, usual},
    {"down.4K.finish", "the same and wait, each", Operation::down_finish, Size::small, Check::downloaded,
     false, true, usual},
    {"up.large.finish", "large copy, page-locked to device, and wait", Operation::up_finish, Size::large,
     Check::uploaded, false, true, large},
    {"down.large.finish", "large copy, device to page-locked, and wait", Operation::down_finish, Size::large,
     Check::downloaded, false, true, large},
    {"between.4K.enqueue", "4 KiB within the device, time of the call", Operation::between, Size::small,
     Check::between, true, false, usual},
    {"event.record", "record an event, time of the call", Operation::record, Size::none, Check::order, true,
     false, usual},
    {"event.wait_queue", "record, and make another queue wait for it", Operation::record_wait_other,
     Size::none, Check::order, true, false, usual},
    {"event.wait_host", "record, and wait for it on the host", Operation::record_wait_host, Size::none,
     Check::order, false, true, usual},
};

void fill_random(std::span<std::byte> bytes, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::size_t i = 0;
    for (; i + sizeof(std::uint64_t) <= bytes.size(); i += sizeof(std::uint64_t)) {
        const std::uint64_t word = random();
        std::memcpy(bytes.data() + i, &word, sizeof word);
    }
    for (; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::byte>(random());
    }
}

void compare(std::span<const std::byte> expected, std::span<const std::byte> found, const Case& test,
             std::string_view side) {
    const auto [wrong, value] = std::mismatch(expected.begin(), expected.end(), found.begin());
    if (wrong != expected.end()) {
        throw std::runtime_error(std::string(test.name) + ", " + std::string(side) + ": byte " +
                                 std::to_string(wrong - expected.begin()) + " of " +
                                 std::to_string(expected.size()) + " is " +
                                 std::to_string(std::to_integer<int>(*value)) + ", not " +
                                 std::to_string(std::to_integer<int>(*wrong)) + ".");
    }
}

} // namespace

std::span<const Case> cases() {
    return all;
}

Verification::Verification(const Case& test, Subject& subject, std::size_t bytes, std::uint64_t seed)
    : case_(test), subject_(subject), bytes_(bytes), values_(kernel_items) {
    const auto source = subject.upload().first(bytes);
    switch (test.check) {
    case Check::sum:
    case Check::order:
        fill_random(std::as_writable_bytes(std::span(values_)), seed);
        subject.write_data(values_);
        if (test.check == Check::order) {
            subject.run(Operation::launch, 1, 0);
        }
        break;
    case Check::uploaded:
        std::ranges::fill(source, std::byte{});
        subject.run(Operation::up_finish, 1, bytes);
        fill_random(source, seed);
        break;
    case Check::downloaded:
        fill_random(source, seed);
        subject.run(Operation::up_finish, 1, bytes);
        std::ranges::fill(subject.download().first(bytes), std::byte{});
        break;
    case Check::between:
        std::ranges::fill(source, std::byte{});
        subject.run(Operation::up, 1, bytes);
        subject.run(Operation::between, 1, bytes);
        subject.finish_all();
        fill_random(source, seed);
        subject.run(Operation::up_finish, 1, bytes);
        break;
    }
}

void Verification::check(std::uint64_t steps, std::string_view side) {
    subject_.finish_all();
    const auto expected = subject_.upload().first(bytes_);
    const auto found = subject_.download().first(bytes_);
    if (case_.check == Check::sum || case_.check == Check::order) {
        if (case_.check == Check::order) {
            subject_.run(Operation::launch_finish, 1, 0);
            steps = 2;
        }
        std::vector<std::uint32_t> result(kernel_items);
        subject_.read_data(result);
        for (std::size_t i = 0; i < values_.size(); ++i) {
            values_[i] += static_cast<std::uint32_t>(steps) * (kernel_more(i) + kernel_add);
        }
        compare(std::as_bytes(std::span(values_)), std::as_bytes(std::span(result)), case_, side);
    } else if (case_.check == Check::uploaded) {
        std::ranges::fill(found, std::byte{});
        subject_.run(Operation::down_finish, 1, bytes_);
        compare(expected, found, case_, side);
    } else if (case_.check == Check::downloaded) {
        compare(expected, found, case_, side);
    } else {
        std::vector<std::byte> copy(bytes_);
        subject_.read_copy(copy);
        compare(expected, copy, case_, side);
    }
}

} // namespace bench
