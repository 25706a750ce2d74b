// SPDX-License-Identifier: Apache-2.0
// Measures launches from several threads and recorded work. Ferry and (on CUDA) the
// driver's own calls take turns in the same run. See docs/bench.md.

#include "commands.hpp"
#include "raw_cuda.hpp"
#include "timing.hpp"

#include <ferry/ferry.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Step = std::function<void()>;

constexpr const char* opencl_text = R"(
__kernel void spin(__global uint* data, uint rounds) {
    uint i = get_global_id(0);
    uint v = data[i];
    for (uint r = 0; r < rounds; ++r) v = (v ^ (v >> 7)) * 1664525u + 1013904223u;
    data[i] = v;
}
)";
// In the vendor's own language, so that the kernel has the same name for the raw calls.
constexpr const char* driver_text = R"(
extern "C" __global__ void spin(unsigned int* data, unsigned int rounds) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int v = data[i];
    for (unsigned int r = 0; r < rounds; ++r) v = (v ^ (v >> 7)) * 1664525u + 1013904223u;
    data[i] = v;
}
)";

std::vector<ferry::Source> sources() {
    return {ferry::Source::cuda(driver_text), ferry::Source::hip(driver_text),
            ferry::Source::opencl_c(opencl_text)};
}

constexpr std::uint32_t items = 64;
constexpr ferry::Grid grid{1, items};
constexpr std::uint32_t short_rounds = 1;

struct Result {
    std::string name;
    double seconds = 0, raw_seconds = 0, ratio = 0;
    double ratio_low = 0, ratio_high = 0; ///< the quartiles of the pairs
    void take(const std::vector<double>& ratios);
};

void Result::take(const std::vector<double>& ratios) {
    ratio = median(ratios);
    ratio_low = quantile(ratios, 0.25);
    ratio_high = quantile(ratios, 0.75);
}

/// The times of one side.
struct Samples {
    std::vector<double> seconds;

    void add(int count, const Step& step) {
        const auto start = Clock::now();
        for (int i = 0; i < count; ++i) {
            step();
        }
        seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count() / count);
    }
};

/// Measures both sides in turn; `raw` may be empty.
Result compare(
    const std::string& name, int samples, int steps, const Step& ferry_step, const Step& raw_step,
    const Step& between = [] {}) {
    Samples ours, raw;
    for (int i = -2; i < samples; ++i) {
        const auto run = [&](Samples& to, const Step& step) {
            if (step) {
                to.add(steps, step);
                between();
            }
        };
        i % 2 == 0 ? (run(ours, ferry_step), run(raw, raw_step))
                   : (run(raw, raw_step), run(ours, ferry_step));
        if (i < 0) {
            ours = raw = Samples();
        }
    }
    Result result;
    result.name = name;
    result.seconds = median(ours.seconds);
    if (raw_step) {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < ours.seconds.size(); ++i) {
            ratios.push_back(ours.seconds[i] / raw.seconds[i]);
        }
        result.raw_seconds = median(raw.seconds);
        result.take(ratios);
    }
    return result;
}

/// A queue of each side with its own memory.
struct Lane {
    Lane(const ferry::Device& device, const bench::RawCuda* raw) : queue(device), data(device, items) {
        queue.fill(data, 1U);
        queue.finish();
        if (raw != nullptr) {
            raw->enter();
            stream = raw->stream();
            memory = raw->memory(items * sizeof(std::uint32_t));
        }
    }
    void launch(const ferry::Kernel& kernel, std::uint32_t rounds) {
        queue.launch(kernel, grid, data, rounds);
    }
    void raw_launch(const bench::RawCuda& raw, void* function, std::uint32_t rounds) {
        bench::RawCuda::Pointer pointer = memory;
        void* arguments[] = {&pointer, &rounds};
        raw.launch(function, stream, 1, items, arguments);
    }
    ferry::Queue queue;
    ferry::Buffer<std::uint32_t> data;
    void* stream = nullptr;
    bench::RawCuda::Pointer memory = 0;
};

class Bench {
public:
    Bench(const ferry::Device& device, int samples)
        : device_(device), samples_(samples), program_(device, sources()), kernel_(program_.kernel("spin")) {
        if (device.backend() == ferry::Backend::cuda) {
            raw_.emplace(device.info().index);
            raw_->enter();
            function_ = raw_->function(program_.binary(), "spin");
        }
    }

    void run() {
        threads();
        recordings();
    }
    const std::vector<Result>& results() const { return results_; }

private:
    const bench::RawCuda* raw() const { return raw_ ? &*raw_ : nullptr; }
    Step if_raw(const Step& step) const { return raw_ ? step : Step(); }

    void report(const Result& r) {
        results_.push_back(r);
        std::printf("  %-40s %9.2f us", r.name.c_str(), r.seconds * 1e6);
        if (r.raw_seconds != 0) {
            std::printf("   raw %9.2f us   ratio %.3f (%.3f..%.3f)", r.raw_seconds * 1e6, r.ratio,
                        r.ratio_low, r.ratio_high);
        }
        std::printf("\n");
    }

