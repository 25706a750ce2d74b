// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ferry::detail {

/// Runs the destructors (DT_FINI_ARRAY, DT_FINI) of each library that was loaded after `before`, a result of
/// loaded_files(), was taken, the last one first, as the loader does at the end of a process. The libraries
/// are not usable afterwards.
void finish_libraries(const std::vector<std::string>& before);

} // namespace ferry::detail
