// SPDX-License-Identifier: Apache-2.0
#include "multiplier.hpp"
#include "sample.hpp"

#include <algorithm>
#include <cmath>

namespace {

struct Options {
    // 0: a default for the device
    Tuning tuning{.mwg = 0, .nwg = 0, .kwg = 0, .mdimc = 0, .ndimc = 0, .vw = 0};
    std::size_t runs = 3;
};

Tuning chosen(const ferry::Device& device, const Tuning& wanted) {
    Tuning tuning = Tuning::of(device);
    const auto take = [](std::size_t& value, std::size_t given) { value = given != 0 ? given : value; };
    take(tuning.mwg, wanted.mwg);
    take(tuning.nwg, wanted.nwg);
    take(tuning.kwg, wanted.kwg);
    take(tuning.mdimc, wanted.mdimc);
    take(tuning.ndimc, wanted.ndimc);
    take(tuning.vw, wanted.vw);
    tuning.check();
    return tuning;
}

Matrix random_matrix(std::size_t rows, std::size_t columns, std::mt19937& random) {
    std::uniform_real_distribution<float> value{-1, 1};
    Matrix matrix{.rows = rows, .columns = columns};
    std::generate(matrix.values.begin(), matrix.values.end(), [&] { return value(random); });
    return matrix;
}

struct Product {
    const Matrix& a;
    const Matrix& b;
    const Matrix& c;
    float alpha;
    float beta;

    // One element in double precision. Stores the sum of the terms' absolute values in `sizes`.
    double element(std::size_t row, std::size_t column, double& sizes) const {
        double sum = double{beta} * c.at(row, column);
        sizes = std::abs(sum);
        for (std::size_t i = 0; i < a.columns; ++i) {
            const double term = double{alpha} * a.at(row, i) * b.at(column, i);
            sum += term;
            sizes += std::abs(term);
        }
        return sum;
    }
};

// Checks random elements, for any order of summation. Each of about k roundings may cost half a unit in the
// last place. No partial sum is larger than the sum of the absolute values of all terms.
void check(const Product& product, const Matrix& result, std::mt19937& random) {
    const double rounding = std::numeric_limits<float>::epsilon() / 2;
    const std::size_t count = std::min<std::size_t>(result.values.size(), 1 << 15);
    for (std::size_t n = 0; n < count; ++n) {
        const std::size_t row = random() % result.rows;
        const std::size_t column = random() % result.columns;
        double sizes = 0;
        const double expected = product.element(row, column, sizes);
        const double allowed = sizes * rounding * static_cast<double>(product.a.columns + 4);
        if (!(std::abs(result.at(row, column) - expected) <= allowed)) {
            throw sample::Failure(fmt::format("row {}, column {} is {}, expected {} +- {}", row, column,
                                              result.at(row, column), expected, allowed));
        }
    }
}

void gemm(sample::Session& session, const Options& options) {
    const std::size_t size = session.size;
    const Tuning tuning = chosen(session.device, options.tuning);
    const Matrix a = random_matrix(size, size, session.random);
    const Matrix b = random_matrix(size, size, session.random);
    const Matrix c = random_matrix(size, size, session.random);
    const Product product{a, b, c, 1.5f, -0.5f};

    Multiplier multiplier{session.device, tuning, a, b};
    session.say("shape {}", fmt::join(tuning.defines(), " "));
    double seconds = 0;
    Matrix result = multiplier.multiply(product.alpha, product.beta, c, seconds);
    for (std::size_t run = 0; run < options.runs; ++run) {
        double one = 0;
        result = multiplier.multiply(product.alpha, product.beta, c, one);
        seconds = std::min(seconds, one);
    }
    const double edge = static_cast<double>(size);
    const double rate = 2 * edge * edge * edge / seconds / 1e9;
    session.say("{} x {} x {}: {:.2f} ms, {:.1f} GFLOP/s, the best of {} runs", size, size, size,
                1e3 * seconds, rate, options.runs + 1);
    session.measured("gflop_s", rate);
    check(product, result, session.random);
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    sample::App app{"11_gemm", "Multiplies matrices with a kernel that is shaped when it is compiled", 500,
                    "rows and columns"};
    app.option("--mwg", options.tuning.mwg, "Rows of the result that a work-group computes; 0: chosen");
    app.option("--nwg", options.tuning.nwg, "Columns of the result that a work-group computes; 0: chosen");
    app.option("--kwg", options.tuning.kwg, "Columns of the factors in local memory; 0: chosen");
    app.option("--mdimc", options.tuning.mdimc, "Work-items of a group, by rows; 0: chosen");
    app.option("--ndimc", options.tuning.ndimc, "Work-items of a group, by columns; 0: chosen");
    app.option("--vw", options.tuning.vw, "Width of the vectors: 1, 2, 4 or 8; 0: chosen");
    app.option("--runs", options.runs, "How many more runs than one");
    return app.run(argc, argv, [&](sample::Session& session) { gemm(session, options); });
}
