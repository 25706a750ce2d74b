// SPDX-License-Identifier: Apache-2.0
// The formats of printf in a module for Vulkan, and the records of a print buffer.
#include "emit_spirv/print_texts.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace vulkan_print_texts_test {

using namespace ferry::emit_spirv;

TEST_CASE("print texts: records are read in their order, up to the first free word") {
    PrintTexts texts;
    REQUIRE(texts.add(print_string(1, {{{1, 4}, {2, 8}, {1, 0}}, "%x %v2lx \"%s\"\n"})));
    REQUIRE(texts.add(print_string(7, {{}, "back\\slash\t\xC3\xA4\n"})));
    const std::vector<std::uint32_t> words{1, 0xA, 1, 2, 3, 4, 7, 7, 1, 0xB, 0, 0, 5, 0, 9, 0, 7};
    std::vector<std::string> seen;
    for (std::span<const std::uint32_t> rest = words; !rest.empty();) {
        seen.push_back(texts.take(rest));
    }
    CHECK(seen == std::vector<std::string>{"a 200000001,400000003 \"back\\slash\t\xC3\xA4\n\"\n",
                                           "back\\slash\t\xC3\xA4\n", "b 0,5 \"\"\n", ""});
}

TEST_CASE("print texts: every byte of a text is kept in printable characters") {
    std::string all;
    for (int byte = 1; byte < 256; ++byte) {
        all += static_cast<char>(byte == '%' ? '_' : byte);
    }
    const std::string string = print_string(1, {{}, all});
    for (const char c : string) {
        CHECK(c >= ' ');
        CHECK(c <= '~');
    }
    PrintTexts texts;
    REQUIRE(texts.add(string));
    const std::uint32_t record = 1;
    std::span<const std::uint32_t> rest(&record, 1);
    CHECK(texts.take(rest) == all);
}

TEST_CASE("print texts: damaged strings are refused") {
    for (const char* const string :
         {"ferry_printf:", "ferry_printf:x::a", "ferry_printf:0::a", "ferry_printf:1:a",
          "ferry_printf:1:0w:a", "ferry_printf:1:17w:a", "ferry_printf:1:1x:a", "ferry_printf:1:1",
          "ferry_printf:1::\\12", "ferry_printf:1::\\9ab"}) {
        INFO(string);
        PrintTexts texts;
        REQUIRE(PrintTexts::is_print_string(string));
        CHECK_FALSE(texts.add(string));
    }
    PrintTexts texts;
    CHECK(texts.add("ferry_printf:1::a"));
    CHECK_FALSE(texts.add("ferry_printf:1::b"));
    CHECK_FALSE(PrintTexts::is_print_string("ferry_print:1::a"));
}

TEST_CASE("print texts: random words end the records, or are printed, and nothing else") {
    std::mt19937 random(std::random_device{}()); // NOLINT(cert-msc51-cpp)
    PrintTexts texts;
    REQUIRE(texts.add(print_string(1, {{{1, 4}, {16, 8}, {1, 0}}, "%d %v16lf %s"})));
    REQUIRE(texts.add(print_string(2, {{{3, 4}}, "%v3hlx %s %c"})));
    for (int round = 0; round < 1000; ++round) {
        std::vector<std::uint32_t> words(random() % 100);
        for (std::uint32_t& word : words) {
            word = random() % 4 == 0 ? static_cast<std::uint32_t>(random())
                                     : static_cast<std::uint32_t>(random() % 3);
        }
        for (std::span<const std::uint32_t> rest = words; !rest.empty();) {
            const std::size_t before = rest.size();
            static_cast<void>(texts.take(rest));
            REQUIRE(rest.size() < before);
        }
    }
}

} // namespace vulkan_print_texts_test
