// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <exception>
#include <iterator>

namespace sample {

std::filesystem::path Session::output_file(const std::filesystem::path& name) const {
    std::filesystem::path file = output / name;
    std::filesystem::create_directories(file.parent_path());
    return file;
}

namespace {

Session start(const std::string& name, const std::string& selector, std::uint32_t seed, bool quiet) {
    Session session{selector.empty() ? ferry::default_device() : ferry::find_device(selector)};
    session.random.seed(seed);
    session.quiet = quiet;
    session.say("{} on {} ({}), seed {}", name, session.device.id(), session.device.info().name, seed);
    return session;
}

// A build error holds the compiler's whole log. The verdict has its first line; the rest goes to standard
// error.
std::string first_line(const std::string& text) {
    const std::size_t end = text.find('\n');
    if (end != std::string::npos) {
        fmt::print(stderr, "{}\n", text);
    }
    return text.substr(0, end);
}

} // namespace

int App::run(int argc, char** argv, const std::function<void(Session&)>& body) {
    Options& o = *options_;
    try {
        o.cli.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return o.cli.exit(error) == 0 ? 0 : 2;
    }

    const std::uint32_t seed = o.seed ? *o.seed : std::random_device{}();
    nlohmann::json report{{"sample", o.name}, {"device", nullptr}, {"seed", seed}};
    std::string failure;
    const Stopwatch watch;
    try {
        Session session = start(o.name, o.device, seed, o.quiet || o.json);
        report["device"] = session.device.id();
        session.size = o.size;
        session.output = o.output;
        body(session);
        for (const auto& [name, value] : session.figures) {
            report["measured"][name] = value;
        }
    } catch (const ferry::Error& error) {
        const ferry::SourceLocation& where = error.where();
        failure = fmt::format("{} [{}:{}]", first_line(error.what()),
                              std::filesystem::path(where.file_name()).filename().string(), where.line());
    } catch (const std::exception& error) {
        failure = first_line(error.what());
    }

    if (o.json) {
        report["verdict"] = failure.empty() ? "PASS" : "FAIL";
        report["reason"] = failure;
        report["seconds"] = watch.seconds();
        fmt::print("{}\n", report.dump());
    } else {
        fmt::print("{}\n", failure.empty() ? "PASS" : "FAIL " + failure);
    }
    return failure.empty() ? 0 : 1;
}

} // namespace sample
