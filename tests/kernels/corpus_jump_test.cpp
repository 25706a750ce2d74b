// SPDX-License-Identifier: Apache-2.0
#include "corpus.hpp"
#include "far_jumps.cl.hpp"
#include "jumps.cl.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace {

using kernels::check_equal;
using kernels::Corpus;
using kernels::far_jumps_cl;
using kernels::jumps_cl;

int early(int l, int n, int way) {
    const auto next = [&](int i) { return (l + 1) % n + i; };
    if (way == 0) {
        return -1;
    }
    int sum = 0;
    for (int i = 0; i < 5; i++) {
        sum += next(i);
        if (i == way) {
            return sum;
        }
        if (way == 4 && i == 3) {
            break;
        }
    }
    return way > 7 ? way : (l % 2 != 0 ? 1000 : 2000) + sum;
}

int switched(int l, int n, int way) {
    const int next = (l + 1) % n;
    switch (way) {
    case 0:
        return l + 100;
    case 1:
        return 10 * next + 1 + 3 + 2;
    case 2:
        return 10 * next;
    case 3:
        return l + 3 + 2;
    default:
        return l % 2 == 0 ? l : -l;
    }
}

int stored(int l, int n, int way) {
    const int next = (l + 1) % n;
    return way < 2 ? 0 : next == 0 ? 5 : next + 6;
}

int uneven(int l, int n) {
    return l % 3 == 0 ? 7 : 10 * (l % 3) + n - 1 - l;
}

int chosen(int l, int n, int way, int row) {
    const int b = way > 2 ? 1 : 0;
    const int d = way < 3 ? way : 3;
    switch (row) {
    case 0:
        return way > 1 ? (l + 1) % n : -l;
    case 1:
        return b;
    case 2:
        return (way == 0 || 2 * way < 5 ? 1 : 0) + 10 * (way != 1 ? b : (l + 1) % n + 1);
    default:
        return way % 2 != 0 ? way + ((l + 1) % n == 0 ? 0 : 1) + d : d + 50;
    }
}

int jumped(int l, int n, int way) {
    const auto own = [](int item) {
        int a = 0;
        do {
            a += item % 4 + 1;
        } while (a < 9);
        return (item % 2 == 0 ? a : -a) + 1;
    };
    return way > 2 ? own(l) : own((l + 1) % n);
}

int looped(int l, int n, int turns) {
    int sum = 0;
    do {
        sum += (l + 1) % n + turns;
        if (turns > 5) {
            return sum;
        }
    } while (--turns > 0);
    return sum + 1000;
}

int left(int l, int n, int way) {
    int sum = looped(l, n, way) + 3 * looped(l, n, 2);
    if (way < 3) {
        return sum + way * (way + 1) / 2;
    }
    // Two turns are repeated after two of three rounds.
    return sum + (2 + 2 + 3) * 3 + 7000;
}

int repeated(int l, int way) {
    const int first = way < 3 ? 0 : 2;
    int sum = l;
    for (int turn = first; turn < 4; ++turn) {
        sum += turn + (l % 2 != 0 ? 100 : 0);
    }
    return sum + 3;
}

int dead(int l, int n, int way) {
    const auto own = [&](int item) {
        return (way % 3 == 0 ? 1 : way % 3 == 1 ? 10 : 100) + (item % 4 == 3 ? 1000 : 0);
    };
    return own((l + 1) % n);
}

/// Runs kernels with groups of `n` work-items, and compares each row of their results.
class Check {
public:
    using Row = std::function<int(int l, int way)>;

    Check(const ferry::Device& device, std::string_view text, int n) : corpus_(device, text), n_(n) {}

    void operator()(const char* kernel, const std::vector<Row>& rows) {
        constexpr int groups = 11;
        const auto items = static_cast<std::size_t>(n_);
        auto out = corpus_.out<int>(rows.size() * items * groups);
        corpus_.run(kernel, {groups, items}, out, ferry::local<int>(items));
        std::vector<int> wanted;
        for (const Row& row : rows) {
            for (int i = 0; i < n_ * groups; ++i) {
                wanted.push_back(row(i % n_, i / n_));
            }
        }
        check_equal(corpus_.read(out), wanted, kernel);
    }

private:
    Corpus corpus_;
    int n_;
};

} // namespace

KERNEL_TEST("corpus: switches, early returns, choices and gotos around barriers") {
    if (conformance::matches(device, "Portable")) {
        MESSAGE(device.id(), ": not run, PoCL 3.1 ends the process or mixes up results");
        return;
    }
    const int n = 1 + static_cast<int>(conformance::random_below(40));
    Check check(device, jumps_cl, n);
    check("switches", {[&](int l, int way) { return switched(l, n, way); },
                       [](int, int) { return 2 + 3 * 100 + 10 + 4 * 1000; }});
    check("functions_that_return",
          {[&](int l, int way) { return early(l, n, way); },
           [&](int l, int) { return early(l, n, 1) + early(l, n, 2) + early(l, n, 3) + 27; },
           [&](int l, int way) { return stored(l, n, way); }, [&](int l, int) { return uneven(l, n); }});
    if (!conformance::matches(device, "llvmpipe")) { // Some work-items write nothing (Mesa 22.3).
        check("choices", {[&](int l, int way) { return chosen(l, n, way, 0); },
                          [&](int l, int way) { return chosen(l, n, way, 1); },
                          [&](int l, int way) { return chosen(l, n, way, 2); },
                          [&](int l, int way) { return chosen(l, n, way, 3); }});
    }
    check("gotos", {[&](int l, int way) { return jumped(l, n, way); }});
}

KERNEL_TEST("corpus: gotos past barriers and labels in dead branches") {
    using ferry::Backend;
    const Backend backend = device.backend();
    if (backend != Backend::host && backend != Backend::cuda && backend != Backend::hip) {
        MESSAGE(device.id(), ": not run, drivers differ in jumps around barriers");
        return;
    }
    const int n = 1 + static_cast<int>(conformance::random_below(40));
    Check check(device, far_jumps_cl, n);
    check("far_gotos", {[&](int l, int way) { return left(l, n, way); },
                        [&](int l, int way) { return repeated(l, way); }});
    check("dead_branches", {[&](int l, int way) { return dead(l, n, way); },
                            [&](int l, int) { return (l + 1) % n % 2 != 0 ? 9 : 5; }});
    if (conformance::matches(device, "Emulated AMD GPU")) {
        MESSAGE(device.id(), ": near_and_far not run, work-items miss its barriers there");
        return;
    }
    const auto passed = [&](int l, int turn) {
        const int at = (l + 1) % n;
        return at + turn + (at == 0 ? 3 : 1);
    };
    check("near_and_far", {[&](int l, int way) {
                               int a = 0;
                               for (int turn = 0; turn <= way; ++turn) {
                                   a = 3 * a + passed(l, turn);
                               }
                               return a;
                           },
                           [&](int l, int way) { return way == 1 ? 1 : passed(l, 0) + (l == 0 ? 3 : 1); }});
}
