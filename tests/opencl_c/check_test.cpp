// SPDX-License-Identifier: Apache-2.0
#include "opencl_c/check.hpp"
#include "texts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

// Tests the front end with the texts of tests/opencl_c and with every kernel of the samples and the corpus.
// clang_test.py compares the same texts with clang's result.
namespace {

using namespace ferry;
using namespace opencl_c_tests;

opencl_c::Checked checked(const std::string& text, const std::string& name = "k.cl") {
    opencl_c::Options options;
    options.name = name;
    return opencl_c::check(text, options);
}

TEST_CASE("opencl_c: a text with an error gets one message at its place") {
    for (const std::string& line : lines("wrong.txt")) {
        const std::size_t arrow = line.rfind("=>");
        REQUIRE_MESSAGE(arrow != std::string::npos, line);
        std::string text =
            framed(trimmed(line.substr(line[0] == '+' ? 1 : 0, arrow - (line[0] == '+' ? 1 : 0))));
        std::string gist = line.substr(arrow + 2);
        gist = trimmed(gist.substr(0, gist.find("##")));
        const std::size_t at = text.find('@');
        REQUIRE_MESSAGE(at != std::string::npos, line);
        text.erase(at, 1);
        const std::size_t begin = text.rfind('\n', at == 0 ? 0 : at - 1);
        const std::size_t column = begin == std::string::npos || at == 0 ? at + 1 : at - begin;
        const auto row = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        const opencl_c::Checked result = checked(text);
        CHECK_MESSAGE(!result.tree->checked, line);
        const std::string place = "k.cl:" + std::to_string(row) + ":" + std::to_string(column) + ": error: ";
        const std::string messages = result.messages();
        CHECK_MESSAGE(messages.find(place) != std::string::npos, line << "\n" << messages);
        CHECK_MESSAGE(messages.find(gist) != std::string::npos, line << "\n" << messages);
        CHECK_MESSAGE(messages.find("__builtin") == std::string::npos, messages);
    }
}

TEST_CASE("opencl_c: right texts are accepted") {
    for (const std::string& line : lines("right.txt")) {
        const opencl_c::Checked result = checked(framed(line));
        CHECK_MESSAGE(result.tree->checked, line << "\n" << result.messages());
    }
}

TEST_CASE("opencl_c: the kernels of samples and corpus are accepted") {
    std::size_t files = 0;
    for (const char* folder : {FERRY_SOURCE_FOLDER "/samples", FERRY_SOURCE_FOLDER "/tests/kernels/corpus"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
            if (entry.path().extension() != ".cl") {
                continue;
            }
            ++files;
            const std::string text = read(entry.path());
            opencl_c::Options options;
            options.name = entry.path().string();
            const opencl_c::Checked result = opencl_c::check(text, options);
            CHECK_MESSAGE(result.tree->checked, result.messages());
        }
    }
    CHECK(files > 60);
}

TEST_CASE("opencl_c: several errors of one text are all reported") {
    const auto result = checked("kernel void k(global int* o) {\n  o[0] = a;\n  o[1] = ;\n  o[2] = b;\n}\n"
                                "kernel int l(void) { return c; }\n");
    const std::string messages = result.messages();
    for (const char* place : {"k.cl:2:10", "k.cl:3:10", "k.cl:4:10", "k.cl:6:12", "k.cl:6:29"}) {
        CHECK_MESSAGE(messages.find(place) != std::string::npos, place << "\n" << messages);
    }
}

TEST_CASE("opencl_c: constructs that nest or chain beyond the limit are an error that names it") {
    const auto repeated = [](const std::string& text, int count) {
        std::string all;
        for (int i = 0; i < count; ++i) {
            all += text;
        }
        return all;
    };
    const std::string head = "kernel void k(global int* o) { o[0] = ";
    for (const std::string& text :
         {head + repeated("(", 100000) + "1" + repeated(")", 100000) + "; }",
          head + "1" + repeated(" + 1", 100000) + "; }", head + repeated("o[0] ? 1 : ", 100000) + "2; }",
          head + repeated("-", 1) + repeated("~", 100000) + "1; }", head + repeated("(int)", 100000) + "1; }",
          head + "0; " + repeated("{", 100000) + repeated("}", 100000) + "}",
          head + "0; " + repeated("if (o[0]) o[0] = 1; else ", 100000) + "; }",
          head + "0; int" + repeated("*", 100000) + " p; }", "struct s " + repeated("{ struct ", 100000)}) {
        const auto result = checked(text);
        const std::string messages = result.messages();
        CHECK_MESSAGE((result.tree->checked || messages.find("000") != std::string::npos),
                      text.substr(0, 80) << "\n"
                                         << messages.substr(0, 400));
    }
    // Many statements in sequence are not nested.
    CHECK(checked(head + "0; " + repeated("o[0] += 1;\n", 100000) + "}").tree->checked);
}

TEST_CASE("opencl_c: damaged texts end in messages, never in a crash") {
    const char* const chosen = std::getenv("FERRY_TEST_SEED");
    const unsigned long seed = chosen != nullptr ? std::stoul(chosen) : std::random_device{}();
    std::printf("Seed: FERRY_TEST_SEED=%lu\n", seed); // Before a crash.
    std::fflush(stdout);
    std::mt19937 random(static_cast<unsigned>(seed));
    const auto right = lines("right.txt");
    for (int round = 0; round < 3000; ++round) {
        std::string text = framed(right[random() % right.size()]);
        for (unsigned n = random() % 4 + 1; n > 0 && !text.empty(); --n) {
            const std::size_t at = random() % text.size();
            switch (random() % 4) {
            case 0:
                text.erase(at, random() % 5 + 1);
                break;
            case 1:
                text.insert(at, 1, "(){}[];,*&=?:.#<"[random() % 16]);
                break;
            case 2:
                text.insert(at, text.substr(random() % text.size(), random() % 12));
                break;
            default:
                text[at] = static_cast<char>(' ' + random() % 95);
            }
        }
        const auto result = checked(text);
        const bool said = result.messages().find("error: ") != std::string::npos;
        CHECK_MESSAGE(result.tree->checked != said, text);
    }
}

} // namespace
