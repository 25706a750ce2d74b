// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

namespace support {

/// As context.run(), but a filter that no test case passes is a failure, with a line that says so: the name
/// of a test that is gone would pass for ever.
int run_tests(doctest::Context& context);

} // namespace support
