// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace ferry::inject {

/// A wrong byte, or a broken guarantee.
struct Wrong : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Scenario {
    std::string name;
    /// Throws Wrong, or the Error of a failed call.
    std::function<void()> run;
    /// Each failure needs a separate process, because the scenario opens the library.
    bool opens = false;
    /// Each run compiles, so only a part of the calls fails with --all.
    bool compiles = false;
};
const std::vector<Scenario>& scenarios();

/// Checks that the device still works. Throws like a scenario.
void use_device();

/// Enqueues work and destroys its buffers while `refuse(code)` makes the driver refuse every wait. `freed()`
/// is the number of allocations freed so far. Throws Wrong if it grows, or if the error does not report that
/// the memory is kept.
void keep_used_memory(const std::function<void(int)>& refuse, const std::function<long()>& freed);

/// Enqueues a fill of several vendor calls after `fail_second()`, which makes the second copy among them
/// fail. Throws Wrong if the error does not report the filled part, or if that part is not filled. With
/// `held_back`, the fill follows a copy made by a thread of the library, so that this thread enqueues the
/// fill.
void fill_in_parts(const std::function<void()>& fail_second, bool held_back);

} // namespace ferry::inject
