// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "child/message.hpp"
#include "system/process.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::detail::child_run {

/// How a child process ended.
struct ChildEnd {
    bool started = false;
    bool late = false;         ///< Its time was over, and it was killed.
    std::optional<int> status; ///< The status of waitpid(). Empty if the program waits for all its children.
    std::string how;           ///< "ended by signal 11", "ended with status 2", "could not be started: ...".
};

/// Takes the child's output. Returns false if the child must be killed. Also called occasionally with an
/// empty text.
using Take = std::function<bool(std::string_view bytes)>;
/// The time at which the child will be killed, in the present state.
using Limit = std::function<Clock::time_point()>;

/// Runs a program or a function in a separate process. Its input is `input` (at most 32 KiB), its output goes
/// to `take`, and its errors are discarded; `start` needs no descriptors. It inherits no other open file and
/// no blocked or ignored signal, and processes that it starts are killed with it. Blocks until it has ended.
/// Changes no signal handler of this process. If this process reaps its children itself, only the status is
/// lost. Never throws.
ChildEnd run_child(ProcessStart start, const std::string& input, const Take& take, const Limit& limit);

} // namespace ferry::detail::child_run
