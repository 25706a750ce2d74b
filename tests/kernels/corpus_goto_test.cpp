// SPDX-License-Identifier: Apache-2.0
#include "corpus.hpp"
#include "gotos.cl.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace {

using kernels::check_equal;
using kernels::Corpus;
using kernels::gotos_cl;

int two_labels(int l) {
    const int a = 3 * l;
    return l % 3 == 0 ? a + 100 : l % 3 == 1 ? a + 5 : (a + 5) * 2 + 100;
}

int out_of_if(int l) {
    if (l % 2 == 1) {
        return (l & 2) != 0 ? l + 7 : (l + 27) * 3;
    }
    return (l & 4) != 0 ? l - 3 : (l - 3) * 3;
}

int nested_loops(int l) {
    int a = 0;
    for (int i = 0; i < 5; ++i) {
        for (int k = 0; k < 4; ++k) {
            a += i * k + 1;
            if (i * 4 + k == l % 23) {
                return a;
            }
            if (k > i) {
                break;
            }
        }
        a += 50;
    }
    return -a;
}

int switch_in_loop(int l) {
    int a = l;
    for (int i = 0; i < 3; ++i) {
        const int way = (l + i) % 5;
        const bool falls = way == 1 && l % 2 == 1;
        const bool doubled = falls || way == 2 || (way == 3 && l <= 20) || (way == 4 && l % 7 == 0);
        a += way == 0 ? 100 : falls ? 32 : way == 2 ? 2 : way == 3 && l <= 20 ? -5 : 0;
        a = (doubled ? 2 * a : a) + i;
    }
    return a;
}

int left_loop(int l) {
    int a = l;
    for (int i = 0; i < 12; ++i) {
        const int at = l + i;
        if (at % 3 != 0 && at % 4 != 0 && at % 11 == 0) {
            break;
        }
        if (at % 3 == 0 || at % 4 != 0) {
            a = 2 * (at % 3 == 0 ? a : a + 3) + i;
        }
    }
    return a;
}

int loops(int l) {
    int a = l % 9;
    int turns = 0;
    for (int from = l % 2 == 1 ? 2 : 0;;) {
        a += from == 0 ? 111 : from == 1 ? 110 : 100;
        if (turns++ < l % 4) {
            from = 0;
        } else if (a % 3 == 0 && turns < 6) {
            from = 1;
        } else {
            return a % 5 == 0 ? a : -a;
        }
    }
}

/// The result of `past`: each turn takes the value of the item after the next one.
int turned(int l, int n, int way) {
    const int turns = way < 1 ? 1 : way;
    int a = (l + 2 * turns) % n;
    for (int turn = 1; turn <= turns; ++turn) { // The value passes each even number once more.
        const int at = (l + 2 * (turns - turn) + 1) % n;
        a += 1 + (at % 2 == 0 ? 0 : 5);
    }
    return a;
}

std::uint32_t next_number(std::uint32_t v) {
    return v * 69069U + 1;
}

int repeated(int l) {
    std::uint32_t v = static_cast<std::uint32_t>(l) * 2654435761U;
    do {
        v = next_number(v);
    } while ((v & 0x100U) != 0);
    return static_cast<int>((v + 7) >> 1U);
}

int left_or_returned(int l) {
    std::uint32_t v = static_cast<std::uint32_t>(l) * 40503U;
    do {
        v = next_number(v);
        if ((v & 0x10000U) != 0) {
            return (v & 0x20000U) != 0 ? static_cast<int>(v >> 1U) : -1;
        }
    } while ((v & 0x40000U) != 0);
    return static_cast<int>(v >> 1U);
}

using Row = std::function<int(int l, int way)>;

/// Runs the kernel with `groups` groups of n. Each row has the results of all of them.
void check(Corpus& c, const char* kernel, int n, const std::vector<Row>& rows) {
    const int groups = 7;
    const std::size_t size = static_cast<std::size_t>(n * groups);
    auto out = c.out<int>(rows.size() * size);
    c.run(kernel, {static_cast<std::size_t>(groups), static_cast<std::size_t>(n)}, out,
          ferry::local<int>(static_cast<std::size_t>(n)));
    std::vector<int> wanted;
    for (const Row& row : rows) {
        for (int i = 0; i < n * groups; ++i) {
            wanted.push_back(row(i % n, i / n));
        }
    }
    check_equal(c.read(out), wanted, kernel);
}

bool mixes_up_results(const ferry::Device& device) {
    const bool mixes = conformance::matches(device, "Portable");
    if (mixes) {
        MESSAGE(device.id(), ": not run, PoCL 3.1 ends the process or mixes up results");
    }
    return mixes;
}

} // namespace

KERNEL_TEST("corpus: gotos that some work-items take, before a barrier") {
    if (mixes_up_results(device)) {
        return;
    }
    Corpus c(device, gotos_cl);
    const int n = 1 + static_cast<int>(conformance::random_below(60));
    const auto by_neighbour = [&](int (*own)(int l)) {
        return Row([own, n](int l, int) { return own((l + 1) % n); });
    };
    check(c, "forward", n,
          {by_neighbour([](int l) { return l % 2 == 1 ? l : (l + 10) * 3; }), by_neighbour(two_labels),
           by_neighbour(out_of_if)});
    check(c, "out_of_loops", n,
          {by_neighbour(nested_loops), by_neighbour(switch_in_loop), by_neighbour(left_loop)});
    check(c, "back", n, {by_neighbour(loops)});
    if (conformance::matches(device, "rusticl")) {
        MESSAGE(device.id(), ": not run in part, Mesa 22.3 mixes up values of loops that are left inside");
        return;
    }
    const Row once_more = [](int l, int) { return repeated(l); };
    check(c, "left_inside", n, {once_more, once_more, once_more});
    check(c, "without_barriers", n,
          {[](int l, int) { return repeated(l); }, [](int l, int) { return left_or_returned(l); }});
}

KERNEL_TEST("corpus: gotos past barriers") {
    if (mixes_up_results(device)) {
        return;
    }
    Corpus c(device, gotos_cl);
    const int n = 1 + static_cast<int>(conformance::random_below(60));
    check(c, "past", n,
          {[n](int l, int way) {
               const int a = (l + 1) % n;
               return 3 * a + (way % 2 == 1 ? 0 : 6 * ((a + 1) % n));
           },
           [n](int l, int way) { return turned(l, n, way); }});
}
