// SPDX-License-Identifier: Apache-2.0
// Verdicts on vendor libraries, as the cache keeps them.
#include "probe/probe_key.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

namespace probe_key_test {

using namespace ferry::detail::probe;
using std::chrono::milliseconds;

namespace {

/// The text as it would be if it had been written that long ago.
std::string aged(const std::string& text, long long seconds) {
    const std::size_t begin = text.find(' ', text.find(' ') + 1) + 1;
    const std::size_t end = text.find('\n');
    return text.substr(0, begin) + std::to_string(std::stoll(text.substr(begin, end - begin)) - seconds) +
           text.substr(end);
}

} // namespace

TEST_CASE("a verdict is the same after the cache has kept it") {
    Verdict verdict;
    verdict.usable = false;
    verdict.reasons = {{ferry::BackendProblem::unsound_library, "It ended by\nsignal 11."},
                       {ferry::BackendProblem::device_unsupported, "It lacks a feature."}};
    verdict.icds = {{"libone.so", "/etc/one.icd"}};
    const auto read = verdict_from(to_text(verdict, milliseconds(0)), milliseconds(5000));
    REQUIRE(read);
    CHECK_FALSE(read->usable);
    REQUIRE(read->reasons.size() == 2);
    CHECK(read->reasons[0].problem == ferry::BackendProblem::unsound_library);
    CHECK(read->reasons[0].text == "It ended by signal 11.");
    CHECK(read->reasons[1].problem == ferry::BackendProblem::device_unsupported);
    CHECK(read->reasons[1].text == "It lacks a feature.");
    REQUIRE(read->icds.size() == 1);
    CHECK(read->icds[0].library == "libone.so");
    CHECK(read->icds[0].source == "/etc/one.icd");
    for (const char* const wrong :
         {"", "usable", "usable 0", "usable 0 x\n", "maybe 0 1\n", "usable 0 1\nword x\n",
          "usable 0 1\nreason x\n", "usable 0 1\nreason nothing It ended.\n"}) {
        CHECK_FALSE(verdict_from(wrong, milliseconds(5000)));
    }
}

TEST_CASE("a library that crashed stays so, and one that was late is tested again after ten minutes") {
    Verdict verdict;
    verdict.usable = false;
    const std::string crashed = to_text(verdict, milliseconds(0));
    const std::string late = to_text(verdict, milliseconds(5000));
    CHECK(verdict_from(aged(crashed, 100'000'000), milliseconds(5000)));
    CHECK(verdict_from(late, milliseconds(5000)));
    CHECK(verdict_from(aged(late, 500), milliseconds(5000)));
    CHECK_FALSE(verdict_from(aged(late, 601), milliseconds(5000)));
    CHECK_FALSE(verdict_from(aged(late, -1000), milliseconds(5000))); // from the future
    CHECK_FALSE(verdict_from(late, milliseconds(5001)));
}

} // namespace probe_key_test
