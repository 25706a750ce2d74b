// SPDX-License-Identifier: Apache-2.0
#include "suite.hpp"

#include "system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <utility>

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "sample_";

std::string last_line(std::string_view text) {
    while (!text.empty() && text.back() == '\n') {
        text.remove_suffix(1);
    }
    const std::size_t newline = text.rfind('\n');
    return std::string{newline == std::string_view::npos ? text : text.substr(newline + 1)};
}

bool is_chosen(const std::string& name, const std::vector<std::string>& filters) {
    return filters.empty() || std::any_of(filters.begin(), filters.end(), [&](const std::string& filter) {
               return name.find(filter) != std::string::npos;
           });
}

Result run_once(const Suite& suite, const std::string& sample, const std::string& id,
                const fs::path& output) {
    const sample::ChildResult child =
        sample::run_child(suite.programs / (std::string{prefix} + sample),
                          {"--device", id, "--output", output.string()}, suite.limit);
    const std::string verdict = last_line(child.output);
    Result result{.sample = sample,
                  .device = id,
                  .passed = child.ended_by.empty() && child.status == 0 && verdict == "PASS",
                  .reason = {},
                  .seconds = child.seconds,
                  .output = child.output};
    if (result.passed) {
        return result;
    }
    if (!child.ended_by.empty()) {
        result.reason =
            fmt::format("ended by {}{}", child.ended_by, verdict == "PASS" ? " after printing PASS" : "");
    } else if (verdict.starts_with("FAIL ")) {
        result.reason = verdict.substr(5);
    } else {
        result.reason = fmt::format("exit status {} without a verdict", child.status);
    }
    return result;
}

} // namespace

fs::path own_folder() {
    return fs::read_symlink("/proc/self/exe").parent_path();
}

std::vector<std::string> find_samples(const fs::path& folder, const std::vector<std::string>& filters) {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        std::string name = entry.path().filename().string();
        if (!name.starts_with(prefix) || !entry.is_regular_file()) {
            continue;
        }
        name.erase(0, prefix.size());
        if (is_chosen(name, filters)) {
            names.push_back(std::move(name));
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<Lack> find_lacks(const fs::path& folder, const std::vector<std::string>& filters) {
    std::vector<Lack> lacks;
    std::ifstream file(folder / "ferry-samples.lacks");
    Lack lack;
    while (std::getline(file, lack.sample, '	') && std::getline(file, lack.effect, '	') &&
           std::getline(file, lack.library, '	') && std::getline(file, lack.package)) {
        if (is_chosen(lack.sample, filters)) {
            lacks.push_back(lack);
        }
    }
    std::sort(lacks.begin(), lacks.end(), [](const Lack& a, const Lack& b) { return a.sample < b.sample; });
    return lacks;
}

Result run_sample(const Suite& suite, const std::string& sample, const ferry::Device& device) {
    const std::string id = device.id();
    std::string folder = id;
    std::replace(folder.begin(), folder.end(), ':', '-');
    const fs::path output = suite.output / folder / sample;
    Result result = run_once(suite, sample, id, output);
    if (result.passed && suite.twice) {
        const double first = result.seconds;
        result = run_once(suite, sample, id, output);
        result.again = std::exchange(result.seconds, first);
    }
    return result;
}
