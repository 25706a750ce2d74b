// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../doubles/ferry_double.h"

#include <ferry/ferry.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace conformance {

using DoubleCounts = ferry_double_live_objects;

/// Whether `device` is a stand-in for CUDA or HIP whose kernels run on the CPU.
bool is_double(const ferry::Device& device);

/// The text with CUDA's names in place of HIP's functions where the device is one of CUDA:
/// "cuMemAlloc_v2:2" for "hipMalloc:2". The functions below take HIP's names on both.
std::string vendor_name(const ferry::Device& device, std::string_view text);

/// Sets the faults of such a stand-in (tests/doubles/README.md); "" clears them. Throws Error (unsupported)
/// for other devices.
void inject(const ferry::Device& device, const char* faults);

/// Makes all later launches of that kernel fail when they run, without losing the device. "" restores all
/// kernels. Returns the vendor's error code. Works on these stand-ins and on that of OpenCL 1.2; throws Error
/// (unsupported) elsewhere.
int fail_launches(const ferry::Device& device, const std::string& kernel);

/// A kind of vendor call.
enum class CallKind : std::uint8_t { copy, launch, build, allocation, wait };

/// Makes the next vendor call of this kind call exit(status). Works on these stand-ins and on that of OpenCL
/// 1.2; throws Error (unsupported) elsewhere.
void exit_in_next(const ferry::Device& device, CallKind kind, int status);

/// Whether `device` is behind the stand-in of Vulkan.
bool is_vulkan_double(const ferry::Device& device);

/// Loses such a device at a submit: "lost@1", "late@1" (tests/doubles/README.md).
void lose_at_submit(const ferry::Device& device, const char* when);

/// Whether the stand-in's library has a function; old versions lack some. Throws like inject().
bool double_has(const ferry::Device& device, const char* function);

/// The number of calls of a stand-in's function in this process. Throws like inject().
long long double_calls(const ferry::Device& device, const char* function);

/// An argument of the last call of a hint (ferry_double_argument_function). Throws like inject().
long long double_argument(const ferry::Device& device, const char* function, int index);

/// The objects alive in the stand-in. Throws like inject().
DoubleCounts double_counts(const ferry::Device& device);

/// Checks that as many objects are alive as before, and that nothing was written or freed wrongly. Ignores
/// events, because a wait may have made one that is kept.
void check_counts(const DoubleCounts& now, const DoubleCounts& before);

} // namespace conformance
