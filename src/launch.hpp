// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/queue.hpp>
#include <ferry/share.hpp>

#include <span>

namespace ferry::detail {

/// What Queue::launch() comes to, for callers who know their arguments only at run time.
void launch(Queue& target, const LaunchSite& site, const Grid& grid, std::span<const Argument> args);
/// The same with shares among the arguments, whose regions it fills in.
void launch(Queue& queue, const LaunchSite& site, const Grid& grid, std::span<Argument> args,
            std::span<const ShareUse> uses);

} // namespace ferry::detail
