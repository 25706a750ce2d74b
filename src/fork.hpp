// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ferry::detail {

/// Changes in a child process made by fork(). What was made under another value belongs to a parent process,
/// whose driver the child cannot use.
unsigned fork_count() noexcept;

} // namespace ferry::detail
