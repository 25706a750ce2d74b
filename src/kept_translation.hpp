// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate/translate.hpp"

namespace ferry::detail {

/// What translate::translate() makes of the text, for what BuildOptions say: from the cache on disk where the
/// same text was translated before. It is preprocessed each time, which tells the files it depends on. Throws
/// Error (build_failed) with the log if the text is wrong.
translate::Translation translate_or_throw(translate::Dialect dialect, const std::string& name,
                                          std::string_view text, const BuildOptions& options, bool fp64);

} // namespace ferry::detail
