// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "request.hpp"
#include "system/process.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::detail::trial {

/// What a child got of its parent, and how it went.
struct ChildEnd {
    bool started = false;
    bool late = false;         ///< its time was up, and it was killed
    std::optional<int> status; ///< as waitpid() gives it; no value if the program waits for all its children
    std::string how;           ///< "ended by signal 11", "ended with status 2", "could not be started: ..."
};

/// Takes what the child wrote; false: it is to be killed. Called with an empty text too, now and then.
using Take = std::function<bool(std::string_view bytes)>;
/// When the child is to be killed, as things stand.
using Limit = std::function<Clock::time_point()>;

/// Runs a program or a function in a process of its own: its input is `input` (at most 32 KiB), its output
/// goes to `take`, its errors nowhere; `start` needs no descriptors. It inherits no other open file and no
/// blocked or ignored signal, and the processes that it starts are killed with it. Blocks until it is over;
/// no signal handler of this process is touched, and if this process reaps its children itself, only the
/// status is lost. Never throws.
ChildEnd run_child(ProcessStart start, const std::string& input, const Take& take, const Limit& limit);

} // namespace ferry::detail::trial
