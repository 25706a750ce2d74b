// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// VkFFT's CUDA back end behind three functions, in a module of its own: it is linked to NVIDIA's libraries,
// which the sample is not, and its header can be compiled for one back end in a program. Codes are VkFFT's, 0
// is success. The calling thread's context is the device's. vkfft_module.cpp has the functions under the
// names below.

/// A plan for `count` transforms of `length` complex floats, one behind the other at a device address; null,
/// and why in `code`, if there is none.
using MakePlan = void*(int device, std::uint64_t address, std::size_t length, std::size_t count, int* code);
/// Enqueues the transforms in place on a CUstream; does not wait.
using AppendPlan = int(void* plan, void* stream, int inverse);
using DropPlan = void(void* plan);

inline constexpr const char* make_plan_name = "sample_vkfft_make";
inline constexpr const char* append_plan_name = "sample_vkfft_append";
inline constexpr const char* drop_plan_name = "sample_vkfft_drop";
