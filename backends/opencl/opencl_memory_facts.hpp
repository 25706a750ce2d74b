// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/fact_builders.hpp"
#include "opencl_api.hpp"
#include "opencl_info.hpp"
#include "opencl_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace ferry::opencl {

/// A driver's answers, as numbers. Also 0 if it does not know the query.
struct MemoryAnswers {
    bool cpu = false;
    bool host_unified = false;                ///< CL_DEVICE_HOST_UNIFIED_MEMORY.
    cl_device_svm_capabilities svm = 0;       ///< CL_DEVICE_SVM_CAPABILITIES.
    cl_bitfield usm_host = 0;                 ///< CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL.
    cl_bitfield usm_shared = 0;               ///< CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL.
    cl_bitfield usm_system = 0;               ///< CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL.
    std::size_t base_alignment = 0;           ///< Bytes: CL_DEVICE_MEM_BASE_ADDR_ALIGN, which is in bits, /
                                              ///< 8.
    std::uint64_t max_allocation = 0;         ///< CL_DEVICE_MAX_MEM_ALLOC_SIZE.
    InPlace imports = InPlace::never;         ///< How Ferry uses the caller's memory.
    Storage host_storage{}, shared_storage{}; ///< The storage that Ferry uses for these kinds.
};

/// The table.
MemoryCapabilities memory_facts(const MemoryAnswers& answers, MemoryKind kind);

} // namespace ferry::opencl
