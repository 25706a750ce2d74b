// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ferry::detail {

/// Runs the destructors (DT_FINI_ARRAY, DT_FINI) of each library that was loaded after `before`, a result of
/// loaded_files(), was taken. The order is that of glibc's loader at the end of a process: a library is
/// finished before those that it needs, otherwise in the order of loading. The libraries are not usable
/// afterwards.
void finish_libraries(const std::vector<std::string>& before);

} // namespace ferry::detail
