// SPDX-License-Identifier: Apache-2.0
#include "knowledge/facts_text.hpp"
#include "measure/device_knowledge.hpp"
#include "measure/report.hpp"
#include "measure/request.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace ferry;
using namespace ferry::detail;
using namespace ferry::detail::child_run;

namespace {

Request a_request() {
    Request request;
    request.backend = Backend::opencl;
    request.index = 3;
    request.identity = "A device|of some platform|uuid|";
    request.until = Clock::now();
    request.at_least = std::chrono::milliseconds(470);
    request.costs = true;
    request.left_out = {"host atomics", "shared ordering"};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        request.facts[i].kind = kinds[i];
        request.facts[i].reach = {Reach::link, Confidence::declared, "A=1", {}};
        request.facts[i].max_size = {i + 1, Confidence::declared, "B", {}};
    }
    const auto stage = static_cast<std::size_t>(Placement::stage);
    RoundCosts& costs = request.costs_before.ordinary[stage];
    costs.reads.seconds = costs.writes.seconds = costs.updates.seconds = {1.5e-6, 2.5e-6};
    return request;
}

Facts facts_with(Reach reach) {
    Facts facts = a_request().facts;
    for (MemoryCapabilities& one : facts) {
        one.reach.value = reach;
    }
    return facts;
}

std::string a_report() {
    return greeting() + "\nbegin start\nend\nbegin host storage\n" + facts_text(facts_with(Reach::copy)[1]) +
           "end\nbegin costs 4096\ncosts\n" + detail::to_text(CostModel{}) + "end\nbegin costs 65536\n";
}

} // namespace

TEST_CASE("trial: a request survives being written and read") {
    const Request written = a_request();
    const auto read = request_from(to_text(written));
    REQUIRE(read);
    CHECK(to_text(*read) == to_text(written));
    CHECK(read->index == 3);
    CHECK(read->identity == written.identity);
    CHECK(read->until == written.until);
    CHECK(read->at_least == written.at_least);
    CHECK(read->left_out == written.left_out);
    CHECK((read->costs && !read->tests));
    CHECK(read->facts[2].max_size.value == 3);
    CHECK(read->costs_before.sizes() == 2);
    CHECK(detail::to_text(read->costs_before) == detail::to_text(written.costs_before));
}

TEST_CASE("trial: a text that is almost a request is rejected") {
    const std::string good = to_text(a_request());
    for (std::size_t length = 0; length < good.size(); ++length) {
        CHECK_FALSE(request_from(good.substr(0, length)));
    }
    CHECK_FALSE(request_from(good + "go\n"));
    CHECK_FALSE(request_from("litmus 6 99.0.0" + good.substr(good.find('\n'))));
    std::string other = good;
    other.replace(other.find("opencl"), 6, "openxl");
    CHECK_FALSE(request_from(other));
}

TEST_CASE("trial: a report counts step by step, however it is cut") {
    const std::string text = a_report();
    for (const std::size_t piece : {std::size_t{1}, std::size_t{13}, text.size()}) {
        Report report(facts_with(Reach::local));
        for (std::size_t at = 0; at < text.size(); at += piece) {
            REQUIRE(report.feed(std::string_view(text).substr(at, piece)));
        }
        CHECK(report.greeted());
        CHECK_FALSE(report.done());
        CHECK(report.current() == "costs 65536");
        CHECK(report.ended() == std::vector<Step>{"start", "host storage", "costs 4096"});
        CHECK(report.facts()[1].reach.value == Reach::copy);
        CHECK(report.facts()[2].reach.value == Reach::local);
        CHECK(report.costs().has_value());
        CHECK(report.feed("end\ndone\n"));
        CHECK(report.done());
        CHECK_FALSE(report.feed("begin again\n"));
    }
}

TEST_CASE("trial: the result of a step counts only at its end") {
    const std::string text = a_report();
    const std::string begun = text.substr(0, text.find("end\nbegin costs"));
    Report report(facts_with(Reach::local));
    REQUIRE(report.feed(begun));
    CHECK(report.facts()[1].reach.value == Reach::local);
    CHECK(report.current() == "host storage");
    CHECK(report.feed("end\n"));
    CHECK(report.facts()[1].reach.value == Reach::copy);
}

TEST_CASE("trial: nonsense is distinguished from a report") {
    const std::string start = greeting() + "\nbegin start\n";
    for (const std::string& text :
         {std::string("hello\n"), std::string("litmus 6 99.0.0\n"), start + "begin other\n", start + "done\n",
          start + "facts host\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n", start + "facts moon\n",
          start + "refused\n", greeting() + "\nend\n", greeting() + "\nbegin \n", start + "Reach\n",
          std::string(100'000, 'x'), start + "costs\n" + std::string(70'000, '\n')}) {
        Report report(facts_with(Reach::local));
        CHECK_FALSE(report.feed(text));
        CHECK_FALSE(report.sound());
        CHECK_FALSE(report.feed("done\n"));
        CHECK(report.facts()[1].reach.value == Reach::local);
    }
}
