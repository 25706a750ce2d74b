// SPDX-License-Identifier: Apache-2.0
// Measures the time and the processor time of waits: Ferry's, and the vendor's own wait, which queries
// without a pause.
#include "commands.hpp"
#include "run.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <limits>
#include <optional>

namespace bench {

namespace {

constexpr std::size_t copy_bytes = std::size_t{16} << 20;
constexpr std::size_t copy_size[] = {copy_bytes};
constexpr double time_limit = 1.01;
constexpr double processor_limit = 0.5;

constexpr Measurement copies[] = {
    {"up.16M", "", Operation::up, Timing::each, Check::uploaded, copy_size},
    {"down.16M", "", Operation::down, Timing::each, Check::downloaded, copy_size},
};
struct Kernel {
    double seconds;
    Measurement what;
};
constexpr Measurement kernel_of(const char* name) {
    return {name, "", Operation::hold, Timing::each, Check::held, {}};
}
constexpr Kernel kernels[] = {
    {1e-4, kernel_of("kernel.0.1ms")}, {3e-4, kernel_of("kernel.0.3ms")}, {1e-3, kernel_of("kernel.1ms")},
    {3e-3, kernel_of("kernel.3ms")},   {5e-3, kernel_of("kernel.5ms")},
};

/// Rounds of the kernel `hold` in a second, without the costs of a launch. Empty if the device does not run
/// as many as it was told: llvmpipe ends a loop after 65535.
std::optional<double> rounds_in_second(Subject& subject) {
    const Entered entered(subject);
    const auto seconds = [&](std::uint32_t rounds) {
        double best = std::numeric_limits<double>::infinity();
        for (int i = 0; i < 5; ++i) {
            const auto start = std::chrono::steady_clock::now();
            subject.run(Operation::hold, 1, rounds, true);
            best = std::min(best,
                            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        return best;
    };
    const double nothing = seconds(1);
    for (std::uint32_t rounds = 1U << 14;; rounds *= 2) {
        const double time = seconds(rounds) - nothing;
        if (time > 2e-2) {
            return rounds / time;
        }
        if (rounds >= 1U << 28) {
            return std::nullopt;
        }
    }
}

void print(const Measurement& what, const Figure& figure) {
    const auto busy = [](const ProcessorTime& used, const Spread& time) { return used.thread / time.median; };
    const double thread = figure.ferry_processor.thread / figure.raw_processor.thread;
    const double process = figure.ferry_processor.process / figure.raw_processor.process;
    const double raw_busy = busy(figure.raw_processor, figure.raw);
    const char* const verdict = raw_busy < 0.5 ? "asleep" : thread <= processor_limit ? "within" : "OVER";
    std::printf("  %-13s %10s %10s   %.4f (%.4f..%.4f) %-6s   %5.1f %% %5.1f %%   %.3f %-6s   %.3f\n",
                std::string(what.name).c_str(), duration_text(figure.raw.median).c_str(),
                duration_text(figure.ferry.median).c_str(), figure.ratio.median, figure.ratio.low,
                figure.ratio.high, figure.ratio.median <= time_limit ? "within" : "OVER", 100 * raw_busy,
                100 * busy(figure.ferry_processor, figure.ferry), thread, verdict, process);
    std::fflush(stdout);
}

void measure_device(const ferry::Device& device, bool quick) {
    const Sides sides = make_sides(device, copy_bytes, false);
    if (!sides.raw || !sides.raw->why_not(Operation::hold).empty()) {
        std::printf("%s is left out: there is no vendor call to compare with.\n", device.id().c_str());
        return;
    }
    std::printf("%s %s\n  %-13s %10s %10s   %-32s   %-15s   %-12s   %s\n", device.id().c_str(),
                device.info().name.c_str(), "", "raw", "Ferry", "ratio of time", "busy thread", "its ratio",
                "ratio of the process");
    Effort effort{.pairs = 41, .sample_ns = 2e7, .warm_up = 2};
    if (quick) {
        effort = {.pairs = 3, .sample_ns = 2e5, .batch = 16, .warm_up = 1};
    }
    effort.most_pairs = effort.pairs;
    for (const Measurement& what : copies) {
        print(what, measure(what, sides.raw.get(), *sides.ferry, copy_bytes, effort));
    }
    const std::optional<double> rate = rounds_in_second(*sides.raw);
    if (!rate) {
        std::printf("  Kernels are left out: the device ends long loops.\n");
        return;
    }
    for (const auto& [seconds, what] : kernels) {
        const auto rounds = static_cast<std::size_t>(std::max(*rate * seconds, 1.0));
        print(what, measure(what, sides.raw.get(), *sides.ferry, rounds, effort));
    }
}

} // namespace

int waits(bool quick) {
    std::printf("Limits: %.2f times the time and %.1f times the processor time of the vendor's own wait.\n",
                time_limit, processor_limit);
    bool failed = false;
    for (const ferry::Device& device : ferry::devices()) {
        try {
            measure_device(device, quick);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s: %s\n", device.id().c_str(), error.what());
            failed = true;
        }
    }
    return failed ? 1 : 0;
}

} // namespace bench
