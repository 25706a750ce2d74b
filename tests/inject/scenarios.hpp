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

/// Enqueues work and ends its buffers while `refuse(code)` makes the driver refuse every wait. Throws Wrong
/// if `freed()`, the number of allocations given back so far, grows, or if the error does not say that the
/// memory is kept.
void keep_used_memory(const std::function<void(int)>& refuse, const std::function<long()>& freed);

/// Enqueues a fill of several vendor calls after `fail_second()`, which makes the second copy among them
/// fail. Throws Wrong if the error does not say which part was filled, or if that part is not. `held_back`:
/// behind a copy that a thread of the library carries out, so that the same thread enqueues the fill.
void fill_in_parts(const std::function<void()>& fail_second, bool held_back);

} // namespace ferry::inject
