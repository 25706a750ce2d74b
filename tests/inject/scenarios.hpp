// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace ferry::inject {

/// A wrong byte, or a promise that does not hold.
struct Wrong : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Scenario {
    std::string name;
    /// Throws Wrong, or the Error of a call that failed.
    std::function<void()> run;
    /// Runs in a process of its own for each failure, because it opens the library.
    bool opens = false;
};
const std::vector<Scenario>& scenarios();

/// The device still works. Throws as a scenario.
void use_device();

} // namespace ferry::inject
