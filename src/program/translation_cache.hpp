// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate/translate.hpp"

#include <ferry/device_info.hpp>

namespace ferry::detail {

/// The result of emit_cpp::translate() for the text and BuildOptions, read from the cache on disk if the
/// same text was translated before. `device` is its target. The text is preprocessed each time, because this
/// determines the files that it includes. Throws Error (build_failed) with the log if the text has errors.
translate::Translation translate_or_throw(translate::Dialect dialect, const std::string& name,
                                          std::string_view text, const BuildOptions& options,
                                          const DeviceInfo& device);

} // namespace ferry::detail
