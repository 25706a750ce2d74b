// SPDX-License-Identifier: Apache-2.0
#include "corpus.hpp"
#include "guards.cl.hpp"

#include <functional>

using namespace kernels;
using ferry::Grid;

namespace {

using Stays = std::function<bool(std::uint32_t x, std::uint32_t y, std::uint32_t a, std::uint32_t b)>;

struct Guarded {
    const char* kernel;
    Stays stays;
};

const Guarded guarded[] = {
    {"less", [](auto x, auto, auto a, auto) { return x < a; }},
    {"leaves", [](auto x, auto y, auto a, auto b) { return x < a && y < b; }},
    {"inside", [](auto x, auto y, auto a, auto b) { return x > 0 && y > 0 && x + 1 < a && y + 1 < b; }},
    {"between", [](auto x, auto, auto a, auto b) { return x >= a && x < b; }},
    {"outside", [](auto x, auto, auto a, auto b) { return x < a || x > b; }},
    {"leaves_inside", [](auto x, auto, auto a, auto b) { return x < a || x > b; }},
    {"all_but_one", [](auto x, auto, auto a, auto) { return x != a; }},
    {"leaves_one", [](auto x, auto, auto a, auto) { return x != a; }},
    {"only_one", [](auto x, auto, auto a, auto) { return x == a; }},
    {"even", [](auto x, auto, auto, auto) { return x % 2 == 0; }},
    {"wraps", [](auto x, auto, auto a, auto) { return x - 3 < a; }},
    {"narrow", [](auto x, auto, auto a, auto) { return x * 32 % 256 < a; }},
    {"bits", [](auto x, auto, auto a, auto) { return x < a && x % 2 == 0; }},
    {"chosen", [](auto x, auto y, auto a, auto b) { return y < b ? x < a : x >= a; }},
    {"diagonal", [](auto x, auto y, auto a, auto) { return x <= y && y - x < a; }},
    {"mixed", [](auto x, auto y, auto a, auto b) { return (y < a || y > b) && x < b; }},
    {"other_dimension", [](auto x, auto, auto, auto b) { return x * 7 % 5 < 3 && x < b; }},
};

} // namespace

KERNEL_TEST("corpus: work-items that leave at once, whichever way that is written") {
    Corpus c(device, guards_cl);
    for (const Guarded& g : guarded) {
        for (const auto& [a, b] :
             {std::pair{5U, 9U}, std::pair{0U, 3U}, std::pair{30U, 4U}, std::pair{1U, 100U}}) {
            const std::uint32_t width = 6 * 5;
            const std::uint32_t height = 2 * 7;
            auto out = c.out<std::uint32_t>(std::size_t{width} * height);
            std::vector<std::uint32_t> wanted = c.read(out);
            for (std::uint32_t i = 0; i < wanted.size(); ++i) {
                const std::uint32_t x = i % width;
                const std::uint32_t y = i / width;
                wanted[i] = g.stays(x, y, a, b) ? y * 1000 + x + 1 : wanted[i];
            }
            c.run(g.kernel, {{6, 7}, {5, 2}}, out, width, a, b);
            const std::uint32_t begin = a; // clang cannot capture a structured binding
            CAPTURE(begin);
            check_equal(c.read(out), wanted, g.kernel);
        }
    }
}

KERNEL_TEST("corpus: groups side by side keep their indices, sizes and local memory") {
    Corpus c(device, guards_cl);
    const std::uint32_t groups = 9;
    const std::uint32_t local = 6;
    const std::uint32_t all = groups * local;
    const std::uint32_t some = all - 8;
    for (const char* kernel : {"groups", "sizes", "scratch"}) {
        auto out = c.out<std::uint32_t>(all);
        std::vector<std::uint32_t> wanted = c.read(out);
        for (std::uint32_t i = 0; i < some; ++i) {
            wanted[i] = std::string(kernel) == "groups"  ? i / local * 100 + i % local
                        : std::string(kernel) == "sizes" ? local * 10000 + groups * 100 + all - i
                                                         : 2 * i;
        }
        if (std::string(kernel) == "scratch") {
            c.run(kernel, {all / 2, 2}, out, some, ferry::local<std::uint32_t>(2));
        } else {
            c.run(kernel, {groups, local}, out, some);
        }
        check_equal(c.read(out), wanted, kernel);
    }
}
