// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "measure/serve.hpp"
#include "output.hpp"

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <system_error>

namespace {

void add_request(CLI::App& command, ferry::CompileRequest& request) {
    command
        .add_option_function<std::vector<std::string>>(
            "--backend",
            [&request](const std::vector<std::string>& names) {
                for (const std::string& name : names) {
                    const auto backend = ferry::backend_from_name(name);
                    if (!backend || *backend == ferry::Backend::vulkan) { // It has no compiler of its own.
                        throw CLI::ValidationError("--backend",
                                                   "'" + name + "' is not one of cuda, hip, opencl, host");
                    }
                    request.backends.push_back(*backend);
                }
            },
            "Only this backend's compilers; may be repeated")
        ->allow_extra_args(false);
    command
        .add_option("--arch", request.architectures,
                    "sm_90, compute_75, gfx90a or part of an OpenCL device's name")
        ->allow_extra_args(false);
    command.add_option("-D", request.options.defines, "NAME or NAME=value")->allow_extra_args(false);
    command.add_option("-I", request.options.include_directories, "A folder for #include")
        ->allow_extra_args(false);
    command.add_option("--options", request.options.opencl, "Options as clBuildProgram takes them");
    command.add_flag("--global-offsets", request.options.global_offsets,
                     "For launches with an offset (Grid::offset)");
    command.add_flag("--opencl-only", request.options.opencl_only,
                     "Only for OpenCL drivers, with their rules for pragmas and attributes");
}

// Processes that measure devices search for this mark in the bytes of the program.
const char* volatile const mark = FERRY_TRIAL_MARK;

CLI::App* add_bench(CLI::App& app, cli::BenchCommand& request, bool& list) {
    CLI::App* command = app.add_subcommand(
        "bench", "Measures transfers, memory, allocation and launches, compared with the vendor's own calls");
    command->add_option("--device", request.devices, "A device, in the syntax of info; may be repeated")
        ->type_name("DEVICE")
        ->allow_extra_args(false);
    command->add_option("--filter", request.filter, "Only measurements with TEXT in their name")
        ->type_name("TEXT");
    command
        ->add_option("--max", request.largest,
                     "Largest size in bytes (64K, 1G: powers of 1024); default 1G on GPUs, otherwise 64M")
        ->type_name("BYTES")
        ->transform(CLI::Validator{CLI::AsSizeValue(false)}.description(""))
        ->check(CLI::Range(std::size_t{4096}, std::size_t{1} << 40).description(""));
    command->add_option("--repetitions", request.pairs, "Samples of each side, 5 to 10000; default 15")
        ->type_name("N")
        ->check(CLI::Range(5, 10000).description(""));
    command->add_option("--plot", request.plot, "Writes plots (SVG) into a folder")->type_name("DIR");
    command->add_flag("--quick", request.quick, "A few short samples: shows that it works, not how fast");
    command->add_flag("--list", list, "Print the measurements");
    command->add_flag("--json", request.json, "Print JSON; docs/bench.md describes it");
    return command;
}

CLI::App* add_doctor(CLI::App& app, cli::DoctorCommand& request, std::string& examine, std::string& device) {
    CLI::App* command = app.add_subcommand(
        "doctor", "Tests every backend and device, and reports problems and how to fix them");
    command->add_option("DEVICE", request.device, "Only this device, in the syntax of info");
    command
        ->add_option("--time-limit", request.seconds,
                     "Ends the test of a backend after this time without an answer; default 10")
        ->type_name("SECONDS")
        ->check(CLI::Range(1, 3600).description(""));
    command->add_flag("--json", request.json, "Print JSON; docs/cli.md describes it");
    // Hidden options for the child processes of doctor.
    command->add_option("--examine", examine)->group("");
    command->add_option("--examine-device", device)->group("");
    command->add_flag("--examine-choice", request.examine_choice)->group("");
    command->add_flag("--expected", request.expected)->group("");
    return command;
}

// Redirects the output of drivers away from standard output.
int run_command(const std::function<cli::Status()>& command) {
    cli::Output output;
    int status = cli::refused;
    try {
        status = command();
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
    } catch (...) {
        std::cerr << "A library threw an exception that is not a std::exception\n";
    }
    if (const int error = output.finish(); error != 0) {
        std::cerr << "The output could not be written: " << std::generic_category().message(error) << '\n';
        status = cli::refused;
    }
    return status;
}

} // namespace

