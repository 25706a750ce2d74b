// SPDX-License-Identifier: Apache-2.0
#include "async.cl.hpp"
#include "barriers.cl.hpp"
#include "corpus.hpp"
#include "functions.cl.hpp"
#include "ids.cl.hpp"
#include "kept_pointers.cl.hpp"
#include "known_bugs.hpp"
#include "wide.cl.hpp"

#include <cstdlib>

using namespace kernels;
using ferry::Grid;

namespace {

/// The result of `barriers` for one group, computed step by step.
std::vector<int> barriers_of(const std::vector<int>& in, int rounds) {
    const std::size_t size = in.size();
    std::vector<int> mine = in;
    for (int r = 0; r < rounds; ++r) {
        std::vector<int> next(size);
        for (std::size_t i = 0; i < size; ++i) {
            next[i] = (mine[(i + static_cast<std::size_t>(r) + 1) % size] + r) ^ (mine[size - 1 - i] ^ r);
        }
        mine = next;
        if (r != 1 && (in[0] & 1) != 0) {
            for (std::size_t i = 0; i < size; ++i) {
                mine[i] += next[size - 1 - i] & 0xff;
            }
        }
    }
    for (std::size_t i = 0; i < size; ++i) {
        mine[i] += in[size - 1 - i] + static_cast<int>((i + 1) % size) * (in[i] & 7);
    }
    return mine;
}

} // namespace

KERNEL_TEST("corpus: barriers in loops and in uniform branches, several local objects") {
    Corpus c(device, barriers_cl);
    for (const std::size_t local : {1U, 5U, 32U, 63U}) {
        const std::size_t groups = 4;
        const int rounds = 4;
        const auto in = integers_below<int>(groups * local, 1U << 20);
        std::vector<int> wanted;
        for (std::size_t g = 0; g < groups; ++g) {
            const auto first = in.begin() + static_cast<std::ptrdiff_t>(g * local);
            const auto part = barriers_of({first, first + static_cast<std::ptrdiff_t>(local)}, rounds);
            wanted.insert(wanted.end(), part.begin(), part.end());
        }
        wanted.back() = -1515870811; // the last work-item returns before its write
        auto din = c.in(in);
        auto out = c.poisoned<int>(in.size());
        c.run("barriers", {groups, local}, din, out, rounds, ferry::local<int>(local),
              static_cast<std::uint32_t>(in.size() - 1));
        check_equal(c.read(out), wanted);
    }
}

KERNEL_TEST("corpus: every work-item function in one, two and three dimensions") {
    Corpus c(device, ids_cl);
    BugLedger ledger(device);
    for (const Grid& grid :
         {Grid{5, 3}, Grid{{2, 3}, {7, 1}}, Grid{{3, 1, 2}, {1, 5, 3}}, Grid{{1, 1, 1}, {3, 2, 5}}}) {
        const std::size_t groups[] = {grid.groups.x, grid.groups.y, grid.groups.z};
        const std::size_t local[] = {grid.local.x, grid.local.y, grid.local.z};
        const std::size_t total[] = {groups[0] * local[0], groups[1] * local[1], groups[2] * local[2]};
        std::vector<std::uint32_t> wanted;
        for (std::size_t at = 0; at < total[0] * total[1] * total[2]; ++at) {
            const std::size_t id[] = {at % total[0], at / total[0] % total[1], at / total[0] / total[1]};
            for (int d = 0; d < 3; ++d) {
                for (const std::size_t v : {id[d], id[d] % local[d], id[d] / local[d], local[d], groups[d],
                                            total[d], std::size_t{0}}) {
                    wanted.push_back(static_cast<std::uint32_t>(v));
                }
            }
            wanted.push_back(1);
        }
        auto out = c.out<std::uint32_t>(wanted.size());
        c.run("ids", grid, out);
        check_equal(c.read(out), wanted);
    }
    // rusticl of Mesa 22.3 may end the process at the creation of such a kernel.
    if (device.info().platform == "rusticl" && device.info().driver_version.starts_with("22.3")) {
        return;
    }
    auto out = c.out<std::uint32_t>(2);
    c.run("beyond", {1, 1}, out);
    auto seen = c.read(out);
    seen[1] = ledger.covers("get_local_size(3)", "uint", 1, seen[1] != 1) ? 1 : seen[1];
    check_equal(seen, {7, 1});
    ledger.check_not_stale();
}

KERNEL_TEST("corpus: copies of a whole group to and from local memory") {
    struct Pair {
        int x, y;
    };
    Corpus c(device, async_cl);
    for (const std::size_t local : {2U, 12U, 48U}) {
        const auto in = integers_below<int>(3 * local, 1000);
        std::vector<int> wanted;
        for (std::size_t i = 0; i < in.size(); ++i) {
            const std::size_t lid = i % local;
            wanted.push_back(in[i - lid + local - 1 - lid] + in[lid / 2 * 2 + 1]);
        }
        auto din = c.in(in);
        auto out = c.out<int>(in.size());
        c.run("async_reverse", {3, local}, din, out, ferry::local<int>(local), ferry::local<Pair>(local / 2));
        check_equal(c.read(out), wanted);
    }
}

