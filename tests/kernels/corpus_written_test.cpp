// SPDX-License-Identifier: Apache-2.0
// Writes in unusual forms, and nested designated initialisers.
#include "corpus.hpp"
#include "designators.cl.hpp"
#include "volatile.cl.hpp"
#include "written.cl.hpp"

#include <algorithm>
#include <array>
#include <utility>

using namespace kernels;
using conformance::random_below;

namespace {

using Four = std::array<float, 4>;

std::vector<float> written(const float* in) {
    float v[8];
    float w[8];
    std::copy(in, in + 8, v);
    std::copy(in + 8, in + 16, w);
    float t[3] = {v[1], v[2], v[3]};
    Four u = {w[1], w[3], w[5], w[7]};
    v[0] = w[7];
    v[4] = w[2];
    v[6] = w[3];
    const float w0 = w[0];
    v[2] += w[1];
    v[3] += w0;
    v[3] -= 4;
    v[7] *= 3;
    ++v[4];
    w[6] = v[1 + 4];
    w[7] = v[1 + 6];
    // v.even.odd is v.s26. It is assigned to w.s67 and then to w.s45.
    w[6] = v[2];
    w[7] = v[6];
    w[4] = w[6];
    w[5] = w[7];
    w[0] = v[7];
    w[1] = v[0];
    w[3] *= v[6];
    w[2] *= v[7];
    w[4] = v[5];
    std::swap(w[0], w[7]);
    std::swap(v[0], w[5]);
    std::swap(v[2], w[7]);
    t[2] += 2;
    t[0] -= 1.5F;
    t[1] -= 1.5F;
    const Four before = u;
    u[0] = before[3];
    u[1] = before[1];
    --u[1];
    float p[2] = {u[0], u[1]};
    p[0] += 1;
    p[1] = p[0];
    std::vector<float> out(v, v + 8);
    out.insert(out.end(), w, w + 8);
    out.insert(out.end(), t, t + 3);
    Four b = u;
    float at[2] = {p[0], p[1]};
    b[0] = p[0];
    b[3] = p[1];
    b[1] = 7;
    at[1] = b[2];
    at[0] = b[3];
    out.push_back(at[0] - at[1]);
    out.insert(out.end(), u.begin(), u.end());
    out.insert(out.end(), p, p + 2);
    out.insert(out.end(), b.begin(), b.end());
    u[1] = at[0];
    u[0] = at[1];
    u[2] = 9;
    u[2] += 2;
    b[1] = u[1];
    b[0] = u[0];
    ++w[5];
    u[1] -= w[5];
    p[0] += 1000;
    ++p[1];
    out.push_back(u[0] + u[2] + b[0] + p[0]);
    out.push_back(u[1] + u[3] + b[1] + p[1]);
    return out;
}

struct Counts {
    int count;
    int table[4];
};

struct Spot {
    int x = 0;
    int y = 0;
};

struct Node {
    int head = 0;
    Spot at, to[2];
    int grid[2][3] = {};
    int kind = 0;
    Spot end;
    int first_weight = 0;
    int last_weight = 0;

    int sum() const {
        return head + 3 * at.x + 5 * at.y + 7 * to[0].x + 11 * to[0].y + 13 * to[1].x + 17 * to[1].y +
               19 * grid[0][0] + 23 * grid[0][1] + 29 * grid[0][2] + 31 * grid[1][0] + 37 * grid[1][1] +
               41 * grid[1][2] + 43 * kind + 47 * end.x + 53 * end.y + 59 * first_weight + 61 * last_weight;
    }
};

void designated(int v, std::vector<int>& out) {
    const Spot s{2 * v, v};
    Node a;
    a.at = {v + 1, v};
    a.to[1].x = 2;
    a.grid[1][2] = v;
    a.grid[1][0] = 3;
    a.end.y = 4 * v;
    a.first_weight = 1;
    a.last_weight = v;
    Node b;
    b.head = v;
    b.to[1] = s;
    b.to[0].y = 4;
    b.grid[0][2] = v;
    b.grid[0][0] = 1;
    b.grid[1][0] = 1;
    b.grid[1][1] = v;
    b.grid[1][2] = 3;
    b.at = s;
    Node c[3];
    c[2].kind = 'c';
    c[2].end.x = v;
    c[0].head = 1;
    c[0].at = {2, v};
    c[1].to[0] = s;
    c[1].head = v;
    Node d;
    d.at.x = v;
    d.kind = 2;
    d.to[0].y = v;
    const int shifted = 2 * v | 1;
    for (const int value :
         {a.sum(), b.sum(), c[0].sum(), c[1].sum(), c[2].sum(), d.sum(), 5 + 2 * v + 3 * v + 11 * 4,
          2 * shifted + 3 * v + 5, 0x3fc00000, 3 + 3 * v + 7, v + 18 + 30 + 7, 7, 4 + 10 + 18 + 35 + 11,
          4 + 2 * v + 3, 1 + 4 + 20 + 33, s.x + 3 * s.y}) {
        out.push_back(value);
    }
}

} // namespace

