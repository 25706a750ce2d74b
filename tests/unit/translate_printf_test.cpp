// SPDX-License-Identifier: Apache-2.0
// The texts of printf in kernels, compared with those of the C library.
#include "translate/printf_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace translate_printf_test {

using ferry::translate::printf_text;
using ferry::translate::PrintValue;

std::mt19937_64& engine() {
    static std::mt19937_64 made(std::random_device{}()); // NOLINT(cert-msc51-cpp)
    return made;
}

std::size_t below(std::size_t limit) {
    return engine()() % limit;
}

/// A conversion without its length and letter.
std::string random_form() {
    std::string form = "<%";
    for (const char flag : {'-', '+', ' ', '#', '0'}) {
        form += below(3) == 0 ? std::string(1, flag) : "";
    }
    form += below(2) == 0 ? std::to_string(below(40)) : "";
    form += below(2) == 0 ? "." : "";
    form += form.back() == '.' && below(4) != 0 ? std::to_string(below(30)) : "";
    return form;
}

template <class... Values>
std::string from_library(const std::string& format, Values... values) {
    std::array<char, 1000> text{};
    const int length = std::snprintf(text.data(), text.size(), format.c_str(), values...);
    REQUIRE(length < static_cast<int>(text.size()));
    return text.data();
}

/// The text of a `double` whose conversion has the form and the letter. glibc 2.36 loses a digit of `%#.2g`
/// where the rounding reaches the next power of ten (99.6 gives `1.e+02`), so that `%#g` becomes `%#e` or
/// `%#f` here, by the rule of C11 7.21.6.1.
std::string from_library(const std::string& form, char letter, double value) {
    if ((letter != 'g' && letter != 'G') || form.find('#') == std::string::npos || !std::isfinite(value)) {
        return from_library(form + letter + ">", value);
    }
    const std::size_t dot = std::min(form.find('.'), form.size());
    const std::string digits = form.substr(dot);
    const int asked = digits.empty() ? 6 : std::atoi(("0" + digits.substr(1)).c_str());
    const int precision = std::max(asked, 1);
    const std::string scientific = from_library("%." + std::to_string(precision - 1) + "e", value);
    const int exponent = std::atoi(scientific.substr(scientific.find('e') + 1).c_str());
    const bool fixed = exponent >= -4 && exponent < precision;
    const int places = fixed ? precision - 1 - exponent : precision - 1;
    const char by = static_cast<char>(letter - 'g' + (fixed ? 'f' : 'e'));
    return from_library(form.substr(0, dot) + "." + std::to_string(places) + by + ">", value);
}

void check(const std::string& format, const PrintValue& value, const std::string& wanted) {
    const std::string seen = printf_text(format, {&value, 1});
    CHECK_MESSAGE(seen == wanted, format << " gives " << seen << " where " << wanted << " was expected");
}

TEST_CASE("printf: integers have the text of the C library") {
    for (int i = 0; i < 20'000; ++i) {
        const std::string form = random_form();
        const std::string letter = std::string(1, "diouxX"[below(6)]) + ">";
        const std::uint64_t bits = below(10) == 0 ? 0 : engine()() >> below(64);
        const std::uint64_t word = bits & 0xFFFFFFFFU;
        for (const char* const length : {"", "h", "hh"}) {
            check(form + length + letter, {{word}, 4, {}},
                  from_library(form + length + letter, static_cast<int>(word)));
        }
        check(form + "l" + letter, {{bits}, 8, {}},
              from_library(form + "l" + letter, static_cast<long>(bits)));
    }
}

TEST_CASE("printf: floating-point numbers have the text of the C library") {
    for (int i = 0; i < 50'000; ++i) {
        const std::string form = random_form();
        const char letter = "fFeEgGaA"[below(8)];
        const std::string format = form + letter + ">";
        double value = std::bit_cast<double>(engine()());
        if (below(2) == 0) {
            value = std::ldexp(static_cast<double>(below(2000)) - 1000, static_cast<int>(below(60)) - 30);
        }
        // The two disagree in the form of subnormal numbers in base 16, and a NaN may lose its sign.
        value = std::fpclassify(value) == FP_SUBNORMAL || std::isnan(value) ? 0.0 : value;
        check(format, {{std::bit_cast<std::uint64_t>(value)}, 8, {}}, from_library(form, letter, value));
        const auto narrow = static_cast<float>(value);
        check(format, {{std::bit_cast<std::uint32_t>(narrow)}, 4, {}},
              from_library(form, letter, static_cast<double>(narrow)));
    }
    for (const double value : {99.6, -99.97, 9.96, 999.6, 0.0009996, 9.996e19, 100.0}) {
        check("<%#.2g>", {{std::bit_cast<std::uint64_t>(value)}, 8, {}}, from_library("<%#.2", 'g', value));
        check("<%#G>", {{std::bit_cast<std::uint64_t>(value)}, 8, {}}, from_library("<%#", 'G', value));
    }
    const auto quiet = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::quiet_NaN());
    check("%06.2f", {{quiet}, 4, {}}, "   nan");
    check("%+F", {{quiet}, 4, {}}, "+NAN");
}

TEST_CASE("printf: strings, characters and pointers") {
    check("%-8s|", {{}, 0, "text"}, "text    |");
    check("%7.3s|", {{}, 0, "textile"}, "    tex|");
    check("%s", {{}, 0, std::string_view("a\0b", 3)}, "a");
    check("%3c|%%", {{'x'}, 4, {}}, "  x|%");
    check("%p", {{0x1234}, 8, {}}, "0x1234");
    check("%8p|", {{0}, 8, {}}, "   (nil)|");
}

TEST_CASE("printf: vectors, and conversions without a value") {
    check("%5v4hld|", {{1, 0xFFFFFFFFU, 3, 4}, 4, {}}, "    1,   -1,    3,    4|");
    check("%v2hhx %d %q", {{0x1AB, 0x2}, 4, {}}, "ab,2 %d %q");
    check("%v2lu", {{~std::uint64_t{0}, 7}, 8, {}}, "18446744073709551615,7");
    check("100%", {{7}, 4, {}}, "100%");
}

} // namespace translate_printf_test
