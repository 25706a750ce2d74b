// SPDX-License-Identifier: Apache-2.0
#include "base/wrapped.hpp"
#include "commands.hpp"
#include "doctor/examine.hpp"
#include "doctor/finding.hpp"
#include "doctor/machine.hpp"
#include "process.hpp"
#include "system/process.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

namespace cli {
namespace {

using doctor::Finding;
using doctor::Findings;
using doctor::Severity;

constexpr std::array backends{ferry::Backend::cuda, ferry::Backend::hip, ferry::Backend::opencl,
                              ferry::Backend::vulkan, ferry::Backend::host};

constexpr std::chrono::seconds quiet{3}; // After this time, the current step is reported.

/// Reports slow steps on standard error.
class Progress {
public:
    Progress(const doctor::Report& report, const std::string& subject, int limit)
        : report_(report), subject_(subject), limit_(limit) {}

    void operator()(std::chrono::milliseconds silent) {
        if (silent < told_) {
            told_ = {};
        }
        if (silent - told_ >= quiet) {
            told_ = silent;
            std::cerr << "ferry doctor: " << (report_.subject.empty() ? subject_ : report_.subject) << ' '
                      << report_.check << ": no answer for "
                      << std::chrono::duration_cast<std::chrono::seconds>(silent).count() << " s of at most "
                      << limit_ << " s\n";
        }
    }

private:
    const doctor::Report& report_;
    const std::string& subject_;
    int limit_;
    std::chrono::milliseconds told_{};
};

/// The finding for an examination that did not complete.
Finding unfinished(const doctor::Report& report, const std::string& subject, const ProcessResult& result,
                   int seconds) {
    const std::string during = report.check.empty() ? "" : " during the check \"" + report.check + "\"";
    Finding finding{Severity::problem, "examination", report.subject.empty() ? subject : report.subject, "",
                    ""};
    if (result.late) {
        finding.what = "There was no answer after " + std::to_string(seconds) + " s" + during +
                       ", and the process was ended.";
        finding.mend = "A driver or compiler hangs: see the kernel's log (dmesg), and whether other programs "
                       "can use the device. If it is only slow, give it more time with --time-limit.";
        return finding;
    }
    const std::size_t end = result.errors.find_last_not_of('\n');
    const int signal = ferry::detail::ending_signal(result.status);
    finding.what =
        "The process ended" + during + " without an answer, " +
        (signal != 0 ? "by signal " + std::to_string(signal)
                     : "with status " + std::to_string(ferry::detail::exit_code(result.status).value_or(0))) +
        (end == std::string::npos ? "." : ": " + result.errors.substr(0, end + 1));
    finding.mend = "A driver ended the process. Exclude it with FERRY_BACKEND until it is fixed: update or "
                   "reinstall it.";
    return finding;
}

// Examines in a child process. If a driver crashes or hangs, only the current step is lost, and its remaining
// devices are examined in further processes.
Findings in_a_child(const std::string& subject, std::vector<std::string> words,
                    const DoctorCommand& command) {
    words.insert(words.begin(), {ferry::detail::own_program(), "doctor", "--json"});
    doctor::Report report;
    ProcessResult result;
    try {
        Watch watch;
        watch.limit = std::chrono::seconds(command.seconds);
        watch.output = [&](std::string_view bytes) { report.take(bytes); };
        watch.waiting = Progress(report, subject, command.seconds);
        result = run_process(words, watch);
    } catch (const std::exception& error) {
        return {{Severity::problem, "examination", subject, error.what(),
                 "See how many processes and files a user may have (ulimit -u, ulimit -n)."}};
    }
    if (report.refusal && !command.device.empty()) {
        throw std::invalid_argument(*report.refusal);
    }
    Findings findings = report.findings;
    if (report.refusal) {
        findings.push_back({Severity::problem, "examination", subject, *report.refusal,
                            "See docs/environment.md for the values that each variable takes."});
    } else if (!report.done) {
        findings.push_back(unfinished(report, subject, result, command.seconds));
    } else if (ferry::detail::ending_signal(result.status) != 0 || result.late) {
        findings.push_back({Severity::problem, "examination", subject,
                            "The report was complete, but then the process " +
                                (result.late ? "did not end in " + std::to_string(command.seconds) + " s."
                                             : "crashed. " + result.errors + '.'),
                            "A driver crashes or hangs when a process ends: update or reinstall it."});
    }
    for (const std::string& device : report.unfinished) {
        if (device != report.subject) {
            const Findings more = in_a_child(device, {"--examine-device", device}, command);
            findings.insert(findings.end(), more.begin(), more.end());
        }
    }
    return findings;
}

// Backends excluded by FERRY_BACKEND are not opened.
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
    add(doctor::check_variables());
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
        add(in_a_child(name, words, command));
    }
    if (const char* const device = secure_getenv("FERRY_DEVICE"); device != nullptr && *device != '\0') {
        add(in_a_child("machine", {"--examine-choice"}, command));
    }
    return all;
}

void print(const Findings& findings) {
    std::size_t width = 0;
    for (const Finding& finding : findings) {
        width = std::max(width, finding.subject.size() + finding.check.size() + 1);
    }
    for (const Finding& finding : findings) {
        const std::size_t text = 8 + width + 2;
        std::cout << padded(to_string(finding.severity), 8)
                  << padded(finding.subject + ' ' + finding.check, width + 1) << ' '
                  << ferry::detail::wrapped(printable(finding.what), text, text) << '\n';
        if (!finding.mend.empty()) {
            std::cout << padded("", text) << "-> "
                      << ferry::detail::wrapped(printable(finding.mend), text + 3, text + 3) << '\n';
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

/// Runs a part of the examination in this process.
void examine_here(const DoctorCommand& command) {
    doctor::Reporter reporter(std::cout);
    try {
        if (command.examine) {
            doctor::examine_backend(*command.examine, command.expected, reporter);
        } else if (command.examine_device) {
            doctor::examine_device(ferry::find_device(command.device), reporter);
        } else {
            reporter.findings(doctor::examine_choice());
        }
    } catch (const std::exception& error) {
        reporter.refused(error.what());
    } catch (...) {
        reporter.refused("A library threw an exception that is not a std::exception.");
    }
    reporter.done();
}

} // namespace

Status doctor_command(const DoctorCommand& command) {
    if (command.examine || command.examine_device || command.examine_choice) {
        examine_here(command);
        return found;
    }
    const Findings findings = command.device.empty()
                                  ? all_of_machine(command)
                                  : in_a_child(command.device, {"--examine-device", command.device}, command);
    if (command.json) {
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
