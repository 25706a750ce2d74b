// SPDX-License-Identifier: Apache-2.0
#include "../support/child.hpp"
#include "../support/run_tests.hpp"
#include "devices.hpp"

#include <optional>
#include <string_view>

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

int main(int argc, char** argv) {
    if (const std::optional<int> status = support::run_child_body(argc, argv)) {
        return *status;
    }
    doctest::Context context(argc, argv);
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--help" || argument == "-h" || argument == "--list-test-cases" ||
            argument == "-ltc") {
            return context.run();
        }
    }
    if (!conformance::announce_devices()) {
        return 1;
    }
    return support::run_tests(context);
}
