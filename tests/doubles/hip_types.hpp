// SPDX-License-Identifier: Apache-2.0
#pragma once

// The types of Ferry's symbol tables as HIP has them, for the doubles. Handles are void*, enumerations int:
// what passes through the ABI is the same. hip_header_check.cpp compares the result with AMD's own header.

#include <cstddef>

namespace ferry_double {

using Result = int;
using Device = int;
using DeviceAttribute = int;
using Context = int;
using Pointer = void*;
using Stream = void*;
using Event = void*;
using Module = void*;
using Function = void*;
using FunctionAttribute = int;
using PointerAttribute = int;
using JitOption = int;
struct Uuid {
    char bytes[16];
};
using UploadSource = void*;
using PeerSource = const void*;
using Word = int;
using Graph = void*;
using GraphExec = void*;
using GraphNode = void*;
using CaptureMode = int;
using CaptureStatus = int;
using CaptureNumber = unsigned long long;
// hipKernelNodeParams
struct KernelNode {
    unsigned int block[3];
    void** extra;
    void* function;
    unsigned int grid[3];
    void** parameters;
    unsigned int shared_bytes;
};
using CopyKind = int;
struct BoxCopy {
    struct End {
        void* array;
        std::size_t x, y, z;
        void* address;
        std::size_t pitch, row_length, height;
    };
    End from, to;
    std::size_t width, height, depth;
    int kind;
};
using PeerBoxCopy = void;
using Properties = void;

using CompilerResult = int;
using CompilerProgram = void*;
using Strings = const char**;

// hipError_t, the part that the doubles return.
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

/// Whether a device that met this is lost, as after a fault of a kernel.
constexpr bool is_sticky(int code) {
    return code == illegal_address || code == launch_time_out || (code >= 709 && code <= 710) ||
           (code >= 714 && code <= launch_failure);
}

// hiprtcResult
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
