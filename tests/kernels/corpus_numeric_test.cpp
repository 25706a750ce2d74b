// SPDX-License-Identifier: Apache-2.0
#include "corpus.hpp"
#include "gemm.cl.hpp"
#include "mathematics.cl.hpp"
#include "matmul.cl.hpp"
#include "pairs.cl.hpp"
#include "remainders.cl.hpp"
#include "saxpy.cl.hpp"
#include "stencil.cl.hpp"

#include <algorithm>

using namespace kernels;
using conformance::random_below;
using ferry::Grid;

KERNEL_TEST("corpus: saxpy") {
    Corpus c(device, saxpy_cl);
    for (const std::size_t n : {1U, 77U, 5003U}) {
        const auto x = floats_between(n, -1, 1);
        const auto y = floats_between(n, -1, 1);
        auto dx = c.in(x);
        auto dy = c.in(y);
        c.run("saxpy", Grid::covering(n, 33), 2.5F, dx, dy, static_cast<std::uint32_t>(n));
        std::vector<float> wanted(n);
        std::transform(x.begin(), x.end(), y.begin(), wanted.begin(),
                       [](float a, float b) { return 2.5F * a + b; });
        check_near(c.read(dy), wanted, 1e-6, 1e-6);
    }
    // For numbers that need no rounding, every device gives the same bits.
    const std::size_t n = 1 + random_below(5000);
    const auto x = integers_below<float>(n, 1U << 20);
    auto wanted = integers_below<float>(n, 1U << 20);
    auto dx = c.in(x);
    auto dy = c.in(wanted);
    std::transform(x.begin(), x.end(), wanted.begin(), wanted.begin(),
                   [](float a, float b) { return 2.5F * a + b; });
    c.run("saxpy", Grid::covering(n, 33), 2.5F, dx, dy, static_cast<std::uint32_t>(n));
    check_equal(c.read(dy), wanted);
}

KERNEL_TEST("corpus: matmul in tiles of local memory") {
    Corpus c(device, matmul_cl);
    const std::size_t rows = 1 + random_below(60);
    const std::size_t inner = 1 + random_below(60);
    const std::size_t columns = 1 + random_below(60);
    const auto a = integers_below<float>(rows * inner, 256);
    const auto b = integers_below<float>(inner * columns, 256);
    std::vector<float> wanted(rows * columns);
    for (std::size_t i = 0; i < rows * columns; ++i) {
        for (std::size_t k = 0; k < inner; ++k) {
            wanted[i] += a[i / columns * inner + k] * b[k * columns + i % columns];
        }
    }
    auto da = c.in(a);
    auto db = c.in(b);
    auto out = c.out<float>(rows * columns);
    c.run("matmul", Grid::covering({columns, rows}, {8, 8}), da, db, out, static_cast<int>(rows),
          static_cast<int>(inner), static_cast<int>(columns));
    check_equal(c.read(out), wanted);
}

KERNEL_TEST("corpus: stencil in three dimensions") {
    Corpus c(device, stencil_cl);
    const int nx = 1 + static_cast<int>(random_below(20));
    const int ny = 1 + static_cast<int>(random_below(20));
    const int nz = 1 + static_cast<int>(random_below(20));
    const auto size = static_cast<std::size_t>(nx * ny * nz);
    const auto in = integers_below<int>(size, 1U << 20);
    const auto at = [&](int x, int y, int z) {
        return in[static_cast<std::size_t>((std::clamp(z, 0, nz - 1) * ny + std::clamp(y, 0, ny - 1)) * nx +
                                           std::clamp(x, 0, nx - 1))];
    };
    std::vector<int> wanted;
    for (int i = 0; i < nx * ny * nz; ++i) {
        const int x = i % nx;
        const int y = i / nx % ny;
        const int z = i / nx / ny;
        wanted.push_back(at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) +
                         at(x, y, z - 1) + at(x, y, z + 1) - 6 * at(x, y, z));
    }
    auto din = c.in(in);
    auto out = c.out<int>(size);
    c.run("stencil",
          Grid::covering(
              {static_cast<std::size_t>(nx), static_cast<std::size_t>(ny), static_cast<std::size_t>(nz)},
              {5, 3, 2}),
          din, out, nx, ny, nz);
    check_equal(c.read(out), wanted);
}

template <class Real>
static void check_gemm(const ferry::Device& device, const char* precision) {
    Corpus c(device, gemm_cl, {.defines = {precision}});
    const auto m = static_cast<int>(1 + random_below(50));
    const auto n = static_cast<int>(1 + random_below(50));
    const auto k = static_cast<int>(1 + random_below(20));
    const auto size = [](int a, int b) { return static_cast<std::size_t>(a * b); };
    const auto a = integers_below<Real>(size(m, k), 64);
    const auto b = integers_below<Real>(size(k, n), 64);
    auto wanted = integers_below<Real>(size(m, n), 64);
    auto da = c.in(a);
    auto db = c.in(b);
    auto dc = c.in(wanted);
    for (int y = 0; y < n; ++y) {
        for (int x = 0; x < m; ++x) {
            Real sum = 0;
            for (int i = 0; i < k; ++i) {
                sum += a[static_cast<std::size_t>(i * m + x)] * b[static_cast<std::size_t>(y * k + i)];
            }
            Real& to = wanted[static_cast<std::size_t>(y * m + x)];
            to = 3 * sum + 2 * to;
        }
    }
    c.run("gemm", {{static_cast<std::size_t>(m + 15) / 16, static_cast<std::size_t>(n + 7) / 8}, {8, 8}}, m,
          n, k, Real{3}, Real{2}, da, db, dc);
    check_equal(c.read(dc), wanted);
}
KERNEL_TEST("corpus: matrix product from macros, one text for two types") {
    check_gemm<float>(device, "PRECISION=32");
    check_gemm<int>(device, "PRECISION=1");
}

