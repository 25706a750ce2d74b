// SPDX-License-Identifier: Apache-2.0
#include "filter.hpp"
#include "image.hpp"
#include "pictures.hpp"
#include "progress.hpp"
#include "sample.hpp"
#include "slot.hpp"

#include <algorithm>
#include <deque>
#include <future>

namespace {

struct Options {
    std::vector<std::string> paths;
    std::size_t pictures = 6;
    std::size_t radius = 5;
    std::size_t queues = 2;
};

void encode(const Slot& slot, const Job& job) {
    sample::write_png(job.blurred, slot.width(), slot.height(), slot.blurred());
    sample::write_png(job.edges, slot.width(), slot.height(), slot.edges());
}

// Does all steps one after the other, for comparison with the pipeline.
double run_serially(const Filter& filter, const std::vector<Job>& jobs, sample::Progress& progress) {
    Slot slot{filter};
    slot.start(sample::read_image(jobs.front().in)); // the first launch may compile and allocate
    slot.wait();
    const sample::Stopwatch watch;
    for (const Job& job : jobs) {
        slot.start(sample::read_image(job.in));
        slot.wait();
        encode(slot, job);
        progress.step();
    }
    return watch.seconds();
}

// Does the same with overlap: some pictures are decoded ahead, each slot has one picture on the device, and
// some pictures are being encoded.
double run_pipeline(const Filter& filter, const std::vector<Job>& jobs, std::size_t slot_count,
                    sample::Progress& progress) {
    std::deque<Slot> slots;
    for (std::size_t i = 0; i < slot_count; ++i) {
        slots.emplace_back(filter);
    }
    std::deque<std::future<sample::Image>> decoding;
    std::deque<std::future<void>> encoding;
    const sample::Stopwatch watch;
    std::size_t ahead = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        for (; ahead < std::min(i + slot_count, jobs.size()); ++ahead) {
            decoding.push_back(std::async(std::launch::async,
                                          [&file = jobs[ahead].in] { return sample::read_image(file); }));
        }
        const sample::Image image = decoding.front().get();
        decoding.pop_front();
        if (encoding.size() == slot_count) { // the slot still holds its last picture
            encoding.front().get();
            encoding.pop_front();
        }
        Slot& slot = slots[i % slot_count];
        slot.start(image);
        encoding.push_back(std::async(std::launch::async, [&slot, &job = jobs[i], &progress] {
            slot.wait();
            encode(slot, job);
            progress.step();
        }));
    }
    for (std::future<void>& last : encoding) {
        last.get();
    }
    return watch.seconds();
}

Filtered read_results(const Job& job) {
    Filtered filtered{sample::read_image(job.blurred).pixels, {}};
    for (const sample::Pixel& pixel : sample::read_image(job.edges).pixels) {
        filtered.edges.push_back(pixel.g);
    }
    return filtered;
}

void blur(sample::Session& session, const Options& options) {
    if (options.queues == 0 || options.pictures == 0 || options.radius == 0 || options.radius > 100) {
        throw std::invalid_argument("--queues and --pictures must be at least 1, --radius 1 to 100");
    }
    const std::vector<Job> jobs = find_jobs(session, options.paths, options.pictures);
    const Filter filter{session.device, options.radius};

    double serial = 0;
    double pipelined = 0;
    const std::size_t checked = session.random() % jobs.size();
    Filtered serial_result;
    {
        sample::Progress progress{"pictures", 2 * jobs.size(), session.quiet};
        serial = run_serially(filter, jobs, progress);
        serial_result = read_results(jobs[checked]);
        std::filesystem::remove(jobs[checked].blurred);
        std::filesystem::remove(jobs[checked].edges);
        pipelined = run_pipeline(filter, jobs, options.queues, progress);
    }
    const auto count = static_cast<double>(jobs.size());
    session.say("one after the other  {:7.1f} pictures/s", count / serial);
    session.say("overlapping          {:7.1f} pictures/s with {} queues, {:.2f} times as many",
                count / pipelined, options.queues, serial / pipelined);
    session.say("wrote {} files into {}", 2 * jobs.size(), jobs.front().edges.parent_path().string());
    session.measured("serial_pictures_s", count / serial);
    session.measured("pipeline_pictures_s", count / pipelined);

    const Filtered result = read_results(jobs[checked]);
    const Filtered expected = Filter::reference(sample::read_image(jobs[checked].in), options.radius);
    if (serial_result != expected || result != expected) {
        throw sample::Failure(
            fmt::format("{}: {} is not what the processor makes of it", jobs[checked].in.string(),
                        result != expected ? "the overlapping run's result" : "the serial run's result"));
    }
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    sample::App app{"07_blur", "Blurs pictures and finds their edges, while others are decoded and encoded",
                    400, "pixels across, of the pictures it renders for itself"};
    app.arguments(options.paths, "files", "PNG and JPEG files, and folders of them; none: renders its own");
    app.option("--pictures", options.pictures, "How many pictures to render for itself");
    app.option("--radius", options.radius, "Of the blur, in pixels");
    app.option("--queues", options.queues, "How many pictures are on the device at once");
    return app.run(argc, argv, [&](sample::Session& session) { blur(session, options); });
}
