// SPDX-License-Identifier: Apache-2.0
#include "probe/probe.hpp"

#include "cache/disk_cache.hpp"
#include "environment.hpp"
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

/// A library that is loaded in this process is the one that the child is to open.
trial::Variables changes_for(Backend backend, const std::string& loaded) {
    constexpr std::array variables{"FERRY_CUDA_LIBRARY", "FERRY_HIP_LIBRARY", "FERRY_OPENCL_LIBRARY"};
    trial::Variables changes{{"FERRY_PROBE", "off"}};
    const backend::Libraries libraries = library_settings();
    const std::array named{libraries.cuda.set(), libraries.hip.set(), libraries.opencl.set()};
    const auto index = static_cast<std::size_t>(backend);
    if (!loaded.empty() && !named[index]) {
        changes.emplace_back(variables[index], loaded);
    }
    return changes;
}

/// The verdict on one backend, while it is made.
class Test {
public:
    Test(Backend backend, trial::Tool tool, const std::string& loaded, milliseconds limit)
        : backend_(backend), tool_(std::move(tool)), limit_(limit), changes_(changes_for(backend, loaded)) {}

    Verdict verdict() {
        const Outcome whole = run({});
        if (!whole.started) {
            Verdict verdict;
            verdict.kept = false;
            verdict.reasons.push_back("The " + std::string(to_string(backend_)) +
                                      " library was opened without a test in a child process first: the "
                                      "child process " +
                                      whole.how);
            return verdict;
        }
        if (whole.sound) {
            return {true, {}, {}, whole.report.files()};
        }
        return failed(whole);
    }

    bool was_late() const noexcept { return late_; }

private:
    Outcome run(const trial::Variables& more) {
        trial::Variables changes = changes_;
        changes.insert(changes.end(), more.begin(), more.end());
        Outcome outcome = run_test(tool_, backend_, changes, limit_);
        late_ = late_ || outcome.late;
        return outcome;
    }

    Verdict failed(const Outcome& whole) {
        Verdict verdict;
        const std::string& library = whole.report.library();
        std::vector<Icd> icds;
        if (backend_ == Backend::opencl && whole.report.has_opened()) {
            icds = installed_icds();
        }
        std::vector<std::string> names{library};
        for (const Icd& icd : icds) {
            names.push_back(icd.library);
        }
        const Trace trace = trace_libraries(tool_, backend_, names);
        verdict.files = trace.stamps();
        const auto guilty = leave_out(icds, verdict);
        if (verdict.usable && !guilty.empty()) {
            return verdict;
        }
        verdict.usable = false;
        verdict.icds.clear();
        verdict.reasons = {"The library " + library + trace.path_text(library) +
                           " is not used: a child process that opened it " + whole.text(limit_) + '.' +
                           (guilty.empty() ? "" : " The OpenCL driver at fault is " + guilty + '.') +
                           how_to_retry};
        return verdict;
    }

    /// Tries each driver of an OpenCL loader alone, then together those that passed. Gives the names of
    /// those that did not, and makes the verdict usable if the others are.
    std::string leave_out(const std::vector<Icd>& icds, Verdict& verdict) {
        std::string guilty;
        std::vector<std::string> reasons;
        verdict.usable = false;
        for (const Icd& icd : icds) {
            const IcdFolder alone({icd});
            const Outcome outcome = alone ? run(alone.variables()) : Outcome{};
            if (!outcome.started) {
                return {};
            }
            if (outcome.sound) {
                verdict.icds.push_back(icd);
                continue;
            }
            const std::string name = icd.library + " (" + icd.source + ")";
            guilty += (guilty.empty() ? "" : ", ") + name;
            reasons.push_back("The OpenCL driver " + name +
                              " is left out: a child process that opened it alone " + outcome.text(limit_) +
                              '.' + how_to_retry);
        }
        if (guilty.empty() || verdict.icds.empty()) {
            return guilty;
        }
        const IcdFolder others(verdict.icds);
        verdict.usable = others && run(others.variables()).sound;
        verdict.reasons = std::move(reasons);
        return guilty;
    }

    Backend backend_;
    trial::Tool tool_;
    milliseconds limit_;
    trial::Variables changes_;
    bool late_ = false;
};

Verdict untested(Backend backend, const std::string& why) {
    Verdict verdict;
    verdict.reasons = {"The " + std::string(to_string(backend)) +
                       " library is opened without a test in a child process: " + why};
    return verdict;
}

} // namespace

Verdict verdict_on(Backend backend) {
    if (backend == Backend::host) {
        return {};
    }
    const Probing setting = probe_setting();
    const milliseconds limit = probe_limit();
    if (setting == Probing::off) {
        return {};
    }
    const std::string loaded = loaded_library(backend);
    const cache::Key key = key_of(backend, loaded);
    if (setting == Probing::automatic) {
        if (const auto text = cache::shared().load(key)) {
            if (auto verdict = verdict_from(*text, limit)) {
                return *verdict;
            }
        }
    }
    trial::Tool tool = trial::find_tool();
    if (tool.path.empty()) {
        return untested(backend, tool.why_not);
    }
    Test test(backend, std::move(tool), loaded, limit);
    Verdict verdict = test.verdict();
    if (verdict.kept) {
        cache::shared().store(key, to_text(verdict, test.was_late() ? limit : milliseconds(0)));
    }
    return verdict;
}

} // namespace ferry::detail::probe
