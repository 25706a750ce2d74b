// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "box_layout.hpp"
#include "kernel_state.hpp"
#include "queue_state.hpp"
#include "race/checker.hpp"

#include <span>

// Commands about to be enqueued, in the race check's words. They throw what Checker::access() throws.
namespace ferry::detail {
class RecordingState;
}
namespace ferry::detail::race {

void note(const QueueState& queue, const char* what, const Access& first, const Access& second,
          SourceLocation where);
void note_launch(const QueueState& queue, const KernelState& kernel, std::span<const Argument> arguments,
                 SourceLocation where);
/// The arguments of a launch that are no shares themselves, looked at beside the shares that there are,
/// before those of the launch are locked. They throw what check_beside_shares() throws, and check_alive().
void check_beside_shares(const QueueState& queue, const KernelState& kernel,
                         std::span<const Argument> arguments, std::span<const ShareUse> uses,
                         SourceLocation where);
void note_rows(const QueueState& queue, const BoxSide& from, const BoxSide& to, const BoxCopy& copy,
               SourceLocation where);
void note_batch(const QueueState& queue, std::span<const BatchedCopy> copies, SourceLocation where);
/// All commands of it as one: what orders them is the recording's own.
void note_replay(const QueueState& queue, const RecordingState& recording, SourceLocation where);

} // namespace ferry::detail::race
