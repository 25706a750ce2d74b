// SPDX-License-Identifier: Apache-2.0
#include "../conformance/devices.hpp"
#include "../support/child.hpp"
#include "../support/run_tests.hpp"

#include <cstdlib>
#include <string>

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

// Options in addition to doctest's: --seed=N (FERRY_TEST_SEED) and --count=N (FERRY_RANDOM_KERNELS). The
// count is the number of random kernels, which otherwise run for a few seconds.
int main(int argc, char** argv) {
    if (const auto status = support::run_child_body(argc, argv)) {
        return *status;
    }
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument.rfind("--seed=", 0) == 0) {
            setenv("FERRY_TEST_SEED", argument.c_str() + 7, 1);
        } else if (argument.rfind("--count=", 0) == 0) {
            setenv("FERRY_RANDOM_KERNELS", argument.c_str() + 8, 1);
        }
    }
    doctest::Context context(argc, argv);
    if (!conformance::announce_devices()) {
        return 1;
    }
    return support::run_tests(context);
}
