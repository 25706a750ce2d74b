// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace conformance;
using ferry::Code;
using ferry::ParameterKind;

namespace {

/// If the kernel's parameters are unknown, only the vendor can check arguments, and some vendors crash.
void require_parameters(const ferry::Kernel& kernel) {
    if (!kernel.info().parameters_known) {
        throw ferry::Error(Code::unsupported,
                           "The parameters of kernel '" + kernel.name() + "' are not known on this backend.");
    }
}

/// The kernel `many` has `count` parameters and writes all but the first two to the first. `few` is a small
/// kernel.
std::string many_parameters(std::size_t count) {
    std::string head = "__kernel void many(__global uint* out, __local uint* last";
    std::string body;
    for (std::size_t i = 0; i + 2 < count; ++i) {
        const std::string n = std::to_string(i);
        head += ", uint a" + n;
        body += "    out[" + n + "] = a" + n + ";\n";
    }
    const std::string last = std::to_string(count - 3);
    return "__kernel void few(__global uint* out) { out[0] = 1; }\n" + head + ") {\n" + body +
           "    last[0] = a" + last + ";\n    out[" + last + "] = last[0];\n}\n";
}

/// The number of values in the largest launch of `many`.
constexpr std::size_t values_of_most = ferry::max_arguments - 2;

/// Calls `call` with values_of_most values, or one more, as separate arguments.
template <class Call>
void with_all(const std::vector<std::uint32_t>& values, const Call& call) {
    const auto all = [&]<std::size_t... I>(std::index_sequence<I...>) {
        call(values[I]...);
    };
    if (values.size() == values_of_most) {
        all(std::make_index_sequence<values_of_most>{});
    } else {
        all(std::make_index_sequence<values_of_most + 1>{});
    }
}

} // namespace

FERRY_TEST("argument: scalars of every size, at both ends of their range") {
    ferry::Queue queue{device};
    const ferry::Kernel scalars = kernel(device, "scalars");
    ferry::Buffer<std::int64_t> out{device, 9};
    for (int round = 0; round < 20; ++round) {
        const auto bits = random_values<std::uint64_t>(8);
        const bool low = round == 0;
        const bool high = round == 1;
        const auto pick = [&]<class T>(T, std::size_t i) {
            return low    ? std::numeric_limits<T>::min()
                   : high ? std::numeric_limits<T>::max()
                          : static_cast<T>(bits[i]);
        };
        const auto a = pick(std::int8_t{}, 0);
        const auto b = pick(std::uint8_t{}, 1);
        const auto c = pick(std::int16_t{}, 2);
        const auto d = pick(std::uint16_t{}, 3);
        const auto e = pick(std::int32_t{}, 4);
        const auto f = pick(std::uint32_t{}, 5);
        const auto g = pick(std::int64_t{}, 6);
        const auto h = pick(std::uint64_t{}, 7);
        queue.fill(out, std::int64_t{-1});
        queue.launch(scalars, {1, 1}, out, a, b, c, d, e, f, g, h, 0.25F * static_cast<float>(round));
        check_same(queue.read(out),
                   std::vector<std::int64_t>{a, b, c, d, e, f, g, static_cast<std::int64_t>(h), round});
    }
}

FERRY_TEST("argument: a struct by value, with padding") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint64_t> out{device, 5};
    const Mixed mixed{-3, -70000, 2.5F, {17, 1, 2, 3, 99}, 0x1122334455667788};
    queue.launch(kernel(device, "structs"), {1, 1}, out, mixed);
    check_same(queue.read(out),
               std::vector<std::uint64_t>{static_cast<std::uint64_t>(-3), static_cast<std::uint64_t>(-70000),
                                          20, 17 + 256 * 99, 0x1122334455667788});
}

FERRY_TEST("argument: vectors by value") {
    ferry::Queue queue{device};
    ferry::Buffer<float> out{device, 6};
    queue.launch(kernel(device, "vectors"), {1, 1}, out, Float4{1, 2, 3, 4}, Float2{5, 6});
    check_same(queue.read(out), std::vector<float>{1, 2, 3, 4, 5, 6});
}

FERRY_TEST("argument: seventeen of them") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> out{device, 16};
    const auto v = random_values<std::uint32_t>(16);
    queue.launch(kernel(device, "sixteen"), {1, 1}, out, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8],
                 v[9], v[10], v[11], v[12], v[13], v[14], v[15]);
    check_same(queue.read(out), v);
}

