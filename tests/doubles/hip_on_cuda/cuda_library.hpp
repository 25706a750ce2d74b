// SPDX-License-Identifier: Apache-2.0
#pragma once

// The CUDA half of Ferry's tables, with the types used here.

#include "../external_types.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ferry_double::cuda {

using Result = int;
using Device = int;
using DeviceAttribute = int;
using Context = void*;
using Pointer = unsigned long long;
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
using UploadSource = const void*;
using PeerSource = Pointer;
using Word = unsigned int;
struct BoxCopy {
    struct End {
        std::size_t x, y, z, level;
        int kind;
        const void* host;
        Pointer device;
        void* array;
        void* context;
        std::size_t pitch, height;
    };
    End from, to;
    std::size_t width, height, depth;
};
using PeerBoxCopy = BoxCopy;
using Graph = void*;
using GraphExec = void*;
using GraphNode = void*;
using MemoryAdvice = int;
using CaptureMode = int;
using CaptureStatus = int;
using CaptureNumber = unsigned long;
// CUDA_KERNEL_NODE_PARAMS_v2
struct KernelNode {
    void* function;
    unsigned int grid[3];
    unsigned int block[3];
    unsigned int shared_bytes;
    void** parameters;
    void** extra;
    void* kernel;
    void* context;
};
using CompilerResult = int;
using CompilerProgram = void*;
using Strings = const char* const*;

struct Driver {
#define FERRY_SYMBOL(tier, member, cuda, hip, parameters) Result(*cuda) parameters = nullptr;
#define FERRY_CUDA_SYMBOL(tier, member, name, result, parameters) result(*name) parameters = nullptr;
#include "driver/symbols.def"
    /// The first missing library or symbol; empty if the driver is complete.
    std::string missing;
};

struct Compiler {
#define FERRY_COMPILER_SYMBOL(tier, member, nvrtc, hiprtc, parameters) \
    CompilerResult(*nvrtc) parameters = nullptr;
#define FERRY_COMPILER_TEXT(tier, member, nvrtc, hiprtc, parameters) const char*(*nvrtc)parameters = nullptr;
#define FERRY_NVRTC_SYMBOL(tier, member, name, result, parameters) result(*name) parameters = nullptr;
#include "driver/compiler.def"
    std::string missing;
};

/// Opened at the first use: libcuda.so.1 and libnvrtc.so.13 or .12, or the libraries named by
/// FERRY_DOUBLE_CUDA_LIBRARY and FERRY_DOUBLE_NVRTC_LIBRARY.
const Driver& driver();
const Compiler& compiler();

} // namespace ferry_double::cuda
