// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <string>

namespace {

void add_request(CLI::App& command, ferry::CompileRequest& request) {
    command
        .add_option_function<std::vector<std::string>>(
            "--backend",
            [&request](const std::vector<std::string>& names) {
                for (const std::string& name : names) {
                    const auto backend = ferry::backend_from_name(name);
                    if (!backend) {
                        throw CLI::ValidationError("--backend",
                                                   "'" + name + "' is none of cuda, hip, opencl, host");
                    }
                    request.backends.push_back(*backend);
                }
            },
            "Only this backend's compilers; may be given several times")
        ->allow_extra_args(false);
    command
        .add_option("--arch", request.architectures,
                    "sm_90, compute_75, gfx90a or part of an OpenCL device's name")
        ->allow_extra_args(false);
    command.add_option("-D", request.options.defines, "NAME or NAME=value")->allow_extra_args(false);
    command.add_option("-I", request.options.include_directories, "A folder for #include")
        ->allow_extra_args(false);
    command.add_option("--options", request.options.opencl, "Options as clBuildProgram takes them");
}

CLI::App* add_bench(CLI::App& app, cli::BenchCommand& request, bool& list) {
    CLI::App* command = app.add_subcommand(
        "bench", "Measures transfers, memory, allocation and launches, beside the vendor's own calls");
    command->add_option("--device", request.devices, "A device as info takes it; may be given several times")
        ->type_name("DEVICE")
        ->allow_extra_args(false);
    command->add_option("--filter", request.filter, "Only measurements whose name holds TEXT")
        ->type_name("TEXT");
    command
        ->add_option("--max", request.largest,
                     "Largest size in bytes (64K, 1G: powers of 1024); default 1G on GPUs, 64M else")
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

} // namespace

int main(int argc, char** argv) {
    CLI::App app{
        "Shows the compute devices that Ferry finds on this machine, and compiles kernels for them."};
    app.set_version_flag("--version", std::string("ferry ") + ferry::version());
    app.require_subcommand(1);
    app.footer("FERRY_BACKEND and FERRY_DEVICE choose among them; docs/environment.md has every variable.\n"
               "Exit status: 0 a device was found, 1 none was, 2 the request was refused.\n"
               "Of cache: 0 it is as shown, or cleared, 1 it cannot be used.");

    bool json = false;
    std::string selector;
    CLI::App* list = app.add_subcommand("list", "One line for each device; * marks the default");
    CLI::App* info =
        app.add_subcommand("info", "Everything known of one device, or of all and of the backends");
    CLI::App* cache = app.add_subcommand("cache", "The compiled kernels that are kept on disk");
    CLI::App* clear = cache->add_subcommand("clear", "Removes them all");
    for (CLI::App* command : {list, info, cache, clear}) {
        command->add_flag("--json", json, "Print JSON; docs/cli.md describes it");
    }
    CLI::Option* device = info->add_option("DEVICE", selector,
                                           "An index, backend:index, UUID, PCI address or part of the name");

    cli::CompileCommand compiling;
    CLI::App* compile = app.add_subcommand(
        "compile", "Compiles a file of OpenCL C with every compiler there is; no device is needed");
    compile->add_option("FILE", compiling.file, "The kernels")->required();
    add_request(*compile, compiling.request);
    compile->add_option("--emit", compiling.emit, "A folder for what the translator and the compilers made");
    compile->add_flag("--json", compiling.json, "Print JSON; docs/cli.md describes it");

    cli::BenchCommand benching;
    bool list_measurements = false;
    CLI::App* bench = add_bench(app, benching, list_measurements);
    CLI::App* placement = bench->add_subcommand(
        "placement", "What share() chooses for sizes and intents, against each placement forced");
    placement->fallthrough(); // the options of bench

    try {
        app.parse(argc, argv);
        if (placement->parsed()) {
            return cli::bench_placement(benching);
        }
        if (bench->parsed()) {
            return list_measurements ? cli::list_measurements() : cli::bench(benching);
        }
        if (compile->parsed()) {
            return cli::compile(compiling);
        }
        if (device->count() != 0 && selector.empty()) {
            throw CLI::ValidationError("DEVICE", "is empty; leave it out for all devices");
        }
        if (cache->parsed()) {
            return clear->parsed() ? cli::clear_cache(json) : cli::show_cache(json);
        }
        return list->parsed() ? cli::list(json) : cli::info(selector, json);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? cli::found : cli::refused;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return cli::refused;
    }
}
