// SPDX-License-Identifier: Apache-2.0
#include "opencl/opencl_lines.hpp"

#include <doctest/doctest.h>

#include <string>

namespace opencl_lines_test {

using ferry::opencl::in_users_lines;

namespace {

const std::string text = "#define FERRY_OPENCL 1\n" // 1
                         "#line 1 \"wrong.cl\"\n"
                         "#line 1 \"part.h\"\n"
                         "// more\n" // 4
                         "float from_header(float x) {\n"
                         "#line 2 \"wrong.cl\"\n"
                         "__kernel void k(__global float* o) {\n" // 7
                         "    o[0] = not_here;\n"
                         "}";

} // namespace

TEST_CASE("OpenCL logs: numbers that count all lines become the user's file and line") {
    CHECK(in_users_lines("<kernel>:8:12: error: x\n    o[0] = not_here;\n           ^\n<kernel>:5:7: note: y",
                         text) ==
          "wrong.cl:3:12: error: x\n    o[0] = not_here;\n           ^\npart.h:2:7: note: y");
    CHECK(in_users_lines("<kernel>:9:1: error", text) == "wrong.cl:4:1: error");
}

TEST_CASE("OpenCL logs: invalid places, and places before the user's text, are unchanged") {
    for (const std::string log :
         {"", "wrong.cl:3:12: error", "<kernel>:1:2: error", "<kernel>:10:1: x", "<kernel>:0:1: x",
          "<kernel>: x", "<kernel>:", "<kernel>:99999999999999999999:1"}) {
        CAPTURE(log);
        CHECK(in_users_lines(log, text) == log);
    }
    CHECK(in_users_lines("<kernel>:1:1: x", "") == "<kernel>:1:1: x");
}

} // namespace opencl_lines_test
