// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate.hpp"

namespace ferry::translate {

/// What a compiler said of a kernel, completed by what its text declares: names, types, kinds. Where both
/// know a thing they must agree; throws Error (internal) naming the parameter if they do not, for then one of
/// them is wrong. Local memory is passed as an offset of 4 bytes. The parameter for an offset of launches is
/// left out.
KernelInfo complete(KernelInfo compiled, const TranslatedKernel& translated);

} // namespace ferry::translate
