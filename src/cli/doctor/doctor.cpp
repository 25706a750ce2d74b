// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "doctor/examine.hpp"
#include "doctor/finding.hpp"
#include "doctor/machine.hpp"
#include "process.hpp"
#include "text.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

namespace cli {
namespace {

using doctor::Finding;
using doctor::Findings;
using doctor::Severity;

constexpr std::array backends{ferry::Backend::cuda, ferry::Backend::hip, ferry::Backend::opencl,
                              ferry::Backend::host};

// In a process of its own: a driver that crashes or hangs costs its answer, not the report.
Findings in_a_child(const std::string& subject, std::vector<std::string> words, int seconds) {
    words.insert(words.begin(), {"/proc/self/exe", "doctor", "--json"});
    const ProcessResult result = run_process(words, std::chrono::seconds(seconds));
    if (WIFEXITED(result.status) && WEXITSTATUS(result.status) == refused) {
        throw std::invalid_argument(result.errors.substr(0, result.errors.find_last_not_of('\n') + 1));
    }
    Findings findings;
    if (doctor::from_json(result.output, findings)) {
        if (WIFSIGNALED(result.status)) {
            findings.push_back({Severity::problem, "examination", subject,
                                "The report was made, and then the process crashed. " + result.errors + '.',
                                "A driver crashes when a process ends: update or reinstall it."});
        }
        return findings;
    }
    const std::string said = result.errors.empty() ? "." : ": " + result.errors;
    if (result.late) {
        return {
            {Severity::problem, "examination", subject,
             "It was not done after " + std::to_string(seconds) + " s, and was ended.",
             "A driver or compiler hangs: see the kernel's log (dmesg), and whether other programs can use "
             "the device."}};
    }
    return {{Severity::problem, "examination", subject, "It ended without a report" + said,
             "A driver ended the process. Leave it out with FERRY_BACKEND until it is mended: update or "
             "reinstall it."}};
}

// What FERRY_BACKEND leaves out is not opened.
bool is_allowed(const std::vector<ferry::Backend>& allowed, ferry::Backend backend) {
    return allowed.empty() || std::find(allowed.begin(), allowed.end(), backend) != allowed.end();
}

Findings all_of_machine(const DoctorCommand& command) {
    const doctor::Machine machine = doctor::Machine::present();
    const doctor::Hardware hardware = doctor::hardware_of(machine);
    Findings all;
    const auto add = [&](const Findings& more) { all.insert(all.end(), more.begin(), more.end()); };
    add(doctor::check_device_files(machine));
    add(doctor::check_locked_memory(machine));
    add(doctor::check_iommu(machine));
    add(doctor::check_cache());
    for (const ferry::Backend backend : backends) {
        if (!is_allowed(command.backends, backend)) {
            continue;
        }
        const bool expected = !command.backends.empty() ||
                              (backend == ferry::Backend::cuda && hardware.nvidia) ||
                              (backend == ferry::Backend::hip && hardware.amd);
        const std::string name(to_string(backend));
        std::vector<std::string> words{"--examine", name};
        if (expected) {
            words.emplace_back("--expected");
        }
        add(in_a_child(name, words, command.seconds));
    }
    if (const char* const device = std::getenv("FERRY_DEVICE"); device != nullptr && *device != '\0') {
        add(in_a_child("machine", {"--examine-choice"}, command.seconds));
    }
    return all;
}

void print(const Findings& findings) {
    std::size_t width = 0;
    for (const Finding& finding : findings) {
        width = std::max(width, finding.subject.size() + finding.check.size() + 1);
    }
    for (const Finding& finding : findings) {
        std::cout << padded(to_string(finding.severity), 8)
                  << padded(finding.subject + ' ' + finding.check, width + 1) << ' '
                  << printable(finding.what) << '\n';
        if (!finding.mend.empty()) {
            std::cout << padded("", 8) << padded("", width + 1) << " -> " << printable(finding.mend) << '\n';
        }
    }
    const auto count = [&](Severity severity) {
        return std::count_if(findings.begin(), findings.end(),
                             [&](const Finding& finding) { return finding.severity == severity; });
    };
    std::cout << '\n'
              << counted(count(Severity::problem), "problem") << ", "
              << counted(count(Severity::warning), "warning") << ", "
              << counted(count(Severity::note), "note") << ", " << counted(count(Severity::good), "check")
              << " without a finding\n";
}

void write_all(int descriptor, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t more = write(descriptor, text.data() + done, text.size() - done);
        if (more < 0 && errno != EINTR) {
            throw std::runtime_error("The report could not be written");
        }
        done += more > 0 ? static_cast<std::size_t>(more) : 0;
    }
}

} // namespace

Status doctor_command(const DoctorCommand& command) {
    Findings findings;
    const bool part = command.examine || command.examine_device || command.examine_choice;
    const int report = part ? fcntl(1, F_DUPFD_CLOEXEC, 3) : 1;
    if (part) {
        dup2(2, 1); // drivers talk too
    }
    if (command.examine) {
        findings = doctor::examine_backend(*command.examine, command.expected);
    } else if (command.examine_device) {
        findings = doctor::examine_device(ferry::find_device(command.device));
    } else if (command.examine_choice) {
        findings = doctor::examine_choice();
    } else if (!command.device.empty()) {
        findings = in_a_child(command.device, {"--examine-device", command.device}, command.seconds);
    } else {
        findings = all_of_machine(command);
    }
    if (part) {
        write_all(report, doctor::to_json(findings));
    } else if (command.json) {
        std::cout << doctor::to_json(findings);
    } else {
        print(findings);
    }
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& finding) { return finding.severity == Severity::problem; })
               ? none
               : found;
}

} // namespace cli
