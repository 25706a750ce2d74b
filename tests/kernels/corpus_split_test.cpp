// SPDX-License-Identifier: Apache-2.0
// Code that the host splits at barriers. It must have the same meaning afterwards.
#include "corpus.hpp"
#include "heads.cl.hpp"
#include "known_bugs.hpp"
#include "returns.cl.hpp"
#include "split_names.cl.hpp"

using namespace kernels;

namespace {

/// The expected value of work-item `l` in row `k` of a kernel of heads.cl.
using Row = int (*)(int l, int n);

/// `least`: smaller groups than this are sound in any case.
void check_heads(Corpus& c, BugLedger* ledger, int least, const char* kernel,
                 std::initializer_list<Row> rows) {
    const int n = 1 + static_cast<int>(conformance::random_below(40));
    const auto size = static_cast<std::size_t>(n);
    auto out = c.out<int>(rows.size() * size);
    c.run(kernel, {1, size}, out, ferry::local<int>(size));
    std::vector<int> wanted;
    for (const Row row : rows) {
        for (int l = 0; l < n; ++l) {
            wanted.push_back(row(l, n));
        }
    }
    const auto seen = c.read(out);
    const std::string bug(loop_in_partial_group);
    if (n < least || n % 8 == 0 || ledger == nullptr || !ledger->covers(bug, "int", 1, seen != wanted)) {
        check_equal(seen, wanted, kernel);
    }
}

} // namespace

KERNEL_TEST("corpus: hidden names, steps of loops and types written out, across barriers") {
    Corpus c(device, split_names_cl);
    const int n = 1 + static_cast<int>(conformance::random_below(40));
    const auto size = static_cast<std::size_t>(n);
    constexpr int rows = 20;
    auto out = c.out<int>(rows * size);
    c.run("split_names", {1, size}, out, ferry::local<int>(size), 1);
    std::vector<int> wanted;
    for (int row = 0; row < rows; ++row) {
        for (int l = 0; l < n; ++l) {
            const int of_row[rows] = {l,
                                      l,
                                      20 + (l + 1) % n,
                                      2 * l + 101,
                                      (5 + l) * 10 + 9,
                                      (5 + l) * 10 + 9,
                                      (7 + l) * 10 + 9,
                                      (1 + l) * 10 + 9,
                                      (l + 1) * 100 + 3 * l + 1,
                                      3 + 10 * (l + 1),
                                      (l + 1) * 10 + 2,
                                      1 + l,
                                      100 + l,
                                      l % 2 != 0 ? 32 : 33,
                                      20 + 2 * l + 40000,
                                      500 + l,
                                      2 * l,
                                      l + 1,
                                      1003 * l,
                                      10101 * l};
            wanted.push_back(of_row[row]);
        }
    }
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: calls with barriers in heads, behind commas and in lists of values") {
    Corpus c(device, heads_cl);
    BugLedger ledger(device);
    const int least = device.backend() == ferry::Backend::opencl ? 8 : 1;
    check_heads(c, nullptr, least, "branches",
                {[](int l, int) { return l + 100; }, [](int l, int) { return l + 1000; },
                 [](int l, int) { return l + 10; }});
    check_heads(c, &ledger, least, "nested", {[](int, int) { return 2103; }, [](int, int) { return 8; }});
    check_heads(c, &ledger, least, "whiles",
                {[](int, int) { return 12105; }, [](int, int) { return 1305; }, [](int, int) { return 9; }});
    check_heads(c, &ledger, least, "fors",
                {[](int l, int n) { return 3 * ((l + 1) % n) + 1000 * (3 * n - 3); },
                 [](int l, int n) { return 3 * ((l + 1) % n) + 1000 * (3 * n - 3) + 4 * n; },
                 [](int, int) { return 5; }, [](int, int) { return 3; }, [](int, int) { return 6; }});
    check_heads(c, nullptr, least, "lists",
                {[](int l, int n) { return 1 + 10 * ((l + 1) % n + 1) + 1000 * n; },
                 [](int l, int n) { return 3 * ((l + 1) % n) + 400 + 3000 * n; },
                 [](int l, int n) { return 1001 * ((l + 1) % n) + 200500; },
                 [](int, int n) { return 40 + 100 * (5 * n + 10010); }});
    ledger.check_not_stale();
}

KERNEL_TEST("corpus: groups that return early as a whole, and pointers to what is volatile") {
    Corpus c(device, returns_cl);
    const std::size_t size = 1 + conformance::random_below(40);
    const auto check = [&](const char* kernel, int n, auto&& row) {
        constexpr std::size_t groups = 5;
        auto out = c.out<int>(groups * size);
        c.run(kernel, {groups, size}, out, ferry::local<int>(size), n);
        std::vector<int> wanted;
        for (std::size_t i = 0; i < groups * size; ++i) {
            wanted.push_back(row(static_cast<int>(i / size), static_cast<int>(i % size)));
        }
        check_equal(c.read(out), wanted, kernel);
    };
    const int last = static_cast<int>(size) - 1;
    for (const int n : {0, 2, 5}) {
        check("left_loop", n, [&](int group, int) { return group >= n ? -1 : 43; });
    }
    check("left_step", 0, [](int, int) { return -1; });
    check("left_step", 2, [&](int, int l) { return 3 * (last - l) + 6; });
    check("left_division", 0, [](int, int) { return 7; });
    check("left_division", 7, [&](int, int l) { return 7 + 1 + (last - l) * 14 + 14; });
    check("kept_volatile", 3, [&](int, int l) { return l * 3000 + (last - l) * 3; });
}
