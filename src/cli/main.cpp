// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
    CLI::App app{"Shows the compute devices that Ferry finds on this machine."};
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

    try {
        app.parse(argc, argv);
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
