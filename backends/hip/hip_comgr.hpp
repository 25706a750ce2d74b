// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ferry::hip {

/// The architectures ("gfx90a") that the comgr of a hipRTC knows. `compiler` is the file of the hipRTC. Empty
/// if there is no comgr beside it or on the loader's path. It loads comgr, which a compile does too.
std::vector<std::string> known_architectures(const std::string& compiler);

/// Throws Error (build_failed) if `architecture` ("gfx90a:xnack-") is not one of these: hipRTC 5 ends the
/// process over it. Nothing is refused if none is known.
void check_architecture(const std::string& architecture, const std::vector<std::string>& known);

} // namespace ferry::hip
