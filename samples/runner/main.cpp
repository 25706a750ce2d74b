// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"
#include "suite.hpp"
#include "system.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <span>

namespace {

struct Options {
    std::vector<std::string> filters;
    std::vector<std::string> devices;
    std::string output;
    unsigned limit = 300;
    bool list = false;
    bool once = false;
    bool json = false;
    bool verbose = false;
};

std::vector<ferry::Device> chosen_devices(const std::vector<std::string>& selectors) {
    if (selectors.empty()) {
        return ferry::all_devices();
    }
    std::vector<ferry::Device> devices;
    devices.reserve(selectors.size());
    for (const std::string& selector : selectors) {
        devices.push_back(ferry::find_device(selector));
    }
    return devices;
}

/// Writes each line to standard output at once. On a terminal, it also shows the sample that is running.
class Display {
public:
    explicit Display(bool quiet) : quiet_(quiet) {}

    void print(const std::string& text) const {
        if (!quiet_) {
            clear();
            fmt::print("{}", text);
            std::fflush(stdout);
        }
    }
    void status(const std::string& text) const {
        if (watched_) {
            clear();
            fmt::print(stderr, "{}", text);
            std::fflush(stderr);
        }
    }
    void clear() const {
        if (watched_) {
            fmt::print(stderr, "\r\033[K");
            std::fflush(stderr);
        }
    }

private:
    bool quiet_;
    bool watched_ = !quiet_ && sample::person_watches();
};

std::vector<Result> run(const Suite& suite, const std::vector<Lack>& lacks, const Options& options,
                        const Display& display) {
    const std::size_t total = suite.samples.size() * suite.devices.size();
    std::vector<Result> results;
    display.print(device_list(suite.devices) + "\n" + table_head(suite, lacks));
    for (const std::string& sample : suite.samples) {
        for (const ferry::Device& device : suite.devices) {
            display.status(fmt::format("[{}/{}] {} on {}", results.size() + 1, total, sample, device.id()));
            results.push_back(run_sample(suite, sample, device));
            if (options.verbose) {
                display.print(results.back().output + "\n");
            }
        }
        display.print(table_row(suite, lacks, std::span(results).last(suite.devices.size())));
    }
    display.print(table_end(suite, lacks));
    return results;
}

int report(const Suite& suite, const std::vector<Lack>& lacks, const Options& options,
           const std::vector<Result>& results) {
    const auto passed =
        std::count_if(results.begin(), results.end(), [](const Result& r) { return r.passed; });
    if (options.json) {
        fmt::print("{}\n", json(suite, lacks, results));
    } else {
        fmt::print("{}", failures(results));
        fmt::print("\n{} of {} passed. Pictures and plots are in {}\n", passed, results.size(),
                   suite.output.string());
    }
    return passed == static_cast<std::ptrdiff_t>(results.size()) ? 0 : 1;
}

int run_suite(const Options& options) {
    Suite suite;
    suite.programs = own_folder();
    suite.samples = find_samples(suite.programs, options.filters);
    suite.output = options.output.empty() ? suite.programs.parent_path() / "samples-output"
                                          : std::filesystem::absolute(options.output);
    suite.limit = std::chrono::seconds{options.limit};
    suite.twice = !options.once && !options.list;
    const std::vector<Lack> lacks = find_lacks(suite.programs, options.filters);
    if (suite.samples.empty()) {
        const std::vector<std::string> all = find_samples(suite.programs, {});
        fmt::print(stderr, "No sample is called {}. There are in {}: {}\n",
                   fmt::join(options.filters, " or "), suite.programs.string(),
                   all.empty() ? "none" : fmt::format("{}", fmt::join(all, ", ")));
        suite.twice = false;
        fmt::print(stderr, "{}", table_end(suite, lacks));
        return 2;
    }
    suite.devices = chosen_devices(options.devices);
    if (options.list) {
        fmt::print("{}\n", fmt::join(suite.samples, "\n"));
        fmt::print("{}\n{}", table_end(suite, lacks), device_list(suite.devices));
        return 0;
    }
    const Display display(options.json);
    return report(suite, lacks, options, run(suite, lacks, options, display));
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App cli{
        "Runs Ferry's samples on every device of this machine, each in a process of its own, and prints one "
        "table. The exit status is 0 if all passed, 1 if one failed, 2 if nothing could be run."};
    cli.add_option("names", options.filters, "Run only the samples whose name contains one of these");
    cli.add_option("--device", options.devices,
                   "Run only on this device: an index, backend:index, UUID, PCI address or part of a name; "
                   "may be repeated")
        ->type_name("SELECTOR")
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all();
    cli.add_option("--output", options.output, "Folder for the pictures and plots")->type_name("DIR");
    cli.add_option("--limit", options.limit, "Seconds after which a sample is killed")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    cli.add_flag("--once", options.once,
                 "Run each sample once; without it a second time, with compiled kernels");
    cli.add_flag("--list", options.list, "List the samples and the devices, and run nothing");
    cli.add_flag("--json", options.json, "Print one JSON object instead of the table");
    cli.add_flag("--verbose", options.verbose, "Show what every sample prints");
    try {
        cli.parse(argc, argv);
        return run_suite(options);
    } catch (const CLI::ParseError& error) {
        return cli.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 2;
    }
}
