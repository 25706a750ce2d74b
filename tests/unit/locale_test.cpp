// SPDX-License-Identifier: Apache-2.0
// Numbers in messages and files do not depend on the locale.
#include "base/decimal.hpp"
#include "base/number_text.hpp"
#include "base/text.hpp"
#include "measure/session.hpp"
#include "share/placement.hpp"
#include "system/process.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <locale>
#include <random>
#include <string>

namespace {

/// A locale with a decimal comma. It is built here because few machines have one installed. It is active
/// during the lifetime of the object.
class GermanLocale {
public:
    GermanLocale() {
        std::string name = std::filesystem::temp_directory_path() / "ferry-locale-XXXXXX";
        folder_ = mkdtemp(name.data());
        const ferry::detail::Process maker(
            {.program = "/usr/bin/localedef",
             .arguments = {"localedef", "-i", "de_DE", "-f", "UTF-8", folder_ / "de_DE.UTF-8"}});
        REQUIRE_MESSAGE(maker.error() == 0, "localedef is missing (Debian: libc-bin and locales)");
        maker.wait();
        setenv("LOCPATH", folder_.c_str(), 1);
        REQUIRE_MESSAGE(std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr, "localedef made no locale");
        std::locale::global(std::locale("de_DE.UTF-8"));
    }
    GermanLocale(const GermanLocale&) = delete;
    GermanLocale& operator=(const GermanLocale&) = delete;
    ~GermanLocale() {
        std::locale::global(std::locale::classic());
        std::setlocale(LC_ALL, "C");
        unsetenv("LOCPATH");
        std::filesystem::remove_all(folder_);
    }

private:
    std::filesystem::path folder_;
};

std::string printed(const char* format, double value) {
    char text[512];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

} // namespace

TEST_CASE("numbers are as printf has them in the C locale, and read back as they were") {
    std::mt19937_64 random(std::random_device{}());
    std::uniform_real_distribution<double> mantissa(-10, 10);
    for (int i = 0; i < 10'000; ++i) {
        const double value = std::ldexp(mantissa(random), static_cast<int>(random() % 400) - 200);
        CHECK(ferry::detail::decimal(value, 1) == printed("%.1f", value));
        CHECK(ferry::detail::significant(value, 3) == printed("%.3g", value));
        CHECK(ferry::detail::parse_number<double>(ferry::detail::exact(value)) == value);
    }
    CHECK(ferry::detail::decimal(std::numeric_limits<double>::max(), 1).size() == 311);
    CHECK_FALSE(ferry::detail::parse_number<double>("1,5"));
    CHECK_FALSE(ferry::detail::parse_number<double>("1.5 "));
    CHECK_FALSE(ferry::detail::parse_number<double>(""));
}

TEST_CASE("messages have a decimal point if the program's locale has a comma") {
    const GermanLocale german;
    REQUIRE(printed("%.1f", 0.5) == "0,5");
    CHECK(ferry::detail::placement::in_time(540e-6) == "540.0 us");
    CHECK(ferry::detail::placement::in_time(0.0054) == "5.40 ms");
    CHECK(ferry::detail::placement::in_time(1.5) == "1.50 s");
    CHECK(ferry::detail::in_bytes(1'234'567) == "1.177 MiB (1234567 bytes)");
    CHECK(ferry::detail::memory_tests::rate_text(1.5e9, 1) == "1.5 GB/s");
    CHECK(ferry::detail::memory_tests::time_text(1.5e-6) == "1.5 us");
    CHECK(ferry::detail::staging::gigabytes(12.34e9) == "12.3");
}
