// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace loader {

/// Does the work of ferry_add_kernels() in the build: this process's hipRTC compiles a text for each
/// architecture, into FOLDER/<architecture>.
void make_code_objects(const std::string& folder, const std::vector<std::string>& architectures);

/// Runs a program with embedded kernels. `forms` are "ptx:FILE" and "gfx90a:FILE". Prints the form used on
/// the first device of this process, the text of explain(), and the kernel's value if the device can compute
/// it.
void run_embedded(const std::vector<std::string>& forms);

} // namespace loader
