// SPDX-License-Identifier: Apache-2.0
#pragma once

// HIP's versions of the types in Ferry's symbol tables, for the doubles. Handles are void* and enumerations
// are int, which is the same in the ABI. hip_header_check.cpp compares the result with AMD's own header.

#include "codes.hpp"
#include "external_types.hpp"

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
using MemoryAdvice = int;
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

} // namespace ferry_double
