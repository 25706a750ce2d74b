// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../doubles/ferry_double.h"

#include <ferry/ferry.hpp>

#include <string>

namespace conformance {

using DoubleCounts = ferry_double_live_objects;

/// Whether `device` is a stand-in of CUDA or HIP whose kernels run on the CPU.
bool is_double(const ferry::Device& device);

/// Sets the faults of such a stand-in (tests/doubles/README.md); "" clears them. Throws Error (unsupported)
/// if `device` is no such stand-in.
void inject(const ferry::Device& device, const char* faults);

/// From now on launches of that kernel fail when their turn comes, and the device survives it; "": those of
/// none. On these stand-ins and that of OpenCL 1.2; throws Error (unsupported) elsewhere. The vendor's code.
int fail_launches(const ferry::Device& device, const std::string& kernel);

/// From now on a launch of that kernel calls exit(status). On the stand-in of OpenCL 1.2; throws Error
/// (unsupported) elsewhere.
void exit_in_launches(const ferry::Device& device, const std::string& kernel, int status);

/// Whether the stand-in's library has a function, which one of an old version may not. Throws like inject().
bool double_has(const ferry::Device& device, const char* function);

/// How often a function of the stand-in's was called in this process. Throws like inject().
long long double_calls(const ferry::Device& device, const char* function);

/// What lives in the stand-in. Throws like inject().
DoubleCounts double_counts(const ferry::Device& device);

/// As much lives as before, and nothing was written or freed that should not be. Not of events: a wait may
/// have made one that is kept.
void check_counts(const DoubleCounts& now, const DoubleCounts& before);

} // namespace conformance
