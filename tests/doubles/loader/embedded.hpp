// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace loader {

/// What the build does for ferry_add_kernels(): a text compiled by this process's hipRTC for each
/// architecture, into FOLDER/<architecture>.
void make_code_objects(const std::string& folder, const std::vector<std::string>& architectures);

/// What a program with embedded kernels does. `forms` are "ptx:FILE" and "gfx90a:FILE". Prints which form
/// runs on the first device of this process, what explain() says, and on a device that computes the kernel's
/// value.
void run_embedded(const std::vector<std::string>& forms);

} // namespace loader
