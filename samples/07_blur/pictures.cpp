// SPDX-License-Identifier: Apache-2.0
#include "pictures.hpp"

#include "../08_mandelbrot/renderer.hpp"
#include "image.hpp"

#include <set>

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> render_pictures(sample::Session& session, std::size_t count) {
    Renderer renderer{session.device};
    std::uniform_real_distribution<double> offset{-0.002, 0.002};
    std::vector<fs::path> files;
    double span = 0.02;
    for (std::size_t i = 0; i < count; ++i, span *= 0.85) {
        const Frame frame = Frame::around(-0.7436 + offset(session.random), 0.1318 + offset(session.random),
                                          span, session.size, session.size * 3 / 4 + 1, 200);
        const sample::Image image = Renderer::coloured(frame, renderer.steps(frame));
        files.push_back(session.output_file(fmt::format("input/mandelbrot_{:03}.png", i)));
        sample::write_png(files.back(), image.width, image.height, image.pixels);
    }
    session.say("rendered {} pictures into {}", count, files.front().parent_path().string());
    return files;
}

} // namespace

std::vector<Job> find_jobs(sample::Session& session, const std::vector<std::string>& paths,
                           std::size_t count) {
    const std::vector<fs::path> files =
        paths.empty() ? render_pictures(session, count) : sample::find_images(paths);
    std::set<std::string> taken;
    std::vector<Job> jobs;
    for (const fs::path& file : files) {
        std::string name = file.stem().string();
        for (int again = 2; !taken.insert(name).second; ++again) { // another folder has a file of that name
            name = fmt::format("{}_{}", file.stem().string(), again);
        }
        jobs.push_back(
            {file, session.output_file(name + ".blur.png"), session.output_file(name + ".edges.png")});
    }
    return jobs;
}