    /// The slowest thread's time for one launch. All threads launch at once, each on its own queue.
    double together(std::vector<Lane>& lanes, const std::function<void(Lane&)>& launch,
                    const std::function<void(Lane&)>& finish) {
        constexpr int steps = 200;
        std::atomic<std::size_t> ready{0};
        std::vector<double> times(lanes.size());
        std::vector<std::thread> running;
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            running.emplace_back([&, i] {
                if (raw_) {
                    raw_->enter();
                }
                launch(lanes[i]);
                finish(lanes[i]);
                ++ready;
                while (ready != lanes.size()) {
                }
                const auto start = Clock::now();
                for (int k = 0; k < steps; ++k) {
                    launch(lanes[i]);
                }
                times[i] = std::chrono::duration<double>(Clock::now() - start).count() / steps;
                finish(lanes[i]);
            });
        }
        for (std::thread& thread : running) {
            thread.join();
        }
        return *std::max_element(times.begin(), times.end());
    }

    void threads() {
        for (const int count : {1, 2, 4, 8}) {
            std::vector<Lane> lanes;
            lanes.reserve(static_cast<std::size_t>(count));
            for (int i = 0; i < count; ++i) {
                lanes.emplace_back(device_, raw());
            }
            std::vector<double> ours, theirs, ratios;
            for (int sample = 0; sample < std::max(3, samples_ / 4); ++sample) {
                ours.push_back(together(
                    lanes, [&](Lane& lane) { lane.launch(kernel_, short_rounds); },
                    [](Lane& lane) { lane.queue.finish(); }));
                if (raw_) {
                    theirs.push_back(together(
                        lanes, [&](Lane& lane) { lane.raw_launch(*raw_, function_, short_rounds); },
                        [&](Lane& lane) { raw_->synchronize(lane.stream); }));
                    ratios.push_back(ours.back() / theirs.back());
                }
            }
            Result result;
            result.name = "launch.enqueue." + std::to_string(count) + "_threads";
            result.seconds = median(ours);
            if (raw_) {
                result.raw_seconds = median(theirs);
                result.take(ratios);
            }
            report(result);
        }
    }

    void recordings() {
        constexpr int kernels = 100;
        Lane lane(device_, raw());
        ferry::Step first;
        ferry::Recording recording{device_, [&](ferry::Recorder& record) {
                                       for (int i = 0; i < kernels; ++i) {
                                           const ferry::Step step =
                                               record.launch(kernel_, grid, lane.data, short_rounds);
                                           first = i == 0 ? step : first;
                                       }
                                   }};
        std::printf("  %s\n", recording.explain().c_str());
        const auto all = [&] {
            for (int i = 0; i < kernels; ++i) {
                lane.launch(kernel_, short_rounds);
            }
        };
        void* graph = nullptr;
        const auto raw_all = [&] {
            for (int i = 0; i < kernels; ++i) {
                lane.raw_launch(*raw_, function_, short_rounds);
            }
        };
        if (raw_) {
            raw_->enter();
            graph = raw_->graph(lane.stream, raw_all);
        }
        const auto raw_finish = [&] { raw_->synchronize(lane.stream); };
        report(compare(
            "100_kernels.one_by_one", samples_, 1, [&] { all(), lane.queue.finish(); },
            if_raw([&] { raw_all(), raw_finish(); })));
        report(compare(
            "100_kernels.replayed", samples_, 1, [&] { lane.queue.replay(recording), lane.queue.finish(); },
            if_raw([&] { raw_->launch_graph(graph, lane.stream), raw_finish(); })));
        report(compare(
            "100_kernels.replayed_20_times", samples_ / 4 + 1, 1,
            [&] {
                for (int i = 0; i < 20; ++i) {
                    lane.queue.replay(recording);
                }
                lane.queue.finish();
            },
            if_raw([&] {
                for (int i = 0; i < 20; ++i) {
                    raw_->launch_graph(graph, lane.stream);
                }
                raw_finish();
            })));
        report(compare(
            "100_kernels.replayed_with_one_change", samples_, 1,
            [&] {
                recording.set(first, 1, short_rounds);
                lane.queue.replay(recording);
                lane.queue.finish();
            },
            if_raw([&] { raw_->launch_graph(graph, lane.stream), raw_finish(); })));
    }

    ferry::Device device_;
    int samples_;
    ferry::Program program_;
    ferry::Kernel kernel_;
    std::optional<bench::RawCuda> raw_;
    void* function_ = nullptr;
    std::vector<Result> results_;
};

void write_json(const std::string& file, const std::vector<std::pair<std::string, Result>>& results) {
    std::FILE* const out = std::fopen(file.c_str(), "w");
    if (out == nullptr) {
        throw std::runtime_error(file + " cannot be written.");
    }
    std::fprintf(out, "{\"results\": [");
    const char* separator = "\n";
    for (const auto& [device, r] : results) {
        std::fprintf(out, "%s{\"name\": \"%s\", \"device\": \"%s\", \"seconds\": %.9g", separator,
                     r.name.c_str(), device.c_str(), r.seconds);
        if (r.raw_seconds != 0) {
            std::fprintf(out,
                         ", \"raw_seconds\": %.9g, \"ratio_to_raw\": %.4f, \"ratio_quartiles\": [%.4f, %.4f]",
                         r.raw_seconds, r.ratio, r.ratio_low, r.ratio_high);
        }
        std::fprintf(out, "}");
        separator = ",\n";
    }
    std::fprintf(out, "\n]}\n");
    std::fclose(out);
}

} // namespace

int bench::queue(bool quick, const std::string& json) {
    std::vector<std::pair<std::string, Result>> all;
    for (const ferry::Device& device : ferry::devices()) {
        const std::string id =
            std::string(to_string(device.backend())) + ":" + std::to_string(device.info().index);
        std::printf("%s %s\n", id.c_str(), device.info().name.c_str());
        std::optional<Bench> made;
        try {
            made.emplace(device, quick ? 4 : 101);
        } catch (const ferry::Error& error) {
            if (error.code() != ferry::Code::unsupported) {
                throw;
            }
            std::printf("  left out: %s\n", error.what());
            continue;
        }
        made->run();
        for (const Result& result : made->results()) {
            all.emplace_back(id, result);
        }
    }
    if (!json.empty()) {
        write_json(json, all);
    }
    return 0;
}
