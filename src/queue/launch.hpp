// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/queue.hpp>
#include <ferry/share.hpp>

#include <span>

namespace ferry::detail {

/// The implementation of Queue::launch(), for callers with arguments known only at run time.
void launch(Queue& target, const LaunchSite& site, const Grid& grid, std::span<const Argument> args);
/// The same with shares among the arguments; it sets their regions.
void launch(Queue& queue, const LaunchSite& site, const Grid& grid, std::span<Argument> args,
            std::span<const ShareUse> uses);

} // namespace ferry::detail
