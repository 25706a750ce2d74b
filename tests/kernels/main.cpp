// SPDX-License-Identifier: Apache-2.0
#include "../conformance/devices.hpp"

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

int main(int argc, char** argv) {
    doctest::Context context(argc, argv);
    if (context.shouldExit() || !conformance::announce_devices()) {
        return 1;
    }
    return context.run();
}
