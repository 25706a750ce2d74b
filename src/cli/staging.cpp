// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "process.hpp"
#include "system/process.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <iostream>
#include <string>

namespace cli {
namespace {

constexpr std::chrono::seconds limit{10};

} // namespace

Status staging(const std::string& selector) {
    const ferry::StagingInfo info = ferry::prepare_staging(ferry::find_device(selector));
    std::cout << nlohmann::json{{"most_slots", info.most_slots}, {"note", info.note}} << '\n';
    return found;
}

ferry::StagingInfo tried_staging(const ferry::Device& device, std::string& problem) {
    Watch watch;
    watch.limit = limit;
    const ProcessResult result = run_process({ferry::detail::own_program(), "staging", device.id()}, watch);
    ferry::StagingInfo info = ferry::staging_info(device);
    const auto said = nlohmann::json::parse(result.output, nullptr, false);
    if (ferry::detail::exit_code(result.status) == found && said.is_object()) {
        info.most_slots = said.value("most_slots", info.most_slots);
        info.note = said.value("note", "");
    } else if (result.late) {
        problem = "Page-locked memory could not be tried: a child process gave no answer within " +
                  std::to_string(limit.count()) + " s.";
    } else {
        problem = result.errors.substr(0, result.errors.find_last_not_of('\n') + 1);
    }
    return info;
}

} // namespace cli