FERRY_TEST("argument: parameters are described") {
    const ferry::Kernel saxpy = kernel(device, "saxpy");
    CHECK(saxpy.parameters().size() == saxpy.info().parameters.size());
    require_parameters(saxpy);
    REQUIRE(saxpy.parameters().size() == 4);
    const auto is = [&](std::size_t i, ParameterKind kind, std::size_t bytes, ferry::ScalarType type) {
        const ferry::ParameterInfo& p = saxpy.parameters()[i];
        INFO("parameter ", i);
        CHECK((p.kind == ParameterKind::unknown || p.kind == kind));
        CHECK((p.bytes == 0 || p.bytes == bytes));
        CHECK((p.type == ferry::ScalarType::other || p.type == type));
    };
    is(0, ParameterKind::value, 4, ferry::ScalarType::f32);
    is(1, ParameterKind::buffer, 8, ferry::ScalarType::f32);
    is(2, ParameterKind::buffer, 8, ferry::ScalarType::f32);
    is(3, ParameterKind::value, 4, ferry::ScalarType::u32);
}

FERRY_TEST("argument: a wrong count is refused") {
    const ferry::Kernel add = kernel(device, "add");
    require_parameters(add);
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> data{device, 64};
    queue.fill(data, 1U);
    expect_error(Code::invalid_argument, {"add", "3", "0"}, [&] { queue.launch(add, {1, 64}); });
    expect_error(Code::invalid_argument, {"add", "3", "1"}, [&] { queue.launch(add, {1, 64}, data); });
    expect_error(Code::invalid_argument, {"add", "3", "2"}, [&] { queue.launch(add, {1, 64}, data, 64U); });
    expect_error(Code::invalid_argument, {"add", "3", "4"}, [&] {
        queue.launch(add, {1, 64}, data, 64U, 5U, 5U);
    });
    expect_error(Code::invalid_argument, {"noop", "0", "1"}, [&] {
        queue.launch(kernel(device, "noop"), {1, 1}, 1U);
    });
    check_same(queue.read(data), std::vector<std::uint32_t>(64, 1U));
}

FERRY_TEST("argument: a wrong size is refused") {
    const ferry::Kernel add = kernel(device, "add");
    require_parameters(add);
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> data{device, 64};
    queue.fill(data, 1U);
    expect_error(Code::invalid_argument, {"add", "Argument 2", "8"}, [&] {
        queue.launch(add, {1, 64}, data, 64U, std::uint64_t{5});
    });
    expect_error(Code::invalid_argument, {"add", "Argument 1", "2"}, [&] {
        queue.launch(add, {1, 64}, data, std::uint16_t{64}, 5U);
    });
    expect_error(Code::invalid_argument, {"add", "Argument 1"}, [&] {
        queue.launch(add, {1, 64}, data, Float4{}, 5U);
    });
    check_same(queue.read(data), std::vector<std::uint32_t>(64, 1U));
}

FERRY_TEST("argument: a wrong kind is refused") {
    const ferry::Kernel add = kernel(device, "add");
    require_parameters(add);
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> data{device, 64};
    expect_error(Code::invalid_argument, {"add", "Argument 1"}, [&] {
        queue.launch(add, {1, 64}, data, data, 5U);
    });
    expect_error(Code::invalid_argument, {"add", "Argument 0"}, [&] {
        queue.launch(add, {1, 64}, 7U, 64U, 5U);
    });
    expect_error(Code::invalid_argument, {"add", "Argument 0"}, [&] {
        queue.launch(add, {1, 64}, ferry::local<std::uint32_t>(64), 64U, 5U);
    });
    if (add.parameters()[0].kind == ParameterKind::buffer) { // otherwise an 8-byte value looks like a pointer
        expect_error(Code::invalid_argument, {"add", "Argument 0"}, [&] {
            queue.launch(add, {1, 64}, std::uint64_t{7}, 64U, 5U);
        });
    }
    const ferry::Kernel reverse = kernel(device, "reverse_groups");
    expect_error(Code::invalid_argument, {"reverse_groups", "Argument 2"}, [&] {
        queue.launch(reverse, {1, 64}, data, data, data);
    });
}

FERRY_TEST("argument: a wrong element type is refused where it is known") {
    const ferry::Kernel add = kernel(device, "add");
    require_parameters(add);
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    ferry::Buffer<float> data{device, 64};
    if (add.parameters()[0].type != ferry::ScalarType::other) {
        expect_error(Code::invalid_argument, {"add", "Argument 0"}, [&] {
            queue.launch(add, {1, 64}, data, 64U, 5U);
        });
    }
    if (add.parameters()[2].type != ferry::ScalarType::other) {
        ferry::Buffer<std::uint32_t> right{device, 64};
        expect_error(Code::invalid_argument, {"add", "Argument 2"}, [&] {
            queue.launch(add, {1, 64}, right, 64U, 5.0F);
        });
    }
    ferry::Buffer<std::int32_t> other_sign{device, 64};
    queue.fill(other_sign, 3);
    queue.launch(add, {1, 64}, other_sign, 64, 5); // the sign of an integer is not checked
    check_same(queue.read(other_sign), std::vector<std::int32_t>(64, 8));
}

