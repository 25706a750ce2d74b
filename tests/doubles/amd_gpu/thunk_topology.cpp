// SPDX-License-Identifier: Apache-2.0
// libhsakmt's description of the machine: node 0 is the processor, and all other nodes are GPUs.
#include "options.hpp"

#include <hsakmt.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace {

using amd_gpu::u64;

constexpr u64 shared_aperture = 0x1000000000000;
constexpr u64 private_aperture = 0x2000000000000;
constexpr HSAuint32 lds_kilobytes = 64;

template <class T>
void copy_text(const char* text, T* out) {
    for (std::size_t i = 0; i <= std::strlen(text); ++i) {
        out[i] = static_cast<T>(text[i]);
    }
}

void describe_processor(HsaNodeProperties& node) {
    node.NumCPUCores = 2;
    node.NumMemoryBanks = 1;
    node.NumCaches = 1;
    node.NumIOLinks = amd_gpu::options().apu ? amd_gpu::options().devices : 0;
    node.MaxEngineClockMhzCCompute = 3000;
    copy_text("Host", node.MarketingName);
}

// What ROCr 6 asks besides: the properties grew.
template <class Properties>
void describe_for_rocm6(HSAuint32 index, Properties& node) {
    if constexpr (requires { node.NumXcc; }) {
        node.NumXcc = 1;
        node.KFDGpuID = index;
        node.FamilyID = 141; // gfx9
        node.Integrated = amd_gpu::options().apu ? 1 : 0;
    }
}

// A small GPU: four compute units. DoorbellType 2: 64-bit doorbells with indices of packets.
void describe_gpu(HSAuint32 index, HsaNodeProperties& node) {
    const amd_gpu::Options& options = amd_gpu::options();
    node.NumFComputeCores = 16;
    node.NumMemoryBanks = 3;
    node.NumCaches = 2;
    node.NumIOLinks = options.devices;
    node.FComputeIdLo = 0x80000000 + index * 0x1000;
    node.Capability.ui32.DoorbellType = 2;
    node.Capability.ui32.QueueSizePowerOfTwo = 1;
    node.Capability.ui32.SRAM_EDCSupport = 1;
    node.Capability.ui32.SVMAPISupported = options.xnack ? 1 : 0;
    node.MaxWavesPerSIMD = 8;
    node.LDSSizeInKB = lds_kilobytes;
    node.WaveFrontSize = amd_gpu::lane_count;
    node.NumShaderBanks = 1;
    node.NumArrays = 1;
    node.NumCUPerArray = 4;
    node.NumSIMDPerCU = 4;
    node.MaxSlotsScratchCU = 32;
    node.EngineId.ui32.Major = 9;
    node.EngineId.ui32.Stepping = options.stepping & 0xff;
    node.VendorId = 0x1002;
    node.DeviceId = 0x740c;
    node.LocationId = (2 + index) << 8; // PCI bus 2 + index
    node.LocalMemSize = options.memory;
    node.MaxEngineClockMhzFCompute = 1700;
    node.DrmRenderMinor = static_cast<HSAint32>(127 + index);
    copy_text("Emulated AMD GPU", node.MarketingName);
    copy_text("emulated", node.AMDName);
    node.NumSdmaEngines = options.sdma ? 2 : 0;
    node.NumSdmaQueuesPerEngine = 2;
    node.NumCpQueues = 24;
    node.UniqueID = 0x4645525259 + index;
    node.VGPRSizePerCU = 512 << 10;
    node.SGPRSizePerCU = 16 << 10;
    describe_for_rocm6(index, node);
}

} // namespace

