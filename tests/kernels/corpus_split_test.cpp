// SPDX-License-Identifier: Apache-2.0
// What the host takes apart at barriers, which must mean the same afterwards.
#include "corpus.hpp"
#include "split_names.cl.hpp"

using namespace kernels;

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