FERRY_TEST("argument: as many as a launch takes") {
    static_assert(ferry::max_arguments == 128);
    const ferry::Program program{device, many_parameters(128)};
    const ferry::Kernel many = program.kernel("many");
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> out{device, values_of_most};
    const auto values = random_values<std::uint32_t>(values_of_most);
    with_all(values, [&](const auto&... value) {
        queue.launch(many, {1, 1}, out, ferry::local<std::uint32_t>(1), value...);
    });
    check_same(queue.read(out), values);
    queue.fill(out, 0U);
    ferry::Step step;
    ferry::Recording recording{
        device, [&](ferry::Recorder& record) {
            with_all(values, [&](const auto&... value) {
                step = record.launch(many, {1, 1}, out, ferry::local<std::uint32_t>(1), value...);
            });
        }};
    recording.set(step, 127, 17U);
    queue.replay(recording);
    auto wanted = values;
    wanted.back() = 17;
    check_same(queue.read(out), wanted);
}

FERRY_TEST("argument: more than a launch takes") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> out{device, values_of_most + 1};
    const auto values = random_values<std::uint32_t>(values_of_most + 1);
    for (const char* const name : {"add", "noop"}) {
        const auto refused = [&](const auto& call) {
            expect_error(Code::invalid_argument, {name, "129 arguments", "at most 128"},
                         [&] { with_all(values, call); });
        };
        const ferry::Kernel some = kernel(device, name);
        refused([&](const auto&... value) { queue.launch(some, {0, 0}, out, 1U, value...); });
        ferry::Recording recording{
            device, [&](ferry::Recorder& record) {
                refused([&](const auto&... value) { record.launch(some, {0, 0}, out, 1U, value...); });
            }};
    }
}

FERRY_TEST("argument: a kernel of more parameters than a launch takes") {
    const Unchanged unchanged{device};
    const ferry::Program program{device, many_parameters(129)};
    if (!program.kernel("few").info().parameters_known) {
        return; // only launches can be checked here
    }
    expect_error(Code::unsupported, {"'many'", "129 parameters", "at most 128"},
                 [&] { (void)program.kernel("many"); });
}

TEST_CASE("argument: a function of more parameters than a launch takes") {
    static constexpr std::array<ferry::HostParameter, 129> parameters{};
    static constexpr auto run = [](const ferry::HostGroup&, void* const*) {};
    static constexpr ferry::HostKernel functions[] = {{"most", run, std::span(parameters).first(128)},
                                                      {"many", run, parameters}};
    for (const ferry::Device& device : test_devices()) {
        if (device.backend() == ferry::Backend::host) {
            const ferry::Program program{device, ferry::Source::host(functions)};
            CHECK(program.kernel("most").parameters().size() == 128);
            expect_error(Code::unsupported, {"'many'", "129 parameters", "at most 128"},
                         [&] { (void)program.kernel("many"); });
        }
    }
}

FERRY_TEST("argument: a view of one element and of the last element") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> data{device, 100};
    queue.fill(data, 1U);
    queue.launch(kernel(device, "add"), {1, 1}, data.first(1), 1U, 10U);
    queue.launch(kernel(device, "add"), {1, 1}, data.last(1), 1U, 20U);
    std::vector<std::uint32_t> wanted(100, 1U);
    wanted.front() = 11;
    wanted.back() = 21;
    check_same(queue.read(data), wanted);
}

FERRY_PAIR_TEST("argument: buffers, kernels and queues of different devices are refused") {
    const Unchanged first{from};
    const Unchanged second{to};
    ferry::Queue queue{from};
    ferry::Buffer<std::uint32_t> mine{from, 64};
    ferry::Buffer<std::uint32_t> theirs{to, 64};
    expect_error(Code::invalid_argument, {"add", from.id(), to.id()}, [&] {
        queue.launch(kernel(from, "add"), {1, 64}, theirs, 64U, 1U);
    });
    expect_error(Code::invalid_argument, {"add", from.id(), to.id()}, [&] {
        queue.launch(kernel(to, "add"), {1, 64}, mine, 64U, 1U);
    });
}
