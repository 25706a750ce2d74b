// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <doctest/doctest.h>

using namespace loader;

TEST_CASE("AMD's runtime without a device: refused with the reason, and the process ends well") {
    for (int i = 0; i != 5; ++i) {
        const auto result = report({{"FERRY_BACKEND", "hip"}, {"FERRY_HIP_LIBRARY", path("FERRY_TEST_AMD")}});
        INFO(result.describe());
        CHECK(result.exited(0));
        CHECK(result.says("hip: not available"));
        CHECK(result.says("finds no device"));
        CHECK(result.says(path("FERRY_TEST_AMD")));
    }
}
