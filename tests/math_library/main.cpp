// SPDX-License-Identifier: Apache-2.0
#include "../support/run_tests.hpp"

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

int main(int argc, char** argv) {
    doctest::Context context(argc, argv);
    return support::run_tests(context);
}
