// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../conformance/devices.hpp"

/// A test with `const ferry::Device& device` in its body, run once for every device that accepts OpenCL C.
#define KERNEL_TEST(title) FERRY_TEST(title)
