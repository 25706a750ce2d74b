// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"
#include "suite.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>

namespace {

struct Options {
    std::vector<std::string> filters;
    std::vector<std::string> devices;
    std::string output;
    unsigned limit = 300;
    bool list = false;
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

std::vector<Result> run(const Suite& suite, const Options& options) {
    const bool watched = !options.json && isatty(STDERR_FILENO) == 1;
    const std::size_t total = suite.samples.size() * suite.devices.size();
    std::vector<Result> results;
    for (const std::string& sample : suite.samples) {
        for (const ferry::Device& device : suite.devices) {
            if (watched) {
                fmt::print(stderr, "\r\033[K[{}/{}] {} on {}", results.size() + 1, total, sample,
                           device.id());
                std::fflush(stderr);
            }
            results.push_back(run_sample(suite, sample, device));
            if (options.verbose && !options.json) {
                fmt::print("{}{}\n", watched ? "\r\033[K" : "", results.back().output);
            }
        }
    }
    if (watched) {
        fmt::print(stderr, "\r\033[K");
    }
    return results;
}

int report(const Suite& suite, const Options& options, const std::vector<Result>& results) {
    const auto passed =
        std::count_if(results.begin(), results.end(), [](const Result& r) { return r.passed; });
    if (options.json) {
        fmt::print("{}\n", json(suite, results));
    } else {
        fmt::print("{}\n{}", device_list(suite.devices), table(suite, results));
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
    if (suite.samples.empty()) {
        const std::vector<std::string> all = find_samples(suite.programs, {});
        fmt::print(stderr, "No sample is called {}. There are in {}: {}\n",
                   fmt::join(options.filters, " or "), suite.programs.string(),
                   all.empty() ? "none" : fmt::format("{}", fmt::join(all, ", ")));
        return 2;
    }
    suite.devices = chosen_devices(options.devices);
    if (options.list) {
        fmt::print("{}\n\n{}", fmt::join(suite.samples, "\n"), device_list(suite.devices));
        return 0;
    }
    return report(suite, options, run(suite, options));
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
