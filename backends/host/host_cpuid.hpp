// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ferry::host {

/// Lines as in /proc/cpuinfo, made from the CPUID instruction: for machines where /proc is not mounted.
/// Kernels are compiled for these features, and a cache that several machines share must distinguish them.
/// Empty on processors without that instruction.
std::string cpuinfo_by_instruction();

} // namespace ferry::host
