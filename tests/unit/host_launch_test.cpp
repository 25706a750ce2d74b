// SPDX-License-Identifier: Apache-2.0
#include "host/host_module.hpp"
#include "host_backend_fixture.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <stdexcept>

namespace host_launch_test {

using namespace host_test;
using ferry::Grid;
using ferry::HostGroup;

namespace {

struct alignas(16) Wide {
    double a, b, c, d;
};
struct Odd {
    char text[5];
};

void mark(const HostGroup& g, std::uint32_t* seen) {
    ++seen[(g.group.z * g.groups.y + g.group.y) * g.groups.x + g.group.x];
}

void mixed(const HostGroup& g, std::int8_t a, Wide w, const float* x, Odd odd, ferry::HostLocal<double> l,
           std::uint64_t* out, const float* nothing, ferry::HostLocal<std::uint8_t> m) {
    for (std::size_t i = 0; i < 64; ++i) {
        l[i] = static_cast<double>(g.group.x);
        m[i] = static_cast<std::uint8_t>(g.group.x);
    }
    bool ok = a == -3 && w.a + w.b + w.c + w.d == 10 && x[0] == 1.5F && std::strcmp(odd.text, "four") == 0 &&
              nothing == nullptr && reinterpret_cast<std::uintptr_t>(&w) % 16 == 0 &&
              reinterpret_cast<std::uintptr_t>(l.data) % 64 == 0 &&
              reinterpret_cast<std::uintptr_t>(m.data) % 64 == 0;
    for (std::size_t i = 0; i < 64; ++i) {
        ok = ok && l[i] == static_cast<double>(g.group.x) && m[i] == static_cast<std::uint8_t>(g.group.x);
    }
    out[g.group.x] += ok ? 1 : 0;
}

void fail_at(const HostGroup& g, std::uint64_t where, std::atomic<std::uint64_t>* count) {
    count->fetch_add(1);
    if (g.group.x == where) {
        throw std::runtime_error("group " + std::to_string(where));
    }
}

} // namespace

TEST_CASE("host: compiled kernels of another version are refused, and old ones that know no offset") {
    using ferry::host::Module;
    const auto build = [](const Module* module, bool offsets) {
        return device().build(ferry::Source::host_module(module), {.global_offsets = offsets}, nullptr);
    };
    for (const unsigned long abi : {1UL, 3UL, 4UL, 5UL, 6UL}) {
        CAPTURE(abi);
        const Module module{abi, 0, nullptr};
        const bool known = abi == Module::without_offsets || abi == Module::with_offsets;
        for (const bool offsets : {false, true}) {
            if (known && !(offsets && abi == Module::without_offsets)) {
                CHECK(build(&module, offsets)->kernel_names().empty());
            } else {
                CHECK_THROWS_WITH_AS(build(&module, offsets), doctest::Contains("compiled kernels"),
                                     ferry::Error);
            }
        }
    }
}

TEST_CASE("host: every group of a grid runs once") {
    const OneKernel kernel{ferry::host_kernel<mark>("mark")};
    const auto q = queue();
    for (const Grid& grid :
         {Grid{1, 1}, Grid{{3, 5, 7}, {2, 2}}, Grid{{1, 1, 1009}, 1}, Grid{{100003}, 16}}) {
        const std::size_t count = grid.groups.x * grid.groups.y * grid.groups.z;
        CAPTURE(count);
        const auto seen = memory(count * 4);
        std::memset(seen->host, 0, count * 4);
        for (int round = 0; round < 3; ++round) {
            q->launch(*kernel, grid, std::array{buffer(seen.get())});
        }
        q->finish();
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < count; ++i) {
            wrong += static_cast<const std::uint32_t*>(seen->host)[i] != 3;
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("host: arguments of every kind, aligned as their types need") {
    const OneKernel kernel{ferry::host_kernel<mixed>("mixed")};
    const auto& info = (*kernel).info();
    REQUIRE(info.parameters.size() == 8);
    CHECK(info.parameters_known);
    CHECK(info.parameters[0].kind == ferry::ParameterKind::value);
    CHECK(info.parameters[0].type == ferry::ScalarType::i8);
    CHECK(info.parameters[1].bytes == sizeof(Wide));
    CHECK(info.parameters[2].kind == ferry::ParameterKind::buffer);
    CHECK(info.parameters[2].type == ferry::ScalarType::f32);
    CHECK(info.parameters[4].kind == ferry::ParameterKind::local);

    constexpr std::size_t groups = 5000;
    const auto q = queue();
    const auto x = memory(64);
    const auto out = memory(groups * 8);
    std::memset(out->host, 0, groups * 8);
    static_cast<float*>(x->host)[3] = 1.5F;
    const std::int8_t a = -3;
    const Wide w{1, 2, 3, 4};
    const Odd odd{"four"};
    for (int round = 0; round < 20; ++round) {
        q->launch(*kernel, {groups, 64},
                  std::array{value(a), value(w), buffer(x.get(), 12), value(odd), local(64 * sizeof(double)),
                             buffer(out.get()), buffer(nullptr), local(64)});
    }
    q->finish();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < groups; ++i) {
        wrong += static_cast<const std::uint64_t*>(out->host)[i] != 20;
    }
    CHECK(wrong == 0);
}

TEST_CASE("host: a launch with as many and as large arguments as there can be") {
    static std::atomic<std::uint64_t> sum{0};
    struct Block {
        std::uint8_t bytes[32];
    };
    const ferry::HostKernel sums{"sums",
                                 [](const HostGroup&, void* const* arguments) {
                                     for (std::size_t i = 0; i < 128; ++i) {
                                         sum += static_cast<const Block*>(arguments[i])->bytes[31];
                                     }
                                 },
                                 {}};
    const OneKernel kernel{sums};
    const auto q = queue();
    std::vector<Block> blocks(128);
    std::vector<ferry::backend::Argument> arguments;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        blocks[i].bytes[31] = static_cast<std::uint8_t>(i);
        arguments.push_back(value(blocks[i]));
    }
    for (int i = 0; i < 200; ++i) {
        q->launch(*kernel, {1, 1}, arguments);
    }
    q->finish();
    CHECK(sum == 200 * 127 * 64);
}

TEST_CASE("host: an exception in one of many groups stops the launch, and other queues continue") {
    const OneKernel kernel{ferry::host_kernel<fail_at>("fail_at")};
    const auto q = queue();
    const auto other = queue();
    const auto count = memory(8);
    std::memset(count->host, 0, 8);
    const std::uint64_t where = 5;
    q->launch(*kernel, {std::size_t{1} << 30, 1}, std::array{value(where), buffer(count.get())});
    try {
        q->finish();
        FAIL("finish() did not throw");
    } catch (const ferry::Error& error) {
        CHECK(std::string(error.what()) == "The kernel function threw an exception: group 5");
    }
    CHECK(*static_cast<std::uint64_t*>(count->host) < 1000000);
    const std::uint64_t never = ~std::uint64_t{0};
    other->launch(*kernel, {10, 1}, std::array{value(never), buffer(count.get())});
    other->finish();
}

TEST_CASE("host: a table with a name twice or without a function does not build") {
    const ferry::HostKernel twice[] = {ferry::host_kernel<mark>("mark"), ferry::host_kernel<mark>("mark")};
    const ferry::HostKernel none[] = {{"none", nullptr, {}}};
    CHECK_THROWS_AS(static_cast<void>(device().build(ferry::Source::host(twice), {}, nullptr)), ferry::Error);
    CHECK_THROWS_AS(static_cast<void>(device().build(ferry::Source::host(none), {}, nullptr)), ferry::Error);
    const ferry::HostKernel good[] = {ferry::host_kernel<mark>("mark"), ferry::host_kernel<mixed>("mixed")};
    const auto program = device().build(ferry::Source::host(good), {}, nullptr);
    CHECK(program->kernel_names() == std::vector<std::string>{"mark", "mixed"});
    CHECK(program->kernel("marks") == nullptr);
}

} // namespace host_launch_test
