// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// VkFFT's CUDA back end with an interface of three functions, in a separate module. The module is linked to
// NVIDIA's libraries, but the sample is not. VkFFT's header supports only one back end per program. Codes are
// VkFFT's; 0 is success. The device's context must be current in the calling thread. vkfft_module.cpp defines
// the functions with the names below.

/// Makes a plan for `count` transforms of `length` complex floats, one after the other at a device address.
/// Returns null and stores the reason in `code` if that fails.
using MakePlan = void*(int device, std::uint64_t address, std::size_t length, std::size_t count, int* code);
/// Enqueues the transforms in place on a CUstream; does not wait.
using AppendPlan = int(void* plan, void* stream, int inverse);
using DropPlan = void(void* plan);

inline constexpr const char* make_plan_name = "sample_vkfft_make";
inline constexpr const char* append_plan_name = "sample_vkfft_append";
inline constexpr const char* drop_plan_name = "sample_vkfft_drop";
