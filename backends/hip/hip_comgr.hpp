// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ferry::hip {

/// The architectures ("gfx90a") that the comgr of a hipRTC supports. `compiler` is the file of the hipRTC.
/// Empty if there is no comgr next to it or on the loader's path. It loads comgr, as a compilation does.
std::vector<std::string> known_architectures(const std::string& compiler);

/// Throws Error (build_failed) if `architecture` ("gfx90a:xnack-") is not one of these, because hipRTC 5
/// would end the process. Accepts everything if none is known.
void check_architecture(const std::string& architecture, const std::vector<std::string>& known);

} // namespace ferry::hip
