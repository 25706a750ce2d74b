// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate/translate.hpp"

namespace ferry::detail {

/// The result of translate::translate() for the text and BuildOptions, from the cache on disk if the same
/// text was translated before. It is preprocessed each time, which determines the files that it depends on.
/// Throws Error (build_failed) with the log if the text has errors.
translate::Translation translate_or_throw(translate::Dialect dialect, const std::string& name,
                                          std::string_view text, const BuildOptions& options, bool fp64);

} // namespace ferry::detail
