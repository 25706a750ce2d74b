// SPDX-License-Identifier: Apache-2.0
// Process state that a vendor library changes while it is opened is restored.
#include "system/process_state.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cfenv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <locale>
#include <sstream>
#include <string>

namespace process_state_test {
namespace {

using ferry::detail::ProcessState;

struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
};

std::string half() {
    std::ostringstream text;
    text << 0.5;
    return text.str();
}

mode_t file_mask() {
    const mode_t mask = umask(0);
    umask(mask);
    return mask;
}

} // namespace

TEST_CASE("the state of a process is as it was after a vendor library changed all of it") {
    const std::filesystem::path folder = std::filesystem::current_path();
    const mode_t mask = file_mask();
    const std::string names = setlocale(LC_ALL, nullptr);
    const locale_t own = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
    REQUIRE(own != nullptr);
    setenv("FERRY_TEST_STAYS", "a=b", 1);
    rlimit files{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &files) == 0);
    {
        const ProcessState kept;
        std::locale::global(std::locale(std::locale(), new Comma));
        REQUIRE(half() == "0,5");
        REQUIRE(setlocale(LC_ALL, "C.UTF-8") != nullptr);
        uselocale(own);
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, nullptr);
        std::fesetround(FE_UPWARD);
        umask(mask ^ 077);
        std::filesystem::current_path("/proc");
        const rlimit fewer{files.rlim_cur - 1, files.rlim_max};
        REQUIRE(setrlimit(RLIMIT_NOFILE, &fewer) == 0);
        clearenv();
        setenv("FERRY_TEST_ADDED", "1", 1);
    }
    CHECK(std::string(getenv("FERRY_TEST_STAYS")) == "a=b");
    CHECK(getenv("PATH") != nullptr);
    CHECK(getenv("FERRY_TEST_ADDED") != nullptr);
    unsetenv("FERRY_TEST_STAYS");
    unsetenv("FERRY_TEST_ADDED");
    rlimit now_files{};
    CHECK(getrlimit(RLIMIT_NOFILE, &now_files) == 0);
    CHECK(now_files.rlim_cur == files.rlim_cur);
    CHECK(half() == "0.5");
    CHECK(setlocale(LC_ALL, nullptr) == names);
    CHECK(uselocale(nullptr) == LC_GLOBAL_LOCALE);
    freelocale(own);
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, nullptr, &now);
    CHECK(sigismember(&now, SIGTERM) == 0);
    CHECK(std::fegetround() == FE_TONEAREST);
    CHECK(file_mask() == mask);
    CHECK(std::filesystem::current_path() == folder);
}

#if defined(__x86_64__)
TEST_CASE("numbers that are too small for the usual format are not zero after a vendor library was opened") {
    volatile float tiny = std::numeric_limits<float>::min();
    {
        const ProcessState kept;
        __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
        REQUIRE(tiny / 4 == 0);
    }
    CHECK(tiny / 4 > 0);
}
#endif

TEST_CASE("an unchanged state stays as it is, also if it is unusual") {
    std::fesetround(FE_DOWNWARD);
    { const ProcessState kept; }
    CHECK(std::fegetround() == FE_DOWNWARD);
    std::fesetround(FE_TONEAREST);
}

} // namespace process_state_test
