// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ferry_double {

unsigned long long live_programs();

} // namespace ferry_double
