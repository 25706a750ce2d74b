// SPDX-License-Identifier: Apache-2.0
#pragma once

// CUDA's types in the exported functions of driver_cpu. Ferry's own types have the same layout; tests/abi
// compares those with NVIDIA's headers.

#include "../attributes.hpp"
#include "../driver_cpu/work.hpp"
#include "../external_types.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

#define FERRY_ROWS_CUDA 1
#define FERRY_DOUBLE_WITH_RUNTIME 1
#define FERRY_DOUBLE_WITH_COMPILER 1

namespace ferry_double {

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
using Graph = void*;
using GraphExec = void*;
using GraphNode = void*;
using MemoryAdvice = int;
using CaptureMode = int;
using CaptureStatus = int;
using CaptureNumber = std::uint64_t;
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
// CUDA_MEMCPY3D and, with contexts, CUDA_MEMCPY3D_PEER
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
using CopyKind = void;
using Properties = void;

using CompilerResult = int;
using CompilerProgram = void*;
using Strings = const char* const*;

#define FERRY_ATTRIBUTE(name, amd, number, cuda) attribute_##name = cuda,
enum Attribute : int { FERRY_DOUBLE_ATTRIBUTES(FERRY_ATTRIBUTE) };
#undef FERRY_ATTRIBUTE

// A device address is a number, and a context is the address of a device's state.
inline void* address_of(Pointer pointer) {
    return reinterpret_cast<void*>(pointer);
}
inline Pointer pointer_to(void* address) {
    return reinterpret_cast<Pointer>(address);
}
inline int ordinal_of(Context context) {
    for (int i = 0; device_at(i) != nullptr; ++i) {
        if (device_at(i) == context) {
            return i;
        }
    }
    return -1;
}
inline Context context_of(int ordinal) {
    return device_at(ordinal);
}
inline bool may_be_current(Context context) {
    return context == nullptr || ordinal_of(context) >= 0;
}

constexpr bool external_takes_descriptor = true;
constexpr int lowest_priority = 0;
constexpr int highest_priority = -5;
constexpr int init_without_device = no_device;
constexpr bool compiler_is_serial = false;
constexpr const char* name_of_devices = "Ferry CUDA double on the CPU";
constexpr int compiler_major = 12;
constexpr int compiler_minor = 4;
inline constexpr const char* compiler_errors[] = {"NVRTC_SUCCESS",
                                                  "NVRTC_ERROR_OUT_OF_MEMORY",
                                                  "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                                  "NVRTC_ERROR_INVALID_INPUT",
                                                  "NVRTC_ERROR_INVALID_PROGRAM",
                                                  "NVRTC_ERROR_INVALID_OPTION",
                                                  "NVRTC_ERROR_COMPILATION",
                                                  "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                                  "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                                  "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                                  "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                                  "NVRTC_ERROR_INTERNAL_ERROR"};

inline bool is_hidden(std::string_view) {
    return false;
}

/// CUDA has no separate code for an invalid configuration.
constexpr int code_for(int code) {
    return code == invalid_configuration ? invalid_value : code;
}

inline int read_box(const BoxCopy& copy, Box& box) {
    constexpr int host = 1;
    constexpr int device = 2;
    constexpr int unified = 4;
    for (const BoxCopy::End* end : {&copy.from, &copy.to}) {
        if (end->array != nullptr || end->level != 0 ||
            (end->kind != host && end->kind != device && end->kind != unified)) {
            return invalid_value;
        }
    }
    const auto end = [](const BoxCopy::End& from) {
        void* const address = from.kind == host ? const_cast<void*>(from.host) : address_of(from.device);
        return Box::End{address, from.x, from.y, from.z, from.pitch, from.height, from.kind == device};
    };
    box = {end(copy.from), end(copy.to), copy.width, copy.height, copy.depth};
    return success;
}

} // namespace ferry_double
