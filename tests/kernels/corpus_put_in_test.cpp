// SPDX-License-Identifier: Apache-2.0
// The meaning of declarations and calls in a text that is split: several names in one __local declaration,
// functions with barriers and their callers, and statements after a head.
#include "bare.cl.hpp"
#include "corpus.hpp"
#include "known_bugs.hpp"
#include "local_objects.cl.hpp"
#include "own_stores.cl.hpp"
#include "put_in.cl.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>

using namespace kernels;

namespace {

constexpr int items = 16;

using Row = int (*)(int l);

std::vector<int> of_rows(std::initializer_list<Row> rows) {
    std::vector<int> wanted;
    for (const Row row : rows) {
        for (int l = 0; l < items; ++l) {
            wanted.push_back(row(l));
        }
    }
    return wanted;
}

int next(int l) {
    return (l + 1) % items;
}

int labelled(int l) {
    ++l;
    int n = 0;
    do {
        n += l > 3 ? l : 1;
    } while (n < 3);
    return n;
}

std::uint32_t left(std::uint32_t x, int n) {
    return x << (n & 31);
}
int right(int x, int n) {
    return x >> (n & 31);
}

} // namespace

KERNEL_TEST("corpus: several names with one __local, some pointers and some in local memory") {
    Corpus c(device, local_objects_cl);
    const auto wanted = of_rows({[](int l) { return 15 - l; }, [](int l) { return 2 * (15 - l); },
                                 [](int l) { return 3 * (15 - l) + 6 * l; }, [](int) { return 120; },
                                 [](int l) { return 4 * (15 - l); }, [](int l) { return 5 * (15 - l); },
                                 [](int l) { return 3 * (15 - l); }, [](int l) { return 8 * (15 - l); },
                                 [](int l) { return 13 * (15 - l); }});
    auto out = c.out<int>(wanted.size());
    c.run("local_objects", {1, items}, out);
    std::vector<int> seen = c.read(out);
    const auto row = wanted.begin() + 7 * items; // own[]
    const auto seen_row = seen.begin() + 7 * items;
    BugLedger ledger(device);
    if (ledger.covers(std::string(local_rows_by_pointer), "int", 0,
                      !std::equal(row, row + items, seen_row))) {
        std::copy_n(row, items, seen_row);
    }
    ledger.check_not_stale();
    check_equal(seen, wanted);
}

KERNEL_TEST("corpus: functions with barriers keep their meaning between their callers' names") {
    Corpus c(device, put_in_cl);
    const auto wanted = of_rows(
        {[](int l) { return next(l) * 5 + 5 + 7; }, [](int l) { return next(l) * 5 + 5 + 9; },
         [](int l) { return next(l) * 5 + 5 + 9; }, [](int l) { return next(l) * 5 + 5 + 3; },
         [](int l) { return (next(l) + 4) * 4 + 3; }, [](int l) { return (next(l) + 4) * 4 + 20 + 300; },
         [](int l) { return next(l) * 300 + 4 + 36 + 1; },
         [](int l) { return std::max(next(l), 7) / 2 + 34; }, [](int l) { return next(l) + l + 2; },
         [](int l) { return labelled(labelled(l) & 15); }, [](int l) { return next(l) * 5 + 5 + l + 1000; },
         [](int l) { return next(l) * 5 + 5 + l + 2; }, [](int) { return 7 + 3 + 10 + 200; }});
    auto out = c.out<int>(wanted.size());
    c.run("put_in", {1, items}, out, 1000);
    check_equal(c.read(out), wanted);

    auto row = c.out<int>(17);
    auto counts = c.in(std::vector<int>(4, 10));
    c.run("kept_restrict", {1, items}, row, counts);
    auto last_first = of_rows({[](int l) { return 15 - l; }});
    last_first.push_back(7);
    check_equal(c.read(row), last_first);
    check_equal(c.read(counts), std::vector<int>(4, 14));
}

