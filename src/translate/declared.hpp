// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate.hpp"

namespace ferry::translate {

/// Completes the compiler's description of a kernel with the declarations in its text: names, types, kinds.
/// If both describe the same property, they must agree; otherwise throws Error (internal) with the parameter,
/// because one of them is wrong. Local memory is passed as an offset of 4 bytes. The parameter for an offset
/// of launches is omitted.
KernelInfo complete(KernelInfo compiled, const TranslatedKernel& translated);

} // namespace ferry::translate
