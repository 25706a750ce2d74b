// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <ferry/version.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace text_test {

using namespace ferry::detail;
using Names = std::vector<std::string>;

TEST_CASE("text: near names, the nearest first, at most three") {
    const Names names{"saxpy", "daxpy", "dot", "gemm", "gemv", "reverse_groups"};
    CHECK(near_names("saxpi", names).at(0) == "saxpy");
    CHECK(near_names("SAXPY", names).at(0) == "saxpy");
    CHECK(near_names("gem", names).size() >= 2);
    CHECK(near_names("reverse_group", names).at(0) == "reverse_groups");
    CHECK(near_names("entirely_different", names).empty());
    CHECK(near_names("a", Names{"aa", "ab", "ac", "ad", "ae"}).size() == 3);
    CHECK(near_names("x", {}).empty());
}

TEST_CASE("text: bytes are given exactly, and large ones readably too") {
    CHECK(in_bytes(0) == "0 bytes");
    CHECK(in_bytes(1) == "1 byte");
    CHECK(in_bytes(4096) == "4096 bytes");
    CHECK(in_bytes(2684354560) == "2.5 GiB (2684354560 bytes)");
    CHECK(in_bytes(~std::uint64_t{0}).find("18446744073709551615") != std::string::npos);
}

TEST_CASE("text: words are split, trimmed and joined") {
    CHECK(split("a,b,,c", ',') == Names{"a", "b", "", "c"});
    CHECK(split("", ',') == Names{""});
    CHECK(trim("  a b\t\n") == "a b");
    CHECK(trim(" \t").empty());
    CHECK(lower("OpenCL:1") == "opencl:1");
    CHECK(join({}).empty());
    CHECK(join({"a"}) == "a");
    CHECK(join({"a", "b", "c"}) == "a, b and c");
}

TEST_CASE("text: the version that runs is the one of the headers") {
    CHECK(std::string(ferry::version()) == std::to_string(FERRY_VERSION_MAJOR) + "." +
                                               std::to_string(FERRY_VERSION_MINOR) + "." +
                                               std::to_string(FERRY_VERSION_PATCH));
}

} // namespace text_test