KERNEL_TEST("corpus: a shift is all of the statement behind a head, designators by name, halves of vectors") {
    Corpus c(device, bare_cl);
    auto in = conformance::random_values<std::int32_t>(64);
    for (int& v : in) {
        v &= 0x7fffffff; // after a long enough shift to the right it is 0
    }
    in[0] = 0;
    std::vector<int> wanted;
    for (const int v : in) {
        const int n = v & 63;
        const auto bits = static_cast<std::uint32_t>(v);
        int turned = v;
        while ((turned & 1) != 0) {
            turned = right(turned, n | 1);
        }
        int once = right(v, n | 1);
        while ((once & 1) != 0) {
            once = right(once, n | 1);
        }
        const std::uint32_t thrice = left(left(left(1, n & 7), n & 7), n & 7);
        const int values[] = {static_cast<int>((v & 1) != 0 ? left(bits, n) : bits),
                              turned,
                              static_cast<int>(thrice),
                              right(v, n > 3 ? n : n + 1),
                              once,
                              (n & 1) == 0 ? static_cast<int>(left(bits, n)) : right(v, n),
                              static_cast<int>(n != 0 ? left(3, n) : 3),
                              5 + 700 + 9000};
        wanted.insert(wanted.end(), std::begin(values), std::end(values));
    }
    auto din = c.in(in);
    auto out = c.out<int>(wanted.size());
    c.run("bare_shifts", {in.size(), 1}, din, out);
    check_equal(c.read(out), wanted);

    for (const int n : {0, 5, 38}) {
        wanted.clear();
        for (std::size_t i = 0; i < in.size(); i += 4) {
            int w[] = {in[i], in[i + 1], in[i + 2], in[i + 3]};
            for (const int x : w) {
                wanted.push_back(static_cast<int>(left(static_cast<std::uint32_t>(x), (n & 1) != 0 ? n : 0)));
            }
            while ((w[0] & 1) != 0) {
                for (int& x : w) {
                    x = right(x, n | 1);
                }
            }
            w[1] = static_cast<int>(left(static_cast<std::uint32_t>(w[1]), n));
            w[2] = static_cast<int>(left(static_cast<std::uint32_t>(w[2]), n != 0 ? 33 : 0));
            wanted.insert(wanted.end(), std::begin(w), std::end(w));
        }
        auto shifted = c.out<int>(wanted.size());
        c.run("bare_vector_shifts", {in.size() / 4, 1}, din, shifted, n);
        check_equal(c.read(shifted), wanted);
    }
    auto halves = c.out<int>(8);
    c.run("written_halves", {1, 1}, halves);
    check_equal(c.read(halves), std::vector<int>{2, 8, 8, 9, 14, 12, 8, 8});
}

KERNEL_TEST("corpus: a work-item sees its own stores, and what it read stays") {
    Corpus c(device, own_stores_cl);
    const std::size_t n = std::size_t{5} * 64;
    auto pairs = c.out<std::uint32_t>(2 * n);
    auto out = c.out<std::uint32_t>(4 * n);
    c.run("own_stores", {5, 64}, pairs, out, 1U, 0U);
    std::vector<std::uint32_t> wanted_pairs;
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t g = 0; g < n; ++g) {
        wanted_pairs.insert(wanted_pairs.end(), {3 * g, 3 * g + 1});
        wanted.insert(wanted.end(), {g + 1, g + 5, g + 1, 2 * g + 2});
    }
    check_equal(c.read(pairs), wanted_pairs, "pairs");
    check_equal(c.read(out), wanted);

    auto values = conformance::random_values<std::uint32_t>(n);
    values.resize(3 * n);
    auto kept = c.in(values);
    c.run("kept_reads", {5, 64}, kept, ferry::local<std::uint32_t>(64));
    for (std::uint32_t g = 0; g < n; ++g) {
        values[n + g] = values[g];
        values[2 * n + g] = g + 7;
        values[g] = 1;
    }
    check_equal(c.read(kept), values, "kept");
}

KERNEL_TEST("corpus: stores of a work-item to one place keep their order") {
    Corpus c(device, own_stores_cl);
    BugLedger ledger(device);
    const std::size_t n = std::size_t{5} * 64;
    const auto in = conformance::random_values<std::uint32_t>(n);
    auto din = c.in(in);
    for (const std::string name :
         {"later_stores", "later_stores_in_loop", "later_stores_of_function", "later_stores_by_const_pointer",
          "later_stores_by_struct", "later_stores_by_typedef", "later_stores_by_index",
          "later_stores_in_turn", "later_stores_by_local_pointer", "later_stores_by_hidden_name"}) {
        const bool loop = name == "later_stores_in_loop";
        std::vector<std::uint32_t> wanted;
        for (const std::uint32_t v : in) {
            const bool second = (v & 1) != 0;
            wanted.insert(wanted.end(), {loop ? (second ? 0U : 9U) : (second ? 1U : 5U), loop ? 1U : 2U});
        }
        auto out = c.out<std::uint32_t>(2 * n);
        c.run(name.c_str(), {5, 64}, out, din);
        const auto seen = c.read(out);
        if (!ledger.covers(name, "uint", 1, seen != wanted)) {
            check_equal(seen, wanted, name.c_str());
        }
    }
    for (const std::string name : {"seen_by_cast", "seen_by_function", "seen_in_variable"}) {
        const auto values = conformance::random_values<std::uint32_t>(2 * n);
        std::vector<std::uint32_t> wanted = values;
        for (std::size_t i = 0; i < n; ++i) {
            wanted[2 * i + 1] = i % 2 != 0 ? 5 : wanted[2 * i + 1];
        }
        auto kept = c.in(values);
        auto out = c.out<std::uint32_t>(2 * n);
        c.run(name.c_str(), {5, 64}, kept, out);
        const auto seen = c.read(out);
        if (!ledger.covers(name, "uint", 1, seen != wanted)) {
            check_equal(seen, wanted, name.c_str());
        }
    }
    ledger.check_not_stale();
}
