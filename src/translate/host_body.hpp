// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rewrite.hpp"

namespace ferry::translate {

/// Appends the body of a kernel in the form for the host: for a whole work-group, as loops over its
/// work-items that begin and end at barriers. A variable that lives across a barrier becomes an array with an
/// element for each work-item. A variable that is the same for all of them stays a plain variable. Names in
/// scope there: fy_g (the group), fy_n (its number of work-items), the parameters.
void write_host_body(const Rewriter& rewriter, const FunctionSyntax& kernel, Output& out);

} // namespace ferry::translate
