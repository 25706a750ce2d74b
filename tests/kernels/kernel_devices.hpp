// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../conformance/devices.hpp"

/// A test whose body has `const ferry::Device& device` and runs once for every device that takes OpenCL C.
#define KERNEL_TEST(title) FERRY_TEST(title)