int main(int argc, char** argv) {
    std::signal(SIGCHLD, SIG_DFL); // The parent may ignore SIGCHLD, and exec() preserves that.
    CLI::App app{
        "Shows the compute devices that Ferry finds on this machine, and compiles kernels for them."};
    app.set_version_flag("--version", std::string("ferry ") + ferry::version());
    app.require_subcommand(1);
    app.footer("FERRY_BACKEND and FERRY_DEVICE select backends and devices; docs/environment.md lists all "
               "variables.\n"
               "Exit status: 0 a device was found, 1 no device was found, 2 the request was refused.\n"
               "Of cache: 0 the cache was shown or cleared, 1 it cannot be used.\n"
               "Of doctor: 0 no problem prevents use, 1 a problem does.");

    bool json = false;
    std::string selector;
    CLI::App* list = app.add_subcommand("list", "One line for each device; * marks the default");
    CLI::App* info = app.add_subcommand(
        "info", "Everything known about one device, or about all devices and the backends");
    CLI::App* cache = app.add_subcommand("cache", "The compiled kernels stored on disk");
    CLI::App* clear = cache->add_subcommand("clear", "Removes all of them");
    for (CLI::App* command : {list, info, cache, clear}) {
        command->add_flag("--json", json, "Print JSON; docs/cli.md describes it");
    }
    CLI::Option* device = info->add_option("DEVICE", selector,
                                           "An index, backend:index, UUID, PCI address or part of the name");

    cli::CompileCommand compiling;
    CLI::App* compile = app.add_subcommand(
        "compile", "Compiles a file of OpenCL C with every available compiler; no device is needed");
    compile->add_option("FILE", compiling.file, "The kernels")->required();
    add_request(*compile, compiling.request);
    compile->add_option("--emit", compiling.emit,
                        "A folder for the C++ of the kernels and the output of the compilers");
    compile->add_flag("--json", compiling.json, "Print JSON; docs/cli.md describes it");
    compile
        ->add_option(
            "--target", compiling.target,
            "check: only errors and warnings of the language; spirv: a SPIR-V module for OpenCL drivers; "
            "vulkan: one for Vulkan drivers. They need no compiler and take milliseconds")
        ->check(CLI::IsMember({"check", "spirv", "vulkan"}));
    compile->add_flag("--here", compiling.here)->group(""); // For the child process of one backend.

    cli::BenchCommand benching;
    bool list_measurements = false;
    cli::DoctorCommand doctoring;
    std::string examined_backend;
    std::string examined_device;
    CLI::App* doctor = add_doctor(app, doctoring, examined_backend, examined_device);
    CLI::App* bench = add_bench(app, benching, list_measurements);
    CLI::App* placement = bench->add_subcommand(
        "placement", "Compares the placement that share() chooses with each forced placement");
    placement->fallthrough(); // Accepts the options of bench.
    placement->add_flag("--page-locked", benching.page_locked,
                        "Share page-locked memory (a buffer of MemoryKind::host), not ordinary memory");

    std::string trace_file;
    CLI::App* trace = app.add_subcommand("trace", "Summarises a file written with FERRY_TRACE");
    trace->add_option("FILE", trace_file, "The trace")->required();
    trace->add_flag("--json", json, "Print JSON; docs/cli.md describes it");

    CLI::App* litmus = app.add_subcommand("litmus")->group("");
    std::string staged;
    CLI::App* staging = app.add_subcommand("staging")->group("");
    staging->add_option("DEVICE", staged)->required();

    if (argc < 2) {
        std::cerr << app.help();
        return cli::refused;
    }
    if (const std::string first = argv[1]; first[0] != '-') {
        std::string names;
        bool known = false;
        for (const CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
            known = known || command->get_name() == first;
            if (!command->get_group().empty()) {
                names += (names.empty() ? "" : ", ") + command->get_name();
            }
        }
        if (!known) {
            std::cerr << "ferry has no command '" << first << "'; it has " << names
                      << ". See 'ferry --help'.\n";
            return cli::refused;
        }
    }
    try {
        app.parse(argc, argv);
        if (litmus->parsed()) {
            return mark != nullptr ? ferry::detail::child_run::serve() : cli::refused;
        }
        if (device->count() != 0 && selector.empty()) {
            throw CLI::ValidationError("DEVICE", "is empty; leave it out for all devices");
        }
        const bool examines = !examined_backend.empty() || doctoring.examine_choice;
        if (!doctor->parsed() && !examines &&
            !staging->parsed()) { // doctor reports each of them as a finding.
            for (const std::string& note : ferry::unknown_variables()) {
                std::cerr << "warning: " << note << (note.ends_with('?') ? "\n" : ".\n");
            }
        }
        return run_command([&] {
            if (placement->parsed()) {
                return cli::bench_placement(benching);
            }
            if (staging->parsed()) {
                return cli::staging(staged);
            }
            if (bench->parsed()) {
                return list_measurements ? cli::list_measurements() : cli::bench(benching);
            }
            if (compile->parsed()) {
                return compiling.target == "check" ? cli::check(compiling)
                       : compiling.target.empty()  ? cli::compile(compiling)
                                                   : cli::compile_spirv(compiling);
            }
            if (trace->parsed()) {
                return cli::trace(trace_file, json);
            }
            if (cache->parsed()) {
                return clear->parsed() ? cli::clear_cache(json) : cli::show_cache(json);
            }
            if (!doctor->parsed()) {
                return list->parsed() ? cli::list(json) : cli::info(selector, json);
            }
            doctoring.backends = ferry::named_backends();
            doctoring.examine = ferry::backend_from_name(examined_backend);
            doctoring.examine_device = !examined_device.empty();
            doctoring.device = doctoring.examine_device ? examined_device : doctoring.device;
            return cli::doctor_command(doctoring);
        });
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? cli::found : cli::refused;
    }
}
