// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check/checker.hpp"
#include "program/kernel_state.hpp"
#include "queue/box_layout.hpp"
#include "queue/queue_state.hpp"

#include <span>

// Descriptions of commands that are about to be enqueued, for the race check. These functions throw the
// errors of Checker::access().
namespace ferry::detail {
class RecordingState;
}
namespace ferry::detail::race {

void note(const QueueState& queue, const char* what, const Access& first, const Access& second,
          SourceLocation where);
void note_launch(const QueueState& queue, const KernelState& kernel, std::span<const Argument> arguments,
                 SourceLocation where);
/// Checks the launch arguments that are not shares against the existing shares, before those of the launch
/// are locked. Throws the errors of check_direct_use() and check_alive().
void check_direct_use(const QueueState& queue, const KernelState& kernel, std::span<const Argument> arguments,
                      std::span<const ShareUse> uses, SourceLocation where);
void note_rows(const QueueState& queue, const BoxSide& from, const BoxSide& to, const BoxCopy& copy,
               SourceLocation where);
void note_batch(const QueueState& queue, std::span<const BatchedCopy> copies, SourceLocation where);
/// All its commands as one, because the recording itself orders them.
void note_replay(const QueueState& queue, const RecordingState& recording, SourceLocation where);

} // namespace ferry::detail::race
