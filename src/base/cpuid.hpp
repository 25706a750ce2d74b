// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ferry::host {

/// Lines like those of /proc/cpuinfo, made with the CPUID instruction, for machines without /proc. Kernels
/// are compiled for these features, and a cache shared by several machines must distinguish them. Empty on
/// processors without that instruction.
std::string cpuinfo_by_instruction();

} // namespace ferry::host
