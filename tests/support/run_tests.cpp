// SPDX-License-Identifier: Apache-2.0
#include "run_tests.hpp"

#include <iostream>

namespace support {
namespace {

unsigned selected = 0;
bool asked = false; // whether a list or help was requested

class Selection : public doctest::IReporter {
public:
    explicit Selection(const doctest::ContextOptions& /*unused*/) {}
    void report_query(const doctest::QueryData& /*unused*/) override { asked = true; }
    void test_run_start() override {}
    void test_run_end(const doctest::TestRunStats& stats) override {
        selected = stats.numTestCasesPassingFilters;
    }
    // At once, so that the output of a test that is killed after a time limit ends with the name of its test
    // case.
    void test_case_start(const doctest::TestCaseData& test) override {
        std::cout << "[ RUN ] " << test.m_name << std::endl;
    }
    void test_case_reenter(const doctest::TestCaseData& /*unused*/) override {}
    void test_case_end(const doctest::CurrentTestCaseStats& /*unused*/) override {}
    void test_case_exception(const doctest::TestCaseException& /*unused*/) override {}
    void subcase_start(const doctest::SubcaseSignature& /*unused*/) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData& /*unused*/) override {}
    void log_message(const doctest::MessageData& /*unused*/) override {}
    void test_case_skipped(const doctest::TestCaseData& /*unused*/) override {}
};

REGISTER_LISTENER("selection", 1, Selection);

} // namespace

int run_tests(doctest::Context& context) {
    const int status = context.run();
    if (status == 0 && !asked && !context.shouldExit() && selected == 0) {
        std::cerr << "no test case passes the filters\n";
        return 1;
    }
    return status;
}

} // namespace support