KERNEL_TEST("corpus: swizzles of swizzles, and what is written behind parentheses") {
    Corpus c(device, written_cl);
    const std::size_t n = 45;
    const auto in = integers_below<float>(16 * n, 60);
    std::vector<float> wanted;
    for (std::size_t i = 0; i < n; ++i) {
        const std::vector<float> one = written(&in[16 * i]);
        wanted.insert(wanted.end(), one.begin(), one.end());
    }
    auto din = c.in(in);
    auto out = c.out<float>(32 * n);
    c.run("halves", {5, 9}, din, out);
    check_equal(c.read(out), wanted);
}

KERNEL_TEST(
    "corpus: what looks the same for all work-items, and is written behind parentheses or by its address") {
    Corpus c(device, written_cl);
    const int local = 6;
    const Counts all{3, {static_cast<int>(random_below(99)), 20, 30, static_cast<int>(random_below(99))}};
    const int one = static_cast<int>(random_below(1000));
    std::vector<int> wanted;
    for (int i = 0; i < 3 * local; ++i) {
        const int lid = i % local;
        const auto other = [&](int l) { return one + l + local + 1 - l; };
        int mine[4];
        std::copy(all.table, all.table + 4, mine);
        mine[lid & 3] = lid;
        const bool swapped = (lid & 1) != 0;
        for (const int value :
             {one + lid, local + 1 - lid, mine[0] + 10 * mine[1], mine[2] + 10 * mine[3], all.table[1] + lid,
              swapped ? 8 : 5, swapped ? 5 : 8, other((lid + 1) % local)}) {
            wanted.push_back(value);
        }
    }
    auto out = c.out<int>(wanted.size());
    c.run("kept", {3, local}, out, all, ferry::local<int>(local), one);
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: each work-item has its own copy of a struct that is given by value") {
    if (conformance::matches(device, "Portable")) {
        MESSAGE(device.id(),
                " gives the work-items of a group one copy of it, and what one writes the others read");
        return;
    }
    Corpus c(device, written_cl);
    const int local = 7;
    const Counts all{1, {static_cast<int>(random_below(99)), 2, static_cast<int>(random_below(99)), 4}};
    std::vector<int> wanted;
    for (int i = 0; i < 2 * local; ++i) {
        const int lid = i % local;
        int sum = 1000;
        for (int k = 0; k < 4; ++k) {
            wanted.push_back(lid + k);
            sum += k != (lid & 3) ? all.table[k] : 0;
        }
        wanted.push_back(sum);
    }
    auto out = c.out<int>(wanted.size());
    c.run("given", {2, local}, out, all, all);
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: designated initialisers within one another, of arrays, structs and unions") {
    Corpus c(device, designators_cl);
    const auto in = integers_below<int>(28, 500);
    std::vector<int> wanted;
    for (const int v : in) {
        designated(v, wanted);
    }
    auto din = c.in(in);
    auto out = c.out<int>(wanted.size());
    c.run("designators", {4, 7}, din, out);
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: volatile vectors") {
    Corpus c(device, volatile_cl);
    const std::size_t local = 5;
    const std::size_t n = 7 * local;
    const auto in = integers_below<float>(4 * n, 50);
    const auto pairs = integers_below<int>(2 * n, 1000);
    std::vector<Four> kept(n);
    std::vector<Four> sum(n);
    for (std::size_t i = 0; i < n; ++i) {
        const float* v = &in[4 * i];
        kept[i] = {2 * v[0], 2 + v[1], 2 * v[2], 2 * v[3]};
        for (std::size_t k = 0; k < 4; ++k) {
            sum[i][k] = kept[i][k] * v[3 - k] + static_cast<float>(k + 1);
        }
    }
    std::vector<float> wanted;
    std::vector<int> turned;
    for (std::size_t i = 0; i < n; ++i) {
        const Four& next = sum[i - i % local + (i + 1) % local];
        const Four& mine = sum[i];
        const Four v = {next[2], next[3], kept[i][2], kept[i][3]};
        const Four late = {v[1], kept[i][1], kept[i][2], v[2]};
        const float* x = &in[4 * i];
        for (const Four& four :
             {late, Four{v[0] + mine[2], v[1] + mine[2], v[2] + mine[0], v[3] + mine[1]},
              Four{3, 3, kept[i][0], kept[i][1]},
              Four{2 * x[0] + mine[1], 2 * x[1] + mine[3], 2 * x[2] + late[0], 2 * x[3] + late[1]}}) {
            wanted.insert(wanted.end(), four.begin(), four.end());
        }
        const int* p = &pairs[2 * i];
        turned.push_back(p[1] + 3 * p[0] + 1);
        turned.push_back(p[0] + 3 * p[1] - 1);
    }
    auto din = c.in(in);
    auto dp = c.in(pairs);
    auto out = c.out<float>(16 * n);
    c.run("volatile_vectors", {n / local, local}, din, dp, out, ferry::local<float>(4 * local));
    check_equal(c.read(out), wanted);
    check_equal(c.read(dp), turned, "pairs");
}
