// SPDX-License-Identifier: Apache-2.0
#include "renderer.hpp"
#include "sample.hpp"

#include <algorithm>

namespace {

struct Options {
    double x = -0.7436;
    double y = 0.1318;
    double span = 0.01;
    std::size_t iterations = 500;
};

void mandelbrot(sample::Session& session, const Options& options) {
    // Moves the point slightly, so that each run renders and checks a different picture.
    std::uniform_real_distribution<double> jitter{-0.05 * options.span, 0.05 * options.span};
    const std::size_t width = session.size;
    const std::size_t height = std::max<std::size_t>(1, width * 3 / 4);
    const Frame frame = Frame::around(options.x + jitter(session.random), options.y + jitter(session.random),
                                      options.span, width, height, options.iterations);

    Renderer renderer{session.device};
    renderer.steps(frame); // the first launch may compile and allocate
    const sample::Stopwatch watch;
    const std::vector<std::uint32_t> steps = renderer.steps(frame);
    const double ms = watch.ms();
    const double rate = static_cast<double>(steps.size()) / ms / 1e3;
    session.say("{} x {} pixels in {:.2f} ms, {:.1f} megapixels/s", width, height, ms, rate);
    session.measured("render_ms", ms);
    session.measured("megapixels_s", rate);

    const sample::Image image = Renderer::coloured(frame, steps);
    const std::filesystem::path file = session.output_file("mandelbrot.png");
    sample::write_png(file, width, height, image.pixels);
    session.say("wrote {}", file.string());

    if (sample::read_image(file).pixels != image.pixels) {
        throw sample::Failure("the file does not hold the picture that was rendered");
    }
    const std::vector<std::uint32_t> expected = Renderer::reference_steps(frame);
    std::size_t different = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        different += steps[i] == expected[i] ? 0u : 1u;
    }
    session.say("{} pixels differ from the processor's", different);
    session.measured("different_pixels", static_cast<double>(different));
    if (different > steps.size() / 1000) { // devices may round denormal numbers differently
        throw sample::Failure(fmt::format(
            "{} of {} pixels differ from the processor's; at most 1 in 1000 may", different, steps.size()));
    }
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    sample::App app{"08_mandelbrot", "Renders a part of the Mandelbrot set into a PNG file", 480,
                    "pixels across"};
    app.option("--x", options.x, "Centre, real part");
    app.option("--y", options.y, "Centre, imaginary part");
    app.option("--span", options.span, "Width of the part, in the plane");
    app.option("--iterations", options.iterations, "Steps after which a point counts as inside");
    return app.run(argc, argv, [&](sample::Session& session) { mandelbrot(session, options); });
}
