// SPDX-License-Identifier: Apache-2.0
#pragma once

// Results of calls, for the doubles of CUDA and HIP. hip_header_check.cpp compares them with AMD's header.

namespace ferry_double {

// The part of hipError_t and CUresult that the doubles return. The numbers are the same, but CUDA lacks
// invalid_configuration and invalid_copy_direction.
enum Code : int {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    not_initialized = 3,
    invalid_configuration = 9,
    invalid_copy_direction = 21,
    no_device = 100,
    invalid_device = 101,
    invalid_image = 200,
    no_context = 201,
    no_binary_for_gpu = 209,
    unsupported_limit = 215,
    invalid_handle = 400,
    illegal_state = 401,
    not_found = 500,
    not_ready = 600,
    illegal_address = 700,
    launch_out_of_resources = 701,
    launch_time_out = 702,
    peer_access_already_enabled = 704,
    peer_access_not_enabled = 705,
    assertion = 710,
    already_mapped = 712,
    not_mapped = 713,
    launch_failure = 719,
    not_supported = 801,
    capture_unsupported = 900,
    capture_invalidated = 901,
    capture_unjoined = 904,
    capture_isolation = 905,
    unknown = 999,
};

/// Whether this code loses the device, as after a kernel's fault.
constexpr bool is_sticky(int code) {
    return code == illegal_address || code == launch_time_out || (code >= 709 && code <= 710) ||
           (code >= 714 && code <= launch_failure);
}

// hiprtcResult and nvrtcResult
enum CompilerCode : int {
    compiler_out_of_memory = 1,
    compiler_program_failure = 2,
    compiler_invalid_input = 3,
    compiler_invalid_program = 4,
    compiler_invalid_option = 5,
    compiler_compilation = 6,
    compiler_internal = 11,
};

} // namespace ferry_double

#define FERRY_DOUBLE_EXPORT extern "C" __attribute__((visibility("default")))
