// SPDX-License-Identifier: Apache-2.0
// libhsakmt's functions for memory.
#include "device_memory.hpp"
#include "options.hpp"

#include <cstring>

namespace {

using amd_gpu::u64;

HSAKMT_STATUS mapped(void* address, HSAuint64 size, HSAuint64* other, std::vector<HSAuint32> nodes) {
    const u64 device = amd_gpu::map_to(address, size, std::move(nodes));
    if (device == 0) {
        return HSAKMT_STATUS_INVALID_PARAMETER;
    }
    if (other != nullptr) {
        *other = device == reinterpret_cast<u64>(address) ? 0 : device;
    }
    return HSAKMT_STATUS_SUCCESS;
}

} // namespace

extern "C" {

HSAKMT_STATUS hsaKmtAllocMemory(HSAuint32 node, HSAuint64 size, HsaMemFlags flags, void** out) {
    *out = amd_gpu::allocate(node, size, flags);
    return *out == nullptr ? HSAKMT_STATUS_NO_MEMORY : HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtFreeMemory(void* address, HSAuint64) {
    return amd_gpu::release(address) ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
}

HSAKMT_STATUS hsaKmtRegisterMemory(void* address, HSAuint64 size) {
    amd_gpu::register_host(address, size);
    return HSAKMT_STATUS_SUCCESS;
}

// Memory that this library allocated is registered with a call too, and has nothing to change.
HSAKMT_STATUS hsaKmtRegisterMemoryToNodes(void* address, HSAuint64 size, HSAuint64, HSAuint32*) {
    amd_gpu::Allocation known;
    if (!amd_gpu::find_allocation(address, known) || known.registered) {
        amd_gpu::register_host(address, size);
    }
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtRegisterMemoryWithFlags(void* address, HSAuint64 size, HsaMemFlags) {
    return hsaKmtRegisterMemoryToNodes(address, size, 0, nullptr);
}

HSAKMT_STATUS hsaKmtDeregisterMemory(void* address) {
    amd_gpu::deregister_host(address);
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtMapMemoryToGPU(void* address, HSAuint64 size, HSAuint64* other) {
    return mapped(address, size, other, {});
}

HSAKMT_STATUS hsaKmtMapMemoryToGPUNodes(void* address, HSAuint64 size, HSAuint64* other, HsaMemMapFlags,
                                        HSAuint64 count, HSAuint32* nodes) {
    return mapped(address, size, other, std::vector<HSAuint32>(nodes, nodes + count));
}

HSAKMT_STATUS hsaKmtUnmapMemoryToGPU(void* address) {
    amd_gpu::unmap(address);
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtQueryPointerInfo(const void* address, HsaPointerInfo* info) {
    std::memset(info, 0, sizeof *info);
    amd_gpu::Allocation found;
    if (!amd_gpu::find_allocation(address, found)) {
        return HSAKMT_STATUS_SUCCESS;
    }
    info->Type = found.registered ? HSA_POINTER_REGISTERED_USER : HSA_POINTER_ALLOCATED;
    info->Node = found.node;
    info->MemFlags = found.flags;
    info->CPUAddress =
        found.registered ? static_cast<void*>(found.host) : reinterpret_cast<void*>(found.device);
    info->GPUAddress = found.device;
    info->SizeInBytes = found.size;
    info->UserData = found.user;
    thread_local std::vector<HSAuint32> nodes; // valid until this thread's next call
    nodes = found.mapped;
    info->NMappedNodes = static_cast<HSAuint32>(nodes.size());
    info->MappedNodes = nodes.data();
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtSetMemoryUserData(const void* address, void* user) {
    return amd_gpu::set_user_data(address, user) ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
}

HSAKMT_STATUS hsaKmtSetMemoryPolicy(HSAuint32, HSAuint32, HSAuint32, void*, HSAuint64) {
    return HSAKMT_STATUS_SUCCESS;
}

// Sharing with other processes and graphics is not emulated.
HSAKMT_STATUS hsaKmtShareMemory(void*, HSAuint64, HsaSharedMemoryHandle*) {
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtRegisterSharedHandle(const HsaSharedMemoryHandle*, void**, HSAuint64*) {
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtRegisterSharedHandleToNodes(const HsaSharedMemoryHandle*, void**, HSAuint64*, HSAuint64,
                                                HSAuint32*) {
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtRegisterGraphicsHandleToNodes(HSAuint64, HsaGraphicsResourceInfo*, HSAuint64,
                                                  HSAuint32*) {
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

// Managed memory: with XNACK all memory is where it was allocated, and both sides reach it.
HSAKMT_STATUS hsaKmtSVMSetAttr(void*, HSAuint64, unsigned, HSA_SVM_ATTRIBUTE*) {
    return amd_gpu::options().xnack ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtSVMGetAttr(void*, HSAuint64, unsigned count, HSA_SVM_ATTRIBUTE* attributes) {
    for (unsigned i = 0; i < count; ++i) {
        attributes[i].value = 0;
    }
    return amd_gpu::options().xnack ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_NOT_SUPPORTED;
}

} // extern "C"