KERNEL_TEST("corpus: copies of the group with several events, seen by all its work-items") {
    Corpus c(device, async_cl);
    for (const std::size_t local : {1U, 13U, 64U}) {
        const auto in = integers_below<int>(3 * local, 1000);
        std::vector<int> wanted;
        for (std::size_t i = 0; i < in.size(); ++i) {
            wanted.push_back(2 * in[i - i % local + (i % local + 2) % local]);
        }
        auto din = c.in(in);
        auto out = c.out<int>(in.size());
        auto passed = c.out<int>(in.size());
        c.run("async_exchanged", {3, local}, din, out, passed, ferry::local<int>(local));
        check_equal(c.read(out), wanted);
    }
}

KERNEL_TEST("corpus: strided copies of the group, both ways") {
    Corpus c(device, async_cl);
    for (const std::size_t local : {1U, 12U, 64U}) {
        const std::size_t size = 3 * local;
        const auto in = integers_below<int>(3 * size, 30000);
        auto din = c.in(in);
        auto out = c.out<int>(3 * size);
        std::vector<int> wanted = c.read(out);
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t first = i - i % local;
            wanted[3 * i] = in[3 * (first + local - 1 - (i % local + 1) % local)] + 1;
        }
        c.run("async_strided", {3, local}, din, out, ferry::local<int>(local));
        check_equal(c.read(out), wanted);
    }
}

KERNEL_TEST("corpus: functions with barriers, and a choice in each component") {
    Corpus c(device, functions_cl);
    const std::size_t groups = 5;
    for (const std::size_t local : {1U, 8U, 32U}) {
        std::vector<int> in(groups * local);
        for (int& value : in) {
            value = static_cast<int>(conformance::random_below(20000)) - 10000;
        }
        std::vector<int> wanted;
        for (std::size_t g = 0; g < groups; ++g) {
            int sum = 0;
            for (std::size_t i = 0; i < local; ++i) {
                sum += in[g * local + i];
            }
            const int value = 2 * (sum < 0 ? -sum : sum + 3) + 1;
            const auto of = [&](std::size_t i) { return local > 1 ? in[g * local + i] ^ value : 3; };
            for (std::size_t i = 0; i < local; ++i) {
                const int s = of(i);
                const int own = std::abs(in[g * local + i]);
                wanted.push_back(of(local - 1 - i));
                wanted.push_back(std::abs(s) + 1 + 2 * own + 3 * (std::abs(s + 1) + 1) + 4 * own);
            }
        }
        auto din = c.in(in);
        auto out = c.out<int>(2 * in.size());
        c.run("functions", {groups, local}, din, out, ferry::local<int>(local));
        check_equal(c.read(out), wanted);
    }
}

namespace {

template <class T>
void check_kept(Corpus& c, const char* kernel, unsigned width, BugLedger& ledger) {
    const auto in = integers_below<T>(32 * width, 1000);
    auto din = c.in(in);
    auto out = c.out<T>(in.size());
    c.run(kernel, {2, 16}, din, out);
    const auto seen = c.read(out);
    if (width * sizeof(T) != 128 ||
        !ledger.covers(std::string(bytes_128_across_barrier), kernel, width, seen != in)) {
        check_equal(seen, in, kernel);
    }
}

} // namespace

KERNEL_TEST("corpus: vectors of 64 and 128 bytes keep their values across a barrier") {
    Corpus c(device, wide_cl);
    BugLedger ledger(device);
    check_kept<std::uint32_t>(c, "keeps_uint16", 16, ledger);
    check_kept<std::uint64_t>(c, "keeps_ulong8", 8, ledger);
    check_kept<std::uint64_t>(c, "keeps_ulong16", 16, ledger);
    check_kept<std::int64_t>(c, "keeps_long16", 16, ledger);
    check_kept<std::uint64_t>(c, "keeps_struct", 16, ledger);
    if (device.info().fp64) {
        check_kept<double>(c, "keeps_double16", 16, ledger);
    }
    ledger.check_not_stale();
}

KERNEL_TEST("corpus: pointers to a work-item's own variables, kept across barriers") {
    Corpus c(device, kept_pointers_cl);
    const int n = 1 + static_cast<int>(conformance::random_below(40));
    const auto size = static_cast<std::size_t>(n);
    constexpr int rows = 20;
    auto out = c.out<int>(rows * size);
    c.run("kept_pointers", {1, size}, out, ferry::local<int>(size), 1);
    std::vector<int> wanted;
    for (int row = 0; row < rows; ++row) {
        for (int l = 0; l < n; ++l) {
            const int next = (l + 1) % n;
            const int of_row[rows] = {l,
                                      (l + 1) * 10 + l + 2,
                                      next + (2 + next) * 100,
                                      l,
                                      l + 2,
                                      l % 2 != 0 ? l : -l,
                                      3 * l + 1,
                                      l + 6,
                                      3 * l,
                                      l + 4,
                                      l - 7,
                                      2 * l,
                                      3 * l / 4 * 1000 + 3 * l % 4 * 25,
                                      200 + 1 + l,
                                      1 + l,
                                      l,
                                      10 * l + 3,
                                      l,
                                      next + 51,
                                      (l & 6) * 11 + 4};
            wanted.push_back(of_row[row]);
        }
    }
    check_equal(c.read(out), wanted);
}
