// SPDX-License-Identifier: Apache-2.0
#include "probe/probe.hpp"

#include "base/settings.hpp"
#include "cache/disk_cache.hpp"
#include "probe/library_trace.hpp"
#include "probe/probe_key.hpp"
#include "probe/serve_test.hpp"
#include "probe/test_child.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ferry::detail::probe {
namespace {

using std::chrono::milliseconds;

constexpr const char* how_to_retry =
    " FERRY_PROBE=fresh tests it again; docs/environment.md describes FERRY_PROBE and FERRY_PROBE_LIMIT.";

#if defined(__SANITIZE_THREAD__)
constexpr bool copies_work = false; // it ends a copy of a process with several threads that starts one
#else
constexpr bool copies_work = true;
#endif

/// A library that is loaded in this process is the one that the child is to open.
child_run::Variables changes_for(Subject subject, const std::string& loaded) {
    child_run::Variables changes{{"FERRY_PROBE", "off"}};
    const backend::Libraries libraries = library_settings();
    const auto open_loaded = [&](const Setting& setting, const char* variable) {
        if (!loaded.empty() && !setting.set()) {
            changes.emplace_back(variable, loaded);
        }
    };
    const bool compiler = subject.part == Part::compiler;
    switch (subject.backend) {
    case Backend::cuda:
        open_loaded(compiler ? libraries.nvrtc : libraries.cuda,
                    compiler ? "FERRY_NVRTC_LIBRARY" : "FERRY_CUDA_LIBRARY");
        break;
    case Backend::hip:
        open_loaded(compiler ? libraries.hiprtc : libraries.hip,
                    compiler ? "FERRY_HIPRTC_LIBRARY" : "FERRY_HIP_LIBRARY");
        break;
    case Backend::vulkan:
        open_loaded(libraries.vulkan, "FERRY_VULKAN_LIBRARY");
        break;
    default:
        open_loaded(libraries.opencl, "FERRY_OPENCL_LIBRARY");
    }
    return changes;
}

Verdict untested(Subject subject, const std::string& why) {
    Verdict verdict;
    verdict.kept = false;
    verdict.reasons = {
        {BackendProblem::untested_library,
         "The " + to_text(subject) + " library is opened without a test in a child process: " + why}};
    return verdict;
}

/// The verdict on one subject, while it is made.
class Test {
public:
    Test(Subject subject, child_run::Tool tool, const std::string& loaded, milliseconds limit)
        : subject_(subject), tool_(std::move(tool)), limit_(limit), changes_(changes_for(subject, loaded)) {}

    Verdict verdict() {
        const Outcome whole = run({});
        if (!whole.started) {
            return untested(subject_, "the child process " + whole.how);
        }
        if (whole.sound) {
            return {true, {}, {}, whole.report.files()};
        }
        if (!whole.report.has_greeted()) {
            return untested(subject_, "the child process " + whole.text(limit_));
        }
        return failed(whole);
    }

    bool was_late() const noexcept { return late_; }

private:
    Outcome run(const child_run::Variables& more) {
        child_run::Variables changes = changes_;
        changes.insert(changes.end(), more.begin(), more.end());
        Outcome outcome = run_test(tool_, subject_, changes, limit_);
        const bool stuck = outcome.late && tool_.path.empty();
        if (stuck || (outcome.started && !outcome.report.has_greeted())) {
            // A copy of this process waits forever for a lock that another thread held during fork(). A tool
            // may end at once while an update replaces its files. The next child does not have that bad luck.
            outcome = run_test(tool_, subject_, changes, limit_);
        }
        late_ = late_ || outcome.late;
        return outcome;
    }

    Verdict failed(const Outcome& whole) {
        Verdict verdict;
        verdict.kept = !tool_.path.empty();
        const std::string& library = whole.report.library();
        std::vector<Icd> icds;
        if (subject_.backend == Backend::opencl && whole.report.has_opened()) {
            icds = installed_icds();
        }
        std::vector<std::string> names{library};
        for (const Icd& icd : icds) {
            names.push_back(icd.library);
        }
        const Trace trace = trace_libraries(tool_, subject_.backend, names);
        verdict.files = trace.stamps();
        const auto guilty = leave_out(icds, verdict);
        if (verdict.usable && !guilty.empty()) {
            return verdict;
        }
        verdict.usable = false;
        verdict.icds.clear();
        verdict.reasons = {{BackendProblem::unsound_library,
                            "The library " + library + trace.path_text(library) +
                                " is not used: a child process that opened it " + whole.text(limit_) + '.' +
                                (guilty.empty() ? "" : " The OpenCL driver at fault is " + guilty + '.') +
                                how_to_retry}};
        return verdict;
    }

    /// Tries each driver of an OpenCL loader alone, then together those that passed. Gives the names of
    /// those that did not, and makes the verdict usable if the others are.
    std::string leave_out(const std::vector<Icd>& icds, Verdict& verdict) {
        std::string guilty;
        std::vector<BackendReason> reasons;
        verdict.usable = false;
        for (const Icd& icd : icds) {
            const IcdFolder alone({icd});
            const Outcome outcome = alone ? run(alone.variables()) : Outcome{};
            if (!outcome.report.has_greeted()) {
                verdict.kept = false;
                return {};
            }
            if (outcome.sound) {
                verdict.icds.push_back(icd);
                continue;
            }
            const std::string name = icd.library + " (" + icd.source + ")";
            guilty += (guilty.empty() ? "" : ", ") + name;
            reasons.push_back(
                {BackendProblem::unsound_library, "The OpenCL driver " + name +
                                                      " is left out: a child process that opened it alone " +
                                                      outcome.text(limit_) + '.' + how_to_retry});
        }
        if (guilty.empty() || verdict.icds.empty()) {
            return guilty;
        }
        const IcdFolder others(verdict.icds);
        verdict.usable = others && run(others.variables()).sound;
        verdict.reasons = std::move(reasons);
        return guilty;
    }

    Subject subject_;
    child_run::Tool tool_;
    milliseconds limit_;
    child_run::Variables changes_;
    bool late_ = false;
};

} // namespace

Verdict verdict_on(Subject subject) {
    if (subject.backend == Backend::host) {
        return {};
    }
    const Probing setting = probe_setting();
    const milliseconds limit = probe_limit();
    if (setting == Probing::off) {
        return {};
    }
    const std::string loaded = loaded_library(subject);
    const cache::Key key = key_of(subject, loaded);
    if (setting == Probing::automatic) {
        if (const auto text = cache::shared().load(key)) {
            if (auto verdict = verdict_from(*text, limit)) {
                return *verdict;
            }
        }
    }
    child_run::Tool tool = child_run::find_tool();
    if (tool.path.empty() && !copies_work) {
        return untested(subject, tool.why_not);
    }
    if (tool.path.empty() && !loaded.empty()) {
        return untested(subject, "the program has opened " + loaded + " already, and " + tool.why_not);
    }
    Test test(subject, std::move(tool), loaded, limit);
    Verdict verdict = test.verdict();
    if (verdict.kept) {
        cache::shared().store(key, to_text(verdict, test.was_late() ? limit : milliseconds(0)));
    }
    return verdict;
}

} // namespace ferry::detail::probe
