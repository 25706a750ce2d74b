// SPDX-License-Identifier: Apache-2.0
// ferry_bench: compares Ferry with the vendors' own calls. docs/bench.md describes the measurements.
#include "../support/child.hpp"
#include "commands.hpp"

#include <CLI/CLI.hpp>

#include <climits>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace {

const auto positive = CLI::Range(1, INT_MAX).description("");
const auto at_least_a_word = CLI::Range(std::size_t{4}, std::size_t{1} << 40).description("");

/// Adds the subcommands. Each one sets `run`.
class Tool {
public:
    Tool() {
        app.require_subcommand(1);
        app.footer("FERRY_BACKEND and FERRY_DEVICE choose the devices where no --device does.\n"
                   "Exit status: 0, 1 if a result was wrong or nothing could be measured, 2 for a wrong "
                   "argument.");
        add_calls();
        add_shapes();
        add_staging();
        add_stream();
        add_between();
        add_queue();
        add_others();
    }

    CLI::App app{"Compares Ferry with the vendors' own calls. Every result is checked."};
    std::function<int()> run;

private:
    CLI::App* add(const char* name, const char* what, std::function<int()> action) {
        CLI::App* command = app.add_subcommand(name, what);
        command->callback([this, action = std::move(action)] { run = action; });
        return command;
    }
    static void add_quick(CLI::App* command, bool& quick) {
        command->add_flag("--quick", quick, "A few short samples: shows that it works, not how fast");
    }

    void add_calls() {
        CLI::App* command = add("calls", "The vendor's own calls and Ferry's, in turn, in one run",
                                [this] { return bench::calls(calls_); });
        command->add_option("--device", calls_.devices, "A device as FERRY_DEVICE names it; may be repeated")
            ->allow_extra_args(false);
        command->add_option("--filter", calls_.filter, "Only cases with this text in their name");
        command
            ->add_option("--repetitions", calls_.repetitions,
                         "Pairs of samples for each case; default 201, large copies 31")
            ->check(CLI::Range(1, 100000).description(""));
        command
            ->add_option("--large", calls_.large_bytes,
                         "Bytes of the large copies; default 1 GiB on GPUs, otherwise 64 MiB")
            ->check(at_least_a_word);
        command->add_flag("!--no-timing", calls_.timing,
                          "Queues and events without device times, on both sides");
        command->add_option("--json", calls_.json, "Write the results to this file");
        command->add_flag("--list", calls_.list, "Print the cases");
        add_quick(command, calls_.quick);
    }

    void add_shapes() {
        CLI::App* command = add("shapes", "Boxes, batches and fills, compared with a program without them",
                                [this] { return bench::shapes(shapes_); });
        command->add_option("--device", shapes_.device, "A device as FERRY_DEVICE names it");
        command->add_option("--repetitions", shapes_.repetitions, "Pairs of samples; default 15")
            ->check(positive);
        command->add_flag("--batches", shapes_.only_batches, "Only batches");
        command->add_option("--json", shapes_.json, "Write the results to this file");
        add_quick(command, shapes_.quick);
    }

    void add_staging() {
        CLI::App* command = add(
            "staging",
            "Copies of ordinary memory up and down, compared with the vendor's blocking call. On CUDA also "
            "with a copy on the queue's stream and a wait, because the blocking call is not ordered with "
            "streams",
            [this] { return bench::staging(staging_); });
        command->add_option("--device", staging_.device, "A device as FERRY_DEVICE names it");
        command->add_option("--most", staging_.most, "Largest copy in bytes; default 1 GiB")
            ->check(CLI::Range(std::size_t{4096}, std::size_t{1} << 40).description(""));
        command->add_option("--rounds", staging_.rounds, "Pairs of each row; default 9")->check(positive);
        command->add_option("--file", staging_.file, "Measure files in this folder too");
        const char* const group = "What docs/design/staging.md describes";
        command->add_option("--threads", staging_.threads, "Copy threads")->group(group);
        command->add_option("--slot", staging_.slot_bytes, "Bytes of a slot")->group(group);
        command->add_option("--slots-for-thread", staging_.slots_for_thread, "Slots for each copy thread")
            ->group(group);
        command->add_flag("--plain-stores", staging_.plain_stores, "No streaming stores")->group(group);
    }

    void add_stream() {
        CLI::App* command = add("stream", "for_each_chunk(), compared with double buffering by hand",
                                [this] { return bench::stream(stream_); });
        command->add_option("--bytes", stream_.bytes, "Default 1 GiB")->check(at_least_a_word);
        command->add_option("--chunk", stream_.chunk, "Bytes of a chunk; default 32 MiB")
            ->check(at_least_a_word);
        command->add_option("--rounds", stream_.rounds, "Default 9")->check(positive);
        add_quick(command, stream_.quick);
    }

    void add_between() {
        CLI::App* command = add("between", "Copies from each device to each other device",
                                [this] { return bench::between(between_); });
        command->add_option("--bytes", between_.bytes, "Default 1 GiB")->check(at_least_a_word);
        command->add_option("--rounds", between_.rounds, "Default 9")->check(positive);
        add_quick(command, between_.quick);
    }

    void add_queue() {
        CLI::App* command = add("queue", "Launches from several threads, and recorded work",
                                [this] { return bench::queue(quick_, json_); });
        command->add_option("--json", json_, "Write the results to this file");
        add_quick(command, quick_);
    }

    void add_others() {
        add_quick(add("waits",
                      "The time and the processor time of waits; FERRY_WAIT chooses Ferry's way to wait",
                      [this] { return bench::waits(quick_); }),
                  quick_);
        add_quick(add("pool", "The creation and destruction of a buffer of 1 MiB",
                      [this] { return bench::pool(quick_); }),
                  quick_);
        add_quick(add("overhead", "Ferry's own part of a call, on a CUDA driver with calls that cost nothing",
                      [this] { return bench::overhead(quick_); }),
                  quick_);
        add("calibration", "The first and the later costs of Device::capabilities()",
            [] { return bench::calibration(); });
        add_quick(add("warm-start", "The first kernel of a process, with its code in the cache",
                      [this] { return bench::warm_start(quick_); }),
                  quick_);
        CLI::App* kernels = add("kernels", "Kernels in OpenCL C, compared with hand-written ones",
                                [this] { return bench::kernels(scale_, kernel_); });
        kernels->add_option("--scale", scale_, "2^SCALE elements; default 20, for a processor")
            ->check(CLI::Range(12, 30).description(""));
        kernels->add_option("--kernel", kernel_, "Only this kernel");
    }

    bench::CallsOptions calls_;
    bench::ShapesOptions shapes_;
    bench::StagingOptions staging_;
    bench::StreamOptions stream_;
    bench::BetweenOptions between_;
    bool quick_ = false;
    std::string json_;
    unsigned scale_ = 20;
    std::string kernel_;
};

} // namespace

int main(int argc, char** argv) {
    Tool tool;
    try {
        if (const std::optional<int> status = support::run_child_body(argc, argv)) {
            return *status;
        }
        tool.app.parse(argc, argv);
        return tool.run();
    } catch (const CLI::ParseError& error) {
        return tool.app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ferry_bench: %s\n", error.what());
        return 1;
    }
}
