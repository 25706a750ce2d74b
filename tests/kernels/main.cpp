// SPDX-License-Identifier: Apache-2.0
#include "../conformance/devices.hpp"
#include "../support/child.hpp"
#include "../support/run_tests.hpp"
#include "emit_cpp/emit.hpp"

#include <cstdlib>
#include <iostream>
#include <string>

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

namespace {

/// Otherwise a test of an emitter would pass with the other one.
bool has_chosen_emitter() {
    if (std::getenv("FERRY_TEST_EMITTER") == nullptr) {
        return true;
    }
    for (const ferry::Device& device : conformance::test_devices()) {
        if (device.backend() != ferry::Backend::host ||
            !ferry::emit_cpp::is_used_for(ferry::translate::Dialect::host)) {
            std::cerr << "FERRY_TEST_EMITTER does not choose the emitter for " << device.id() << '\n';
            return false;
        }
    }
    return true;
}

} // namespace

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
    if (!conformance::announce_devices() || !has_chosen_emitter()) {
        return 1;
    }
    return support::run_tests(context);
}
