// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ferry::translate {
struct Translation;
}

namespace ferry::host {

/// The C++ of a translation, with #line directives that name the user's files, so that a debugger shows them.
/// A file that is not on disk under its name with the same text is written into `folder`.
std::string with_source_lines(const translate::Translation& translation, const std::string& folder);

} // namespace ferry::host
