// SPDX-License-Identifier: Apache-2.0
// Tests of a library in a copy of the program if there is no tool, and of compilers that are opened without
// their driver.
#include "fixture.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

using namespace isolation;

namespace {

std::string contents(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

const Variables no_tool{{"FERRY_TOOL", "off"}};

} // namespace

TEST_CASE(
    "isolation: exit handlers of the program do not run in a copy of it, and its output stays its own") {
    for (const char* const fault :
         {"", "cuInit:exit", "cuInit:exit0", "destructor:exit0", "cuInit:quick_exit"}) {
        Folder folder;
        const std::string ends = folder.path() + "/ends";
        const auto result = use(folder, "cuda", fault, no_tool, ends);
        CHECK_MESSAGE(survived(result), fault, ": ", result.describe());
        CHECK_MESSAGE(contents(ends) == "end\n", fault);
        const std::size_t first = result.output.find("not flushed yet, ");
        CHECK(first != std::string::npos);
        CHECK_MESSAGE(result.output.find("not flushed yet, ", first + 1) == std::string::npos,
                      result.describe());
    }
}

TEST_CASE("isolation: a sound verdict of a copy is kept, another one is not") {
    Folder folder;
    for (const int expected : {2, 1}) {
        CHECK(use(folder, "cuda", "", no_tool).says("cuda is available"));
        CHECK(folder.opened() == expected);
    }
    for (int i = 0; i < 2; ++i) {
        CHECK(use(folder, "cuda", "cuInit:crash", no_tool)
                  .says("ended by signal 11 in its initialisation (cuInit)"));
        CHECK(folder.opened() == 1);
    }
}

TEST_CASE("isolation: a compiler that ends the process that opens it costs compile() only that compiler") {
    for (const Variables& more : {Variables{}, no_tool}) {
        for (const char* const backend : {"cuda", "hip"}) {
            Folder folder;
            auto result = compile(folder, backend, "", more);
            CHECK_MESSAGE(survived(result), result.describe());
            // it can be opened, but it is not a compiler
            CHECK_MESSAGE(result.says(" lacks "), result.describe());
            for (const auto& [fault, why] : {std::pair{"crash", "ended by signal 11 in its constructor"},
                                             std::pair{"exit0", "ended with status 0 in its constructor"},
                                             std::pair{"abort", "ended by signal 6 in its constructor"}}) {
                result = compile(folder, backend, std::string("constructor:") + fault, more);
                CHECK_MESSAGE(survived(result), backend, ' ', fault, ": ", result.describe());
                CHECK_MESSAGE(result.says(std::string("no compiler: The library ") + library_of(backend)),
                              result.describe());
                CHECK_MESSAGE(result.says(why), result.describe());
            }
        }
    }
}
