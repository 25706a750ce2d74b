// SPDX-License-Identifier: Apache-2.0
#pragma once

// Attributes of devices and functions that the doubles of CUDA and HIP report. HIP's numbers are those since
// ROCm 5.0; hip_header_check.cpp compares them with AMD's header.

// FERRY_ATTRIBUTE(name here, AMD's name without hipDeviceAttribute, number, CUDA's number or 0)
#define FERRY_DOUBLE_ATTRIBUTES(FERRY_ATTRIBUTE)                                                          \
    FERRY_ATTRIBUTE(ecc_enabled, EccEnabled, 0, 32)                                                       \
    FERRY_ATTRIBUTE(async_engine_count, AsyncEngineCount, 2, 40)                                          \
    FERRY_ATTRIBUTE(can_map_host_memory, CanMapHostMemory, 3, 19)                                         \
    FERRY_ATTRIBUTE(can_use_host_pointer_for_registered_memory, CanUseHostPointerForRegisteredMem, 4, 91) \
    FERRY_ATTRIBUTE(clock_rate, ClockRate, 5, 13)                                                         \
    FERRY_ATTRIBUTE(compute_mode, ComputeMode, 6, 20)                                                     \
    FERRY_ATTRIBUTE(compute_preemption_supported, ComputePreemptionSupported, 7, 90)                      \
    FERRY_ATTRIBUTE(concurrent_kernels, ConcurrentKernels, 8, 31)                                         \
    FERRY_ATTRIBUTE(concurrent_managed_access, ConcurrentManagedAccess, 9, 89)                            \
    FERRY_ATTRIBUTE(cooperative_launch, CooperativeLaunch, 10, 95)                                        \
    FERRY_ATTRIBUTE(direct_managed_access, DirectManagedMemAccessFromHost, 13, 101)                       \
    FERRY_ATTRIBUTE(host_native_atomic_supported, HostNativeAtomicSupported, 15, 86)                      \
    FERRY_ATTRIBUTE(integrated, Integrated, 16, 18)                                                       \
    FERRY_ATTRIBUTE(kernel_exec_timeout, KernelExecTimeout, 18, 17)                                       \
    FERRY_ATTRIBUTE(l2_cache_size, L2CacheSize, 19, 38)                                                   \
    FERRY_ATTRIBUTE(compute_capability_major, ComputeCapabilityMajor, 23, 75)                             \
    FERRY_ATTRIBUTE(managed_memory, ManagedMemory, 24, 83)                                                \
    FERRY_ATTRIBUTE(max_block_dim_x, MaxBlockDimX, 26, 2)                                                 \
    FERRY_ATTRIBUTE(max_block_dim_y, MaxBlockDimY, 27, 3)                                                 \
    FERRY_ATTRIBUTE(max_block_dim_z, MaxBlockDimZ, 28, 4)                                                 \
    FERRY_ATTRIBUTE(max_grid_dim_x, MaxGridDimX, 29, 5)                                                   \
    FERRY_ATTRIBUTE(max_grid_dim_y, MaxGridDimY, 30, 6)                                                   \
    FERRY_ATTRIBUTE(max_grid_dim_z, MaxGridDimZ, 31, 7)                                                   \
    FERRY_ATTRIBUTE(max_threads_per_block, MaxThreadsPerBlock, 56, 1)                                     \
    FERRY_ATTRIBUTE(max_threads_per_multiprocessor, MaxThreadsPerMultiProcessor, 57, 39)                  \
    FERRY_ATTRIBUTE(memory_bus_width, MemoryBusWidth, 59, 37)                                             \
    FERRY_ATTRIBUTE(memory_clock_rate, MemoryClockRate, 60, 36)                                           \
    FERRY_ATTRIBUTE(compute_capability_minor, ComputeCapabilityMinor, 61, 76)                             \
    FERRY_ATTRIBUTE(multiprocessor_count, MultiprocessorCount, 63, 16)                                    \
    FERRY_ATTRIBUTE(pageable_memory_access, PageableMemoryAccess, 65, 88)                                 \
    FERRY_ATTRIBUTE(pageable_uses_host_tables, PageableMemoryAccessUsesHostPageTables, 66, 100)           \
    FERRY_ATTRIBUTE(pci_bus_id, PciBusId, 67, 33)                                                         \
    FERRY_ATTRIBUTE(pci_device_id, PciDeviceId, 68, 34)                                                   \
    FERRY_ATTRIBUTE(pci_domain_id, PciDomainID, 69, 50)                                                   \
    FERRY_ATTRIBUTE(max_registers_per_block, MaxRegistersPerBlock, 71, 12)                                \
    FERRY_ATTRIBUTE(max_shared_memory_per_block, MaxSharedMemoryPerBlock, 74, 8)                          \
    FERRY_ATTRIBUTE(texture_alignment, TextureAlignment, 81, 14)                                          \
    FERRY_ATTRIBUTE(total_constant_memory, TotalConstantMemory, 83, 9)                                    \
    FERRY_ATTRIBUTE(unified_addressing, UnifiedAddressing, 85, 41)                                        \
    FERRY_ATTRIBUTE(warp_size, WarpSize, 87, 10)                                                          \
    FERRY_ATTRIBUTE(memory_pools_supported, MemoryPoolsSupported, 88, 115)                                \
    FERRY_ATTRIBUTE(image_support, ImageSupport, 10014, 0)                                                \
    FERRY_ATTRIBUTE(is_large_bar, IsLargeBar, 10011, 0)                                                   \
    FERRY_ATTRIBUTE(fine_grain_support, FineGrainSupport, 10016, 0)

namespace ferry_double {

/// The same numbers in CUDA and HIP.
enum FunctionNumber : int {
    function_max_threads = 0,
    function_shared_bytes = 1,
    function_registers = 4,
    function_max_dynamic_shared_bytes = 8,
};

} // namespace ferry_double
