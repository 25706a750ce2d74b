// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ferry::opencl {

/// The source of ferry_fill(), which repeats a pattern of any size.
extern const char* const fill_text;

} // namespace ferry::opencl
