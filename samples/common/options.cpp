// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

namespace sample {

App::App(std::string name, std::string summary, std::size_t size, std::string unit)
    : options_(std::make_unique<Options>()) {
    Options& o = *options_;
    o.name = std::move(name);
    o.size = size;
    o.cli.description(std::move(summary));
    o.cli
        .add_option("--device", o.device,
                    "The device: an index, backend:index, UUID, PCI address or part of a name")
        ->type_name("SELECTOR");
    CLI::Option* amount =
        o.cli
            .add_option("--size", o.size, "How much work: " + std::move(unit) + " (64K, 16M: powers of 1024)")
            ->type_name("N")
            ->default_str(std::to_string(size))
            ->transform(CLI::Validator{CLI::AsSizeValue(false)}.description(""));
    if (size != 0) {
        amount->check(
            [](const std::string& text) { return text == "0" ? "is 0; at least 1 is needed" : ""; });
    }
    o.cli.add_option("--output", o.output, "Folder for the files it writes; made if missing")
        ->type_name("DIR")
        ->capture_default_str();
    o.cli.add_option("--seed", o.seed, "Seed of the random data, to repeat a run")->type_name("N");
    o.cli.add_flag("--quiet", o.quiet, "Print the verdict only");
    o.cli.add_flag("--json", o.json, "Print one JSON object instead of text");
}

App::~App() = default;

App& App::option(const std::string& name, std::size_t& value, const std::string& help) {
    options_->cli.add_option(name, value, help)->type_name("N")->capture_default_str();
    return *this;
}

App& App::option(const std::string& name, double& value, const std::string& help) {
    options_->cli.add_option(name, value, help)->type_name("X")->capture_default_str();
    return *this;
}

App& App::arguments(std::vector<std::string>& values, const std::string& name, const std::string& help) {
    options_->cli.add_option(name, values, help);
    return *this;
}

} // namespace sample
