// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_api.hpp"
#include "driver/driver_compiler.hpp"

namespace ferry::cuda {

/// CUDA_MEMCPY3D. One end of the copy at a time: an address, and rows of `pitch` bytes, `height` of them in a
/// slice.
struct BoxCopy {
    struct End {
        std::size_t x, y, z, level; ///< Not used here, zero.
        int kind;                   ///< memory_kind.
        const void* host;           ///< For host memory.
        unsigned long long device;  ///< For all other memory.
        void* array;                ///< Not used.
        void* context;              ///< Of the device, in CUDA_MEMCPY3D_PEER; otherwise null.
        std::size_t pitch, height;
    };
    End from, to;
    std::size_t width, height, depth;
};
namespace memory_kind {
constexpr int host = 1;
constexpr int device = 2;
constexpr int unified = 4; ///< The driver determines it from the address.
} // namespace memory_kind

/// CUDA_KERNEL_NODE_PARAMS_v2.
struct KernelNode {
    driver::handle::Function function = nullptr;
    unsigned int groups[3]{};
    unsigned int local[3]{};
    unsigned int local_bytes = 0;
    void** parameters = nullptr;
    void** extra = nullptr;
    void* kernel = nullptr; ///< Used if there is no function.
    void* context = nullptr;
};

/// CUDA's types in the two symbol tables.
struct Types : driver::Types {
    static constexpr bool backend_is_cuda = true;
    using Context = struct ContextObject*;
    using Pointer = unsigned long long;
    using UploadSource = const void*;
    using PeerSource = Pointer;
    using Word = unsigned int;
    using BoxCopy = cuda::BoxCopy;
    using PeerBoxCopy = cuda::BoxCopy;
    using CaptureNumber = std::uint64_t;
    using KernelNode = cuda::KernelNode;
    using CopyKind = void;
    using Properties = void;
    using CompilerResult = int;
    using CompilerProgram = driver::CompilerProgram;
    using Strings = const char* const*;
};

constexpr driver::Attributes attributes{
    .max_group_size = 1,
    .local_x = 2,
    .local_y = 3,
    .local_z = 4,
    .groups_x = 5,
    .groups_y = 6,
    .groups_z = 7,
    .local_memory = 8,
    .warp_size = 10,
    .clock_khz = 13,
    .compute_units = 16,
    .integrated = 18,
    .map_host_memory = 19,
    .managed = 83,
    .concurrent_managed = 89,
    .host_page_tables = 100,
    .pageable_access = 88,
    .registered_has_host_address = 91,
    .registers_read_only = 113,
};
constexpr int capability_major = 75;
constexpr int capability_minor = 76;
constexpr int local_memory_opt_in = 97;
constexpr int max_dynamic_local_bytes = 8; ///< Function attribute.
constexpr unsigned int host_portable_mapped = 3;

} // namespace ferry::cuda
