// SPDX-License-Identifier: Apache-2.0
#include "fft.cl.hpp"
#include "fft.hpp"
#include "sample.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace {

std::vector<Complex> random_signals(std::size_t count, std::mt19937& random) {
    std::uniform_real_distribution<float> value{-1, 1};
    std::vector<Complex> signals(count);
    std::generate(signals.begin(), signals.end(), [&] { return Complex(value(random), value(random)); });
    return signals;
}

/// Shifts, transforms, removes the high frequencies and transforms back, in double precision.
void check(const std::vector<Complex>& result, const std::vector<Complex>& signals,
           const std::vector<float>& means, std::size_t length, std::size_t cut) {
    std::vector<std::complex<double>> one(length);
    for (std::size_t s = 0; s < means.size(); ++s) {
        double largest = 0;
        for (std::size_t i = 0; i < length; ++i) {
            one[i] = std::complex<double>(signals[s * length + i]) + double{means[s]};
            largest = std::max(largest, std::abs(one[i]));
        }
        transform_plainly<double>(one, Fft::Way::forward);
        for (std::size_t k = 0; k < length; ++k) {
            one[k] = std::min(k, length - k) > cut ? 0 : one[k] / static_cast<double>(length);
        }
        transform_plainly<double>(one, Fft::Way::back);
        // Roundings grow with the logarithm of the length; a library may take its sines from the device.
        const double allowed = 32 * std::numeric_limits<float>::epsilon() * largest *
                               static_cast<double>(std::bit_width(length));
        for (std::size_t i = 0; i < length; ++i) {
            const std::complex<double> seen(result[s * length + i]);
            if (!(std::abs(seen - one[i]) <= allowed)) {
                throw sample::Failure(
                    fmt::format("signal {}, element {} is {} + {} i, expected {} + {} i, +- {}", s, i,
                                seen.real(), seen.imag(), one[i].real(), one[i].imag(), allowed));
            }
        }
    }
}

void smooth(sample::Session& session, const std::vector<std::string>& wanted) {
    const ferry::Device& device = session.device;
    const std::size_t length = std::bit_ceil(std::max<std::size_t>(session.size, 2));
    constexpr std::size_t count = 24;
    const std::size_t cut = length / 8;
    const std::vector<Complex> signals = random_signals(count * length, session.random);
    std::vector<float> means(count);
    std::uniform_real_distribution<float> value{-1, 1};
    std::generate(means.begin(), means.end(), [&] { return value(session.random); });

    const ferry::Program program{device, kernels::fft_cl};
    const ferry::Kernel shift = program.kernel("shift");
    const ferry::Kernel low_pass = program.kernel("low_pass");
    ferry::Queue queue{device};
    ferry::Buffer<float> means_there{device, count};
    // the signals begin after the start of the buffer
    ferry::Buffer<Complex> buffer{device, 5 + count * length};
    const Signals there{buffer.subview(5), length};
    std::vector<std::string> reasons;
    const auto library = find_fft(device, there, wanted.empty() ? "" : wanted.front(), reasons);
    for (const std::string& reason : reasons) {
        session.say("not {}", reason);
    }

    const auto elements = static_cast<std::uint32_t>(count * length);
    const auto line = static_cast<std::uint32_t>(length);
    const ferry::Grid grid =
        ferry::Grid::covering(elements, std::min<std::size_t>(128, device.info().max_group_size));
    queue.copy(signals, there.elements);
    queue.copy(means, means_there);
    double best = 0;
    constexpr int runs = 4;
    for (int run = 0; run < runs; ++run) {
        queue.copy(signals, there.elements);
        queue.finish();
        const sample::Stopwatch watch;
        // A kernel, the library, a kernel and the library, on one queue with nothing in between.
        queue.launch(shift, grid, there.elements, means_there, line, elements);
        library->transform(queue, Fft::Way::forward);
        queue.launch(low_pass, grid, there.elements, line, static_cast<std::uint32_t>(cut), elements);
        library->transform(queue, Fft::Way::back);
        queue.finish();
        best = run == 0 ? watch.ms() : std::min(best, watch.ms());
    }
    check(queue.read(there.elements), signals, means, length, cut);
    session.say("{} signals of {} elements smoothed with {}: {:.2f} ms", count, length, library->name(),
                best);
    session.measured("ms", best);
}

} // namespace

int main(int argc, char** argv) {
    std::vector<std::string> wanted;
    sample::App app{"18_fft", "A library's Fourier transforms among kernels, on Ferry's queue and memory",
                    1024, "elements of a signal; a power of two, or it is rounded up"};
    app.arguments(wanted, "LIBRARY", "vkfft, cufft or plain; what the device has without it");
    return app.run(argc, argv, [&](sample::Session& session) { smooth(session, wanted); });
}
