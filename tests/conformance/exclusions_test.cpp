// SPDX-License-Identifier: Apache-2.0
#include "../support/child.hpp"
#include "devices.hpp"
#include "exclusions.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace conformance;

/// All test titles of this program, as listed by doctest.
std::vector<std::string> titles() {
    support::Child child;
    child.arguments = {"--list-test-cases", "--no-intro", "--no-version"};
    const std::string output = support::run(child).output;
    std::vector<std::string> result;
    std::size_t begin = 0;
    for (std::size_t end = output.find('\n'); end != std::string::npos; end = output.find('\n', begin)) {
        result.push_back(output.substr(begin, end - begin));
        begin = end + 1;
    }
    return result;
}

void check_not_stale(const Exclusion& row, const std::string& title, const ferry::Device& device) {
    INFO("test \"", title, "\" on ", device.id(), ", excluded because ", std::string(row.reason));
    support::Child child;
    std::string pattern = title;
    for (char& c : pattern) {
        c = c == ',' ? '?' : c; // a comma separates patterns
    }
    child.arguments = {"--test-case=" + pattern};
    child.environment = {{"FERRY_TEST_EXCLUDED", title + "|" + device.id()}};
    child.limit_seconds = 60;
    const support::ChildResult result = support::run(child);
    CHECK_MESSAGE(!result.exited(0), "the exclusion is stale: the test passes");
    if (row.why == Why::unsupported) {
        CHECK_MESSAGE(result.says("FERRY-UNSUPPORTED"), "it does not say unsupported: ", result.describe());
    }
}

} // namespace

TEST_CASE("exclusions: every row names a test that exists and gives a reason") {
    const std::vector<std::string> all = titles();
    REQUIRE(all.size() > 50);
    for (const Exclusion& row : exclusions()) {
        INFO("row \"", std::string(row.test), "\"");
        CHECK(row.reason.size() > 10);
        CHECK((row.why != Why::sometimes || row.applies != nullptr));
        bool exists = false;
        for (const std::string& title : all) {
            const bool begins = row.test.back() == '*';
            exists = exists || (begins ? title.rfind(row.test.substr(0, row.test.size() - 1), 0) == 0
                                       : title == row.test);
        }
        CHECK(exists);
    }
}

TEST_CASE("exclusions: none is obsolete on these devices") {
    const std::vector<std::string> all = titles();
    for (const Exclusion& row : exclusions()) {
        if (row.why == Why::sometimes) {
            continue;
        }
        for (const ferry::Device& device : test_devices()) {
            for (const std::string& title : all) {
                if (excludes(row, title, device)) {
                    check_not_stale(row, title, device);
                }
            }
        }
    }
}