extern "C" {

HSAKMT_STATUS hsaKmtOpenKFD() {
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtCloseKFD() {
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetVersion(HsaVersionInfo* version) {
    version->KernelInterfaceMajorVersion = 1;
    version->KernelInterfaceMinorVersion = 8;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtAcquireSystemProperties(HsaSystemProperties* properties) {
    std::memset(properties, 0, sizeof *properties);
    properties->NumNodes = 1 + amd_gpu::options().devices;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtReleaseSystemProperties() {
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetNodeProperties(HSAuint32 node, HsaNodeProperties* properties) {
    std::memset(properties, 0, sizeof *properties);
    if (node > amd_gpu::options().devices) {
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    }
    if (node == 0) {
        describe_processor(*properties);
    } else {
        describe_gpu(node, *properties);
    }
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetNodeMemoryProperties(HSAuint32 node, HSAuint32 count, HsaMemoryProperties* banks) {
    std::memset(banks, 0, count * sizeof *banks);
    const amd_gpu::Options& options = amd_gpu::options();
    HsaMemoryProperties all[3] = {};
    for (HsaMemoryProperties& bank : all) {
        bank.MemoryClockMax = 1600;
        bank.Width = 64;
    }
    if (node == 0) {
        all[0].HeapType = HSA_HEAPTYPE_SYSTEM;
        all[0].SizeInBytes = 8ULL << 30;
    } else {
        all[0].HeapType = options.apu ? HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC
                                      : HSA_HEAPTYPE_FRAME_BUFFER_PRIVATE; // the host does not reach it
        all[0].SizeInBytes = amd_gpu::options().memory;
        all[0].Width = 4096;
        all[1].HeapType = HSA_HEAPTYPE_GPU_LDS;
        all[1].SizeInBytes = lds_kilobytes << 10;
        all[1].VirtualBaseAddress = shared_aperture;
        all[2].HeapType = HSA_HEAPTYPE_GPU_SCRATCH;
        all[2].SizeInBytes = 4ULL << 30;
        all[2].VirtualBaseAddress = private_aperture;
    }
    std::copy_n(all, std::min(count, node == 0 ? 1U : 3U), banks);
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetNodeCacheProperties(HSAuint32 node, HSAuint32, HSAuint32 count,
                                           HsaCacheProperties* caches) {
    std::memset(caches, 0, count * sizeof *caches);
    for (HSAuint32 i = 0; i < count; ++i) {
        caches[i].CacheLevel = i + 1;
        caches[i].CacheSize = i == 0 ? 16 : 8192; // KiB
        caches[i].CacheLineSize = 128;
        caches[i].CacheType.ui32.Data = 1;
        caches[i].CacheType.ui32.CPU = node == 0;
        caches[i].CacheType.ui32.HSACU = node != 0;
    }
    return HSAKMT_STATUS_SUCCESS;
}

// A GPU is linked with every other node over PCI Express. A link from the processor says that the host
// reaches device memory (an APU or a large BAR): AMD's runtime then copies small blocks itself.
HSAKMT_STATUS hsaKmtGetNodeIoLinkProperties(HSAuint32 node, HSAuint32 count, HsaIoLinkProperties* links) {
    std::memset(links, 0, count * sizeof *links);
    HSAuint32 i = node == 0 && !amd_gpu::options().apu ? count : 0;
    for (HSAuint32 other = 0; other <= amd_gpu::options().devices && i < count; ++other) {
        if (other != node) {
            links[i].IoLinkType = HSA_IOLINKTYPE_PCIEXPRESS;
            links[i].NodeFrom = node;
            links[i].NodeTo = other;
            links[i].Weight = 20;
            ++i;
        }
    }
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetClockCounters(HSAuint32, HsaClockCounters* clocks) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    const auto count = static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
    clocks->GPUClockCounter = clocks->CPUClockCounter = clocks->SystemClockCounter = count;
    clocks->SystemClockFrequencyHz = 1000000000;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetTileConfig(HSAuint32, HsaGpuTileConfig* tiles) {
    tiles->NumTileConfigs = tiles->NumMacroTileConfigs = 0;
    tiles->GbAddrConfig = 0x2a114042;
    tiles->NumBanks = 4;
    tiles->NumRanks = 0;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetXNACKMode(HSAint32* on) {
    *on = amd_gpu::options().xnack ? 1 : 0;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtSetXNACKMode(HSAint32 on) {
    return (on != 0) == amd_gpu::options().xnack ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_NOT_SUPPORTED;
}

// Debuggers.
HSAKMT_STATUS hsaKmtRuntimeEnable(void*, bool) {
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtRuntimeDisable() {
    return HSAKMT_STATUS_SUCCESS;
}

} // extern "C"
