// SPDX-License-Identifier: Apache-2.0
// Errors of a command of several vendor calls report the part of the work that the stream took.
#include "cuda/cuda_vendor.hpp"
#include "driver/driver_commands.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

namespace driver_commands_test {

using namespace ferry;

namespace {

using Vendor = cuda::Vendor;
using Commands = driver::Commands<Vendor>;

driver::handle::Stream stream_seen = nullptr;
int calls_that_work = 0;

int answer_enqueue(driver::handle::Stream stream) {
    stream_seen = stream;
    return calls_that_work-- > 0 ? driver::result::success : driver::result::out_of_memory;
}

/// A driver in which the first `working` calls of an enqueuing function succeed.
driver::Api<Vendor> make_api(int working) {
    calls_that_work = working;
    driver::Api<Vendor> api;
    api.get_current.function = [](Vendor::Context* context) {
        *context = nullptr;
        return driver::result::success;
    };
    api.set_current.function = [](Vendor::Context) { return driver::result::success; };
    api.error_name.function = [](int, const char**) { return driver::result::invalid_value; };
    api.error_text.function = [](int, const char**) { return driver::result::invalid_value; };
    api.fill_1.function = [](Vendor::Pointer, unsigned char, std::size_t, driver::handle::Stream stream) {
        return answer_enqueue(stream);
    };
    api.launch.function = [](driver::handle::Function, unsigned, unsigned, unsigned, unsigned, unsigned,
                             unsigned, unsigned, driver::handle::Stream stream, void**,
                             void**) { return answer_enqueue(stream); };
    return api;
}

} // namespace

TEST_CASE("driver commands: accepted calls are counted, and a refused call is named and not counted") {
    const driver::Api<Vendor> api = make_api(3);
    auto* const stream = reinterpret_cast<driver::handle::Stream>(std::uintptr_t{0x40});
    auto* const context = reinterpret_cast<Vendor::Context>(std::uintptr_t{0x80});
    backend::Queue::Taken taken;
    Commands commands(api, context, taken, stream);
    commands.submit(5, api.fill_1, Vendor::Pointer{64}, static_cast<unsigned char>(1), std::size_t{5});
    CHECK(stream_seen == stream);
    CHECK(taken.bytes == 5);
    commands.submit_as(7, "cuMemcpyAsync", answer_enqueue);
    CHECK(taken.bytes == 12);
    CHECK(!taken.kernel);
    const Commands::Shape shape{{1, 1, 1}, {1, 1, 1}};
    commands.launch_for(9, nullptr, shape, nullptr);
    CHECK(taken.bytes == 21);
    CHECK(!taken.kernel);
    CHECK_THROWS_WITH_AS(commands.launch(nullptr, shape, nullptr),
                         doctest::Contains("cuLaunchKernel returned 2"), Error);
    CHECK_THROWS_WITH_AS(commands.submit_as(11, "cuMemcpyAsync", answer_enqueue),
                         doctest::Contains("cuMemcpyAsync returned 2"), Error);
    CHECK(taken.bytes == 21);
    CHECK(!taken.kernel);
    calls_that_work = 1;
    commands.launch(nullptr, shape, nullptr);
    CHECK(taken.kernel);
}

} // namespace driver_commands_test
