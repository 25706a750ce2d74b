// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace conformance {

/// The devices under test: the one named by FERRY_DEVICE if it is set, otherwise every device that
/// FERRY_BACKEND allows. Hardware visible through two backends is tested twice. The process always uses the
/// same objects.
const std::vector<ferry::Device>& test_devices();

/// Devices other than `device`, of its own backend or of others, if the process has any.
std::vector<ferry::Device> devices_other_than(const ferry::Device& device);

/// Prints the devices and the seed. Prints a message and returns false if there is no device, or if
/// FERRY_EXPECT_DEVICE is set and no device's id, name or platform contains it.
bool announce_devices();

/// Whether `pattern` is part of the device's id, name, platform or backend, ignoring case. "*" matches every
/// device.
bool matches(const ferry::Device& device, std::string_view pattern);

using Body = void (*)(const ferry::Device&);
using PairBody = void (*)(const ferry::Device& from, const ferry::Device& to);

/// Runs `body` as a subcase for each device, named by the device's id, unless the test is excluded there. An
/// exception that leaves the body is a failure of that device only.
void on_every_device(const char* test, Body body);
/// The same for every ordered pair of different devices; the subcase is "from -> to".
void on_every_pair(const char* test, PairBody body);

} // namespace conformance

#define FERRY_TEST_BODY(name, title)               \
    static void name(const ferry::Device& device); \
    TEST_CASE(title) {                             \
        conformance::on_every_device(title, name); \
    }                                              \
    static void name([[maybe_unused]] const ferry::Device& device)
#define FERRY_PAIR_BODY(name, title)                                      \
    static void name(const ferry::Device& from, const ferry::Device& to); \
    TEST_CASE(title* doctest::test_suite("pairs")) {                      \
        conformance::on_every_pair(title, name);                          \
    }                                                                     \
    static void name([[maybe_unused]] const ferry::Device& from, [[maybe_unused]] const ferry::Device& to)

/// A test of one behaviour. Its body has `const ferry::Device& device` and runs once for each device.
#define FERRY_TEST(title) FERRY_TEST_BODY(DOCTEST_ANONYMOUS(ferry_body_), title)
/// The same with `from` and `to`, once for each ordered pair of devices. --test-suite=pairs runs only these.
#define FERRY_PAIR_TEST(title) FERRY_PAIR_BODY(DOCTEST_ANONYMOUS(ferry_body_), title)
