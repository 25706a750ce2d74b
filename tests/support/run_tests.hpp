// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

namespace support {

/// Like context.run(), but prints the name of each test case when it starts, and a filter that matches no
/// test case is a failure with a message. Otherwise the name of a removed test would always pass.
int run_tests(doctest::Context& context);

} // namespace support
