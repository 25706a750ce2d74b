// SPDX-License-Identifier: Apache-2.0
// Functions of libhsakmt that ROCr 6.1 calls and ROCr 5.2 does not.
#include "device_memory.hpp"

#include <hsakmt.h>

#include <cstring>

namespace {

// The beginning of libdrm's struct amdgpu_gpu_info, as far as ROCr reads it.
struct GpuInfo {
    HSAuint32 chip, chip_revision, external_revision, family;
    HSAuint64 flags, engine_clock, memory_clock;
    HSAuint32 shader_engines, shader_arrays, quad_pipes, all_quad_pipes;
    HSAuint32 cache_entries, contexts, render_backends, render_backend_mask;
    HSAuint32 counter_kilohertz;
};

} // namespace

extern "C" {

HSAKMT_STATUS hsaKmtWaitOnEvent_Ext(HsaEvent* event, HSAuint32 milliseconds, uint64_t*) {
    return hsaKmtWaitOnEvent(event, milliseconds);
}

HSAKMT_STATUS hsaKmtWaitOnMultipleEvents_Ext(HsaEvent* list[], HSAuint32 count, bool all,
                                             HSAuint32 milliseconds, uint64_t*) {
    return hsaKmtWaitOnMultipleEvents(list, count, all, milliseconds);
}

HSAKMT_STATUS hsaKmtAvailableMemory(HSAuint32 node, HSAuint64* bytes) {
    *bytes = amd_gpu::available(node);
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetAMDGPUDeviceHandle(HSAuint32, HsaAMDGPUDeviceHandle* handle) {
    static int device;
    *handle = &device;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetRuntimeCapabilities(HSAuint32* mask) {
    *mask = 0;
    return HSAKMT_STATUS_SUCCESS;
}

// libdrm's function, found here first. GPU timestamps count nanoseconds.
int amdgpu_query_gpu_info(HsaAMDGPUDeviceHandle, GpuInfo* info) {
    std::memset(info, 0, sizeof *info);
    info->chip = 0x740c;
    info->family = 141;
    info->engine_clock = 1700000;
    info->memory_clock = 1600000;
    info->shader_engines = info->shader_arrays = 1;
    info->counter_kilohertz = 1000000;
    return 0;
}

// Export to other processes, debuggers, performance counters and sanitized device code are not emulated.
HSAKMT_STATUS hsaKmtExportDMABufHandle(void*, HSAuint64, int*, HSAuint64*) {
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDbgEnable(void**, HSAuint32*) {
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDbgDisable() {
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDbgGetDeviceData(void**, HSAuint32*, HSAuint32*) {
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDbgGetQueueData(void**, HSAuint32*, HSAuint32*, bool) {
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtOpenSMI(HSAuint32, int*) {
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtSPMAcquire(HSAuint32) {
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtSPMRelease(HSAuint32) {
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtSPMSetDestBuffer(HSAuint32, HSAuint32, HSAuint32*, HSAuint32*, void*, bool*) {
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtReplaceAsanHeaderPage(void*) {
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtReturnAsanHeaderPage(void*) {
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

} // extern "C"
