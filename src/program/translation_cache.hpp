// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate/translate.hpp"

namespace ferry::detail {

/// The result of emit_cpp::translate() for the text and BuildOptions, read from the cache on disk if the
/// same text was translated before. The text is preprocessed each time, because this determines the files
/// that it includes. Throws Error (build_failed) with the log if the text has errors.
translate::Translation translate_or_throw(translate::Dialect dialect, const std::string& name,
                                          std::string_view text, const BuildOptions& options, bool fp64);

} // namespace ferry::detail
