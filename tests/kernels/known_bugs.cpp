// SPDX-License-Identifier: Apache-2.0
#include "known_bugs.hpp"

#include "../conformance/devices.hpp"

#include <doctest/doctest.h>

namespace kernels {
namespace {

bool fits(std::string_view pattern, std::string_view name) {
    if (!pattern.empty() && pattern.back() == '*') {
        return name.substr(0, pattern.size() - 1) == pattern.substr(0, pattern.size() - 1);
    }
    return pattern == name;
}

} // namespace

const std::vector<KnownBug>& known_bugs() {
    static const std::vector<KnownBug> rows{};
    return rows;
}

BugLedger::BugLedger(const ferry::Device& device) {
    for (const KnownBug& bug : known_bugs()) {
        if (conformance::matches(device, bug.device)) {
            entries_.push_back({&bug});
        }
    }
}

bool BugLedger::covers(const std::string& function, const std::string& type, unsigned width, bool failed) {
    bool covered = false;
    for (Entry& entry : entries_) {
        const KnownBug& bug = *entry.bug;
        if (fits(bug.function, function) && fits(bug.type, type) && (bug.width == 0 || bug.width == width)) {
            ++entry.cases;
            entry.failures += failed ? 1 : 0;
            covered = true;
        }
    }
    return covered;
}

void BugLedger::check_not_stale() const {
    for (const Entry& entry : entries_) {
        if (entry.cases != 0 && entry.failures == 0 && !entry.bug->sometimes) {
            FAIL_CHECK("the known bug is stale, all ", entry.cases,
                       " cases pass: ", std::string(entry.bug->function), " of ",
                       std::string(entry.bug->type), " on ", std::string(entry.bug->device), ": ",
                       std::string(entry.bug->reason));
        }
    }
}

} // namespace kernels
