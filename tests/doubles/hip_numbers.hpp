// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "attributes.hpp"

namespace ferry_double {

#define FERRY_ATTRIBUTE(name, amd, number, cuda) attribute_##name = number,
enum Attribute : int { FERRY_DOUBLE_ATTRIBUTES(FERRY_ATTRIBUTE) };
#undef FERRY_ATTRIBUTE

} // namespace ferry_double