KERNEL_TEST("corpus: forces between pairs") {
    Corpus c(device, pairs_cl);
    const int count = 101;
    const int each = 9;
    const int types = 2;
    const auto positions = floats_between(4 * count, 0, 4);
    std::vector<float> x = positions;
    for (std::size_t i = 0; i < count; ++i) {
        x[4 * i + 3] = static_cast<float>(i % types);
    }
    auto neighbours = integers_below<int>(each * count, count);
    const std::vector<float> lj{1, 2, 4, 0, 2, 1, 6, 0, 2, 1, 6, 0, 3, 2, 5, 0};
    std::vector<float> energies;
    std::vector<double> wanted(4 * count);
    std::vector<double> sizes(4 * count); // sums of absolute values, which limit the error of each sum
    for (std::size_t i = 0; i < count; ++i) {
        double energy = 0;
        for (std::size_t k = 0; k < each; ++k) {
            const auto j = static_cast<std::size_t>(neighbours[k * count + i]);
            double rsq = 0;
            double difference[3] = {};
            for (std::size_t d = 0; d < 3; ++d) {
                difference[d] = static_cast<double>(x[4 * i + d]) - static_cast<double>(x[4 * j + d]);
                rsq += difference[d] * difference[d];
            }
            const float* p = &lj[4 * (i % types * types + j % types)];
            if (std::fabs(rsq - static_cast<double>(p[2])) < 1e-4) { // rounding decides whether it counts
                neighbours[k * count + i] = static_cast<int>(i);
                continue;
            }
            if (rsq < static_cast<double>(p[2]) && j != i) {
                const double r6 = 1 / (rsq * rsq * rsq);
                const double attraction = static_cast<double>(p[1]);
                const double repulsion = static_cast<double>(p[0]) * r6;
                energy += r6 * (repulsion - attraction);
                for (std::size_t d = 0; d < 3; ++d) {
                    wanted[4 * i + d] += difference[d] / rsq * r6 * (repulsion - attraction);
                    sizes[4 * i + d] += std::fabs(difference[d]) / rsq * r6 * (repulsion + attraction);
                }
            }
        }
        energies.push_back(static_cast<float>(energy));
    }
    auto dx = c.in(x);
    auto dn = c.in(neighbours);
    auto dl = c.in(lj);
    auto forces = c.out<float>(4 * count);
    auto en = c.out<float>(count);
    c.run("pair_force", Grid::covering(count, 16), dx, dn, dl, forces, en, count, each, types);
    check_near(c.read(en), energies, 2e-4, 1e-3);
    const auto seen = c.read(forces);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        INFO("component ", i % 4, " of the force on ", i / 4);
        CHECK(std::fabs(static_cast<double>(seen[i]) - wanted[i]) <= 1e-4 * sizes[i] + 1e-3);
    }
}

template <class Real>
static void check_mathematics(const ferry::Device& device, double limit) {
    ferry::BuildOptions options;
    if (sizeof(Real) == 8) {
        options.defines = {"WITH_DOUBLE"};
    }
    Corpus c(device, mathematics_cl, options);
    std::vector<Real> x;
    for (const float value : floats_between(100, 0.1, 1)) {
        x.push_back(static_cast<Real>(value));
    }
    auto in = c.in(x);
    auto out = c.out<Real>(12 * x.size());
    c.run("mathematics", Grid::covering(x.size(), 32), in, out, static_cast<std::uint32_t>(x.size()));
    check_near(c.read(out), std::vector<Real>(12 * x.size(), 1), limit);
}
KERNEL_TEST("corpus: mathematics") {
    check_mathematics<float>(device, 1e-5);
    if (device.info().fp64) {
        check_mathematics<double>(device, 1e-13);
    }
}

// glibc 2.36 sometimes gives -0 for a positive number if the divisor is tiny.
KERNEL_TEST("corpus: a remainder that is zero has the dividend's sign") {
    if (!device.info().fp64) {
        return;
    }
    Corpus c(device, remainders_cl);
    const double divisor = 0x1p-1022;
    std::vector<double> x{0x1.e8b970851b3d3p-844, -0x1.e8b970851b3d3p-844};
    while (x.size() < 500) {
        // All are multiples of the divisor, because they are larger by this factor.
        const int exponent = static_cast<int>(random_below(1900)) - 960;
        const double sign = random_below(2) == 0 ? 1 : -1;
        x.push_back(sign * std::ldexp(1 + static_cast<double>(random_below(1U << 20)) * 0x1p-20, exponent));
    }
    auto in = c.in(x);
    auto out = c.out<double>(3 * x.size());
    c.run("remainders", {x.size(), 1}, in, divisor, out);
    const std::vector<double> seen = c.read(out);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        INFO("remainder ", i % 3, " of ", x[i / 3]);
        CHECK(seen[i] == 0);
        CHECK(std::signbit(seen[i]) == std::signbit(x[i / 3]));
    }
}
