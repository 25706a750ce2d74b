// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_api.hpp"
#include "driver/driver_compiler.hpp"

#include <cstddef>

namespace ferry::hip {

/// Room for hipDeviceProp_t of any version. Only the architecture's name is read from it; its position
/// changed with HIP 6, and with it the function's name.
struct alignas(16) Properties {
    char bytes[4096];
};
constexpr std::size_t architecture_offset = 396;
constexpr std::size_t architecture_offset_r0600 = 1160;

/// hipMemcpy3DParms. Not HIP_MEMCPY3D, because its fields and numbers changed with HIP 6.
struct BoxCopy {
    struct End {
        void* array;         ///< Not used.
        std::size_t x, y, z; ///< Not used here, zero.
        void* address;
        std::size_t pitch;
        std::size_t row_length; ///< Usable bytes of a row.
        std::size_t height;     ///< Rows of a slice.
    };
    End from, to;
    std::size_t width, height, depth;
    int kind;
};

/// hipKernelNodeParams.
struct KernelNode {
    unsigned int local[3]{};
    void** extra = nullptr;
    driver::handle::Function function = nullptr;
    unsigned int groups[3]{};
    void** parameters = nullptr;
    unsigned int local_bytes = 0;
};

/// HIP's types in the two symbol tables. The device's ordinal is current on a thread, not a context.
struct Types : driver::Types {
    static constexpr bool backend_is_cuda = false;
    using CopyKind = int;
    using BoxCopy = hip::BoxCopy;
    using PeerBoxCopy = void;
    using KernelNode = hip::KernelNode;
    using CaptureNumber = unsigned long long;
    using Properties = hip::Properties;
    using Word = int;
    using PeerSource = const void*;
    using UploadSource = void*;
    using Pointer = void*;
    using Context = int;
    using Strings = const char**;
    using CompilerProgram = driver::CompilerProgram;
    using CompilerResult = int;
};

// Valid since HIP 5.0; older versions have other numbers.
constexpr driver::Attributes attributes{56, 26, 27, 28, 29, 30, 31, 74, 87, 5,
                                        63, 16, 3,  24, 9,  66, 65, 4,  -1};

// Fine-grained: hipHostMallocPortable alone would give memory that is coherent only between kernels.
constexpr unsigned int host_mapped = 2;
constexpr int copy_up = 1;      ///< hipMemcpyHostToDevice.
constexpr int copy_down = 2;    ///< hipMemcpyDeviceToHost.
constexpr int copy_between = 3; ///< hipMemcpyDeviceToDevice.
constexpr int copy_default = 4; ///< hipMemcpyDefault.

} // namespace ferry::hip
