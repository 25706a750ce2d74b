// SPDX-License-Identifier: Apache-2.0
// The HIP stand-in with a driver that hangs during a measurement.
#include "fixture.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

using namespace isolation;

namespace {

support::ChildResult info(const Folder& folder, const std::string& fault) {
    support::Child child;
    child.program = std::getenv("FERRY_TOOL"); // NOLINT(concurrency-mt-unsafe)
    child.arguments = {"info", "hip:0"};
    child.environment = {{"FERRY_CACHE_DIR", folder.cache()}, {"FERRY_DOUBLE_FAIL", fault}};
    return support::run(child);
}

} // namespace

TEST_CASE("isolation: ferry info ends when the driver hangs in a copy, a fill or a launch") {
    for (const char* const function :
         {"hipMemcpyHtoDAsync", "hipMemcpyDtoHAsync", "hipMemsetD32Async", "hipModuleLaunchKernel"}) {
        const Folder folder;
        for (int i = 0; i < 2; ++i) {
            const auto result = info(folder, "slow:" + std::string(function) + ":600000");
            CHECK_MESSAGE(result.exited(0), function, ": ", result.describe());
            CHECK_MESSAGE(result.says("copy slots"), function, ": ", result.describe());
        }
    }
}
