// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_api.hpp"
#include "driver/driver_compiler.hpp"

namespace ferry::cuda {

/// CUDA's types in the two symbol tables.
struct Types : driver::Types {
    static constexpr bool backend_is_cuda = true;
    using Context = struct ContextObject*;
    using Pointer = unsigned long long;
    using UploadSource = const void*;
    using PeerSource = Pointer;
    using Word = unsigned int;
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
};
constexpr int capability_major = 75;
constexpr int capability_minor = 76;
constexpr int local_memory_opt_in = 97;
constexpr int max_dynamic_local_bytes = 8; ///< function attribute
constexpr unsigned int host_portable_mapped = 3;

} // namespace ferry::cuda
