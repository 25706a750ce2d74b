// SPDX-License-Identifier: Apache-2.0
#include "blas.cl.hpp"
#include "blas.hpp"
#include "sample.hpp"

#include <algorithm>
#include <cmath>

namespace {

std::vector<float> random_floats(std::size_t count, std::mt19937& random) {
    std::uniform_real_distribution<float> value{-1, 1};
    std::vector<float> values(count);
    std::generate(values.begin(), values.end(), [&] { return value(random); });
    return values;
}

/// An m x k matrix times a k x n matrix. All three matrices are in one buffer, at unaligned offsets.
class Layer {
public:
    Layer(sample::Session& session)
        : m(session.size),
          n(session.size + 13),
          k(session.size / 2 + 7),
          a(random_floats(m * k, session.random)),
          b(random_floats(k * n, session.random)),
          weights(random_floats(m, session.random)),
          bias(random_floats(n, session.random)),
          program(session.device, kernels::blas_cl),
          weigh(program.kernel("weigh")),
          activate(program.kernel("activate")),
          group(std::min<std::size_t>(128, session.device.info().max_group_size)),
          buffer(session.device, 3 + m * k + 5 + k * n + 1 + m * n),
          weights_there(session.device, m),
          bias_there(session.device, n),
          a_there{buffer.subview(3, m * k), m, k},
          b_there{buffer.subview(3 + m * k + 5, k * n), k, n},
          c_there{buffer.subview(3 + m * k + 5 + k * n + 1, m * n), m, n} {}

    /// Enqueues a kernel of this program, the library and another kernel on one queue, with nothing in
    /// between.
    void run(ferry::Queue& queue, Blas& blas) {
        queue.copy(a, a_there.elements);
        queue.copy(b, b_there.elements);
        queue.copy(weights, weights_there);
        queue.copy(bias, bias_there);
        queue.launch(weigh, covering(m * k), a_there.elements, weights_there, word(k), word(m * k));
        blas.multiply(queue, a_there, b_there, c_there);
        queue.launch(activate, covering(m * n), c_there.elements, bias_there, word(n), word(m * n));
    }

    void check(const std::vector<float>& result) const {
        const double rounding = std::numeric_limits<float>::epsilon() / 2;
        for (std::size_t i = 0; i < result.size(); ++i) {
            const std::size_t row = i / n;
            const std::size_t column = i % n;
            double sum = 0;
            double sizes = std::abs(double{bias[column]});
            for (std::size_t t = 0; t < k; ++t) {
                const double term = double{a[row * k + t]} * weights[row] * b[t * n + column];
                sum += term;
                sizes += std::abs(term);
            }
            const double expected = std::max(sum + bias[column], 0.0);
            // Allows any order of summation: each of about k roundings costs half a unit in the last place.
            const double allowed = sizes * rounding * static_cast<double>(k + 4);
            if (!(std::abs(result[i] - expected) <= allowed)) {
                throw sample::Failure(fmt::format("row {}, column {} is {}, expected {} +- {}", row, column,
                                                  result[i], expected, allowed));
            }
        }
    }

    std::size_t m, n, k;
    std::vector<float> a, b, weights, bias;
    ferry::Program program;
    ferry::Kernel weigh, activate;
    std::size_t group;
    ferry::Buffer<float> buffer, weights_there, bias_there;
    MatrixView a_there, b_there, c_there;

private:
    static std::uint32_t word(std::size_t value) { return static_cast<std::uint32_t>(value); }
    ferry::Grid covering(std::size_t count) const { return ferry::Grid::covering(count, group); }
};

void blas(sample::Session& session, const std::vector<std::string>& wanted) {
    std::vector<std::string> reasons;
    const auto library = find_blas(session.device, wanted.empty() ? "" : wanted.front(), reasons);
    for (const std::string& reason : reasons) {
        session.say("not {}", reason);
    }
    Layer layer{session};
    ferry::Queue queue{session.device};
    layer.run(queue, *library);
    const std::vector<float> result = queue.read(layer.c_there.elements);
    layer.check(result);

    constexpr int runs = 4;
    std::optional<double> best;
    for (int run = 0; run < runs; ++run) {
        const sample::Stopwatch watch;
        library->multiply(queue, layer.a_there, layer.b_there, layer.c_there);
        queue.finish(); // includes the library's work in the time
        best = std::min(best.value_or(watch.ms()), watch.ms());
    }
    const double rate = 2.0 * static_cast<double>(layer.m * layer.n * layer.k) / (*best * 1e6);
    session.say("{} x {} times {} x {} by {}: {:.2f} ms, {:.1f} GFLOP/s", layer.m, layer.k, layer.k, layer.n,
                library->name(), *best, rate);
    session.measured("gflop_s", rate);
}

} // namespace

int main(int argc, char** argv) {
    std::vector<std::string> wanted;
    sample::App app{"17_blas", "A library's matrix product between two kernels, on Ferry's queue and memory",
                    150, "rows"};
    app.arguments(wanted, "LIBRARY", "clblast, cublas or plain; what the device has without it");
    return app.run(argc, argv, [&](sample::Session& session) { blas(session, wanted); });
}
