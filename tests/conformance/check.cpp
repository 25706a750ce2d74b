// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <thread>

namespace conformance {
namespace {

std::string place(const ferry::SourceLocation& here) {
    return std::string(here.file_name()) + ":" + std::to_string(here.line());
}

/// Objects that threads sleep on during a wait are kept for ever. The number of simultaneous sleepers depends
/// on scheduling. So this makes as many as any test needs in advance.
void make_sleepers(const ferry::Device& device) {
    static std::set<std::string> made;
    if (!is_double(device) || !made.insert(device.id()).second) {
        return;
    }
    ferry::Queue queue{device, {.wait = ferry::WaitPolicy::block}};
    const ferry::Buffer<std::uint32_t> out{device, 64};
    queue.launch(kernel(device, "spin"), {1, 64}, out, 300'000U);
    const ferry::Event event = queue.record();
    std::vector<std::thread> sleepers;
    for (int i = 0; i < 16; ++i) {
        sleepers.emplace_back([&] { event.wait(); });
    }
    for (std::thread& sleeper : sleepers) {
        sleeper.join();
    }
}

/// The objects alive in the stand-in, on all its devices, except memory kept for the next buffer or copy. All
/// zero for other devices.
DoubleCounts counts_of(const ferry::Device& device) {
    if (!is_double(device)) {
        return {};
    }
    ferry::trim_staging();
    for (const ferry::Device& any : test_devices()) {
        if (is_double(any)) {
            any.pool().trim();
        }
    }
    return double_counts(device);
}

} // namespace

ferry::Error expect_error_anywhere(ferry::Code code, std::initializer_list<std::string> parts,
                                   const std::function<void()>& call, ferry::SourceLocation here) {
    INFO("checked at ", place(here));
    std::optional<ferry::Error> error;
    try {
        call();
    } catch (const ferry::Error& thrown) {
        error = thrown;
    }
    REQUIRE_MESSAGE(error.has_value(), "no ferry::Error was thrown");
    const std::string message = error->what();
    INFO("the message is: ", message);
    if (error->code() == ferry::Code::unsupported && code != ferry::Code::unsupported) {
        std::puts("FERRY-UNSUPPORTED");
    }
    CHECK(std::string(ferry::to_string(error->code())) == std::string(ferry::to_string(code)));
    for (const std::string& part : parts) {
        CHECK_MESSAGE(message.find(part) != std::string::npos, "the message does not hold \"", part, "\"");
    }
    CHECK_MESSAGE(message.size() > 20, "the message is not a sentence");
    return *error;
}

std::optional<ferry::Error> error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const ferry::Error& error) {
        return error;
    }
    return std::nullopt;
}

ferry::Error expect_error(ferry::Code code, std::initializer_list<std::string> parts,
                          const std::function<void()>& call, ferry::SourceLocation here) {
    ferry::Error error = expect_error_anywhere(code, parts, call, here);
    INFO("checked at ", place(here), "; the error says ", place(error.where()), ": ",
         std::string(error.what()));
    CHECK(std::string(error.where().file_name()) == here.file_name());
    CHECK(std::labs(static_cast<long>(error.where().line()) - static_cast<long>(here.line())) <= 8);
    return error;
}

void check_same_bytes(const void* seen, const void* wanted, std::size_t seen_size, std::size_t wanted_size,
                      std::size_t element, ferry::SourceLocation here) {
    INFO("compared at ", place(here));
    CHECK(seen_size == wanted_size);
    if (seen_size != wanted_size || seen_size == 0 || std::memcmp(seen, wanted, seen_size * element) == 0) {
        return;
    }
    const auto* a = static_cast<const unsigned char*>(seen);
    const auto* b = static_cast<const unsigned char*>(wanted);
    std::size_t first = 0;
    std::size_t wrong = 0;
    for (std::size_t i = seen_size; i-- > 0;) {
        if (std::memcmp(a + i * element, b + i * element, element) != 0) {
            first = i;
            ++wrong;
        }
    }
    std::string bytes;
    for (std::size_t i = 0; i < element && i < 8; ++i) {
        bytes += " " + std::to_string(a[first * element + i]) + "/" + std::to_string(b[first * element + i]);
    }
    FAIL_CHECK(wrong, " of ", seen_size, " elements differ, the first is number ", first,
               ", its bytes (seen/wanted):", bytes);
}

void check_still_works(const ferry::Device& device, ferry::SourceLocation here) {
    INFO("the device does not work afterwards, checked at ", place(here));
    const std::size_t size = 257;
    const auto x = random_floats(size);
    auto y = random_floats(size);
    ferry::Queue queue{device};
    ferry::Buffer<float> dx{device, size};
    ferry::Buffer<float> dy{device, size};
    queue.copy(x, dx);
    queue.copy(y, dy);
    queue.launch(kernel(device, "saxpy"), ferry::Grid::covering(size, 32), 2.0F, dx, dy,
                 static_cast<std::uint32_t>(size));
    const auto seen = queue.read(dy);
    for (std::size_t i = 0; i < size; ++i) {
        y[i] += 2.0F * x[i];
    }
    check_same(seen, y, here);
}

Unchanged::Unchanged(const ferry::Device& device, ferry::SourceLocation here)
    : device_(device), here_(here), used_(0) {
    check_still_works(device, here); // creates objects that are made once, for instance kernels
    make_sleepers(device);
    for (const ferry::Device& other : devices_other_than(device)) {
        if (is_double(device) && is_double(other)) {
            check_still_works(other, here);
            make_sleepers(other);
        }
    }
    used_ = device.memory().used_here;
    counts_ = counts_of(device);
}

Unchanged::~Unchanged() {
    try {
        check_still_works(device_, here_);
        INFO("checked at ", place(here_));
        CHECK(device_.memory().used_here == used_);
        // Threads of the library may still be returning the resources of a copy.
        DoubleCounts counts = counts_of(device_);
        for (int i = 0; i < 500 && std::memcmp(&counts, &counts_, sizeof counts) != 0; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            counts = counts_of(device_);
        }
        check_counts(counts, counts_);
        CHECK(counts.events == counts_.events);
    } catch (const doctest::detail::TestFailureException&) { // already counted
    } catch (const std::exception& error) {
        FAIL_CHECK("the device does not work afterwards: ", std::string(error.what()), " (checked at ",
                   place(here_), ")");
    }
}

bool is_late_source(const std::string& source) {
    const bool late = source.find("hung and was killed") != std::string::npos ||
                      source.find("the time for measuring was over") != std::string::npos;
    if (late) {
        MESSAGE("not examined: ", source);
    }
    return late;
}

std::size_t copied_part(const std::string& text, std::size_t all, ferry::SourceLocation here) {
    INFO(place(here), ": ", text);
    std::size_t part = 0;
    std::size_t whole = 0;
    const std::size_t at = text.find("the first ");
    REQUIRE(at != std::string::npos);
    REQUIRE(std::sscanf(text.c_str() + at, "the first %zu of %zu bytes were copied", &part, &whole) == 2);
    CHECK(whole == all);
    CHECK(part > 0);
    CHECK(part < all);
    return part;
}

} // namespace conformance
