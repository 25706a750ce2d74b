// SPDX-License-Identifier: Apache-2.0
// Compares backends/driver/symbols.def and compiler.def with the real cuda.h and nvrtc.h.
#include "abi_check.hpp"
#include "cuda/cuda_types.hpp"

#include <cstddef>

// Declares the functions under their exported names, without the macros that rename them.
#define __CUDA_API_VERSION_INTERNAL // NOLINT
#include <cuda.h>
#include <nvrtc.h>

// The rows that an older header lacks. They are declared as in the table, and do not count as checked.
namespace {
constexpr int cuda_rows_newer_than_header = (CUDA_VERSION < 12040 ? 3 : 0) + (CUDA_VERSION < 12030 ? 1 : 0) +
                                            (CUDA_VERSION < 12000 ? 1 : 0) + (CUDA_VERSION < 11040 ? 2 : 0) +
                                            (CUDA_VERSION < 11030 ? 1 : 0);
constexpr int nvrtc_version = CUDA_VERSION;
constexpr int nvrtc_rows_newer_than_header =
    (nvrtc_version < 11020 ? 2 : 0) + (nvrtc_version < 11010 ? 2 : 0);
} // namespace
extern "C" {
#if CUDA_VERSION < 12040
CUresult cuFuncGetParamInfo(CUfunction, size_t, size_t*, size_t*);
CUresult cuModuleGetFunctionCount(unsigned int*, CUmodule);
CUresult cuModuleEnumerateFunctions(CUfunction*, unsigned int, CUmodule);
#endif
#if CUDA_VERSION < 12030
CUresult cuFuncGetName(const char**, CUfunction);
#endif
#if CUDA_VERSION < 12000
struct CUDA_KERNEL_NODE_PARAMS_v2;
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v2*);
#endif
#if CUDA_VERSION < 11040
CUresult cuDeviceGetUuid_v2(CUuuid*, CUdevice);
CUresult cuGraphInstantiateWithFlags(CUgraphExec*, CUgraph, unsigned long long);
#endif
#if CUDA_VERSION < 11030
CUresult cuStreamGetCaptureInfo_v2(CUstream, CUstreamCaptureStatus*, cuuint64_t*, CUgraph*,
                                   const CUgraphNode**, size_t*);
#endif
#if CUDA_VERSION < 11020
nvrtcResult nvrtcGetNumSupportedArchs(int*);
nvrtcResult nvrtcGetSupportedArchs(int*);
#endif
#if CUDA_VERSION < 11010
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram, size_t*);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram, char*);
#endif
}

namespace table {

using Result = CUresult;
using Device = CUdevice;
using DeviceAttribute = CUdevice_attribute;
using FunctionAttribute = CUfunction_attribute;
using PointerAttribute = CUpointer_attribute;
using JitOption = CUjit_option;
using Context = CUcontext;
using Pointer = CUdeviceptr;
using Stream = CUstream;
using Event = CUevent;
using Module = CUmodule;
using Function = CUfunction;
using Uuid = CUuuid;
using External = CUexternalMemory;
using ExternalHandle = CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
using ExternalBuffer = CUDA_EXTERNAL_MEMORY_BUFFER_DESC;
using UploadSource = const void*;
using PeerSource = CUdeviceptr;
using Word = unsigned int;
using BoxCopy = CUDA_MEMCPY3D;
using PeerBoxCopy = CUDA_MEMCPY3D_PEER;
using Graph = CUgraph;
using GraphExec = CUgraphExec;
using GraphNode = CUgraphNode;
using MemoryAdvice = CUmem_advise;
using CaptureMode = CUstreamCaptureMode;
using CaptureStatus = CUstreamCaptureStatus;
using CaptureNumber = cuuint64_t;
using KernelNode = CUDA_KERNEL_NODE_PARAMS_v2;
using CompilerResult = nvrtcResult;
using CompilerProgram = nvrtcProgram;
using Strings = const char* const*;

#define FERRY_ABI_ROW(tier, name, result, parameters) \
    static_assert(std::is_same_v<decltype(&::name), result(*) parameters>, #name " has another signature");
#define FERRY_SYMBOL(tier, member, cuda, hip, parameters) FERRY_ABI_ROW(tier, cuda, Result, parameters)
#define FERRY_CUDA_SYMBOL(tier, member, name, result, parameters) \
    FERRY_ABI_ROW(tier, name, result, parameters)
#include "driver/symbols.def"
#define FERRY_COMPILER_SYMBOL(tier, member, nvrtc, hiprtc, parameters) \
    FERRY_ABI_ROW(tier, nvrtc, CompilerResult, parameters)
#define FERRY_COMPILER_TEXT(tier, member, nvrtc, hiprtc, parameters) \
    FERRY_ABI_ROW(tier, nvrtc, const char*, parameters)
#define FERRY_NVRTC_SYMBOL(tier, member, name, result, parameters) \
    FERRY_ABI_ROW(tier, name, result, parameters)
#include "driver/compiler.def"

} // namespace table

namespace {

using Ours = ferry::cuda::Types;

template <class A, class B>
constexpr bool same = abi::interchangeable<A, B>();
static_assert(same<Ours::Result, CUresult> && same<Ours::Device, CUdevice> && same<Ours::Context, CUcontext>);
static_assert(same<Ours::DeviceAttribute, CUdevice_attribute> && same<Ours::JitOption, CUjit_option>);
static_assert(same<Ours::FunctionAttribute, CUfunction_attribute> && same<Ours::Uuid, CUuuid>);
static_assert(same<Ours::Stream, CUstream> && same<Ours::Event, CUevent> && same<Ours::Function, CUfunction>);
static_assert(same<Ours::Module, CUmodule> && same<Ours::CompilerProgram, nvrtcProgram>);
static_assert(same<Ours::CompilerResult, nvrtcResult> && std::is_same_v<Ours::Pointer, CUdeviceptr>);
static_assert(std::is_same_v<Ours::UploadSource, table::UploadSource> &&
              std::is_same_v<Ours::Word, table::Word>);
static_assert(std::is_same_v<Ours::PeerSource, table::PeerSource> &&
              std::is_same_v<Ours::Strings, table::Strings>);

static_assert(same<Ours::External, CUexternalMemory>);
using OurHandle = Ours::ExternalHandle;
static_assert(sizeof(OurHandle) == sizeof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC));
static_assert(offsetof(OurHandle, kind) == offsetof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, type));
static_assert(offsetof(OurHandle, descriptor) == offsetof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, handle.fd));
static_assert(offsetof(OurHandle, bytes) == offsetof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, size));
static_assert(offsetof(OurHandle, flags) == offsetof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, flags));
using OurBuffer = Ours::ExternalBuffer;
static_assert(sizeof(OurBuffer) == sizeof(CUDA_EXTERNAL_MEMORY_BUFFER_DESC));
static_assert(offsetof(OurBuffer, offset) == offsetof(CUDA_EXTERNAL_MEMORY_BUFFER_DESC, offset));
static_assert(offsetof(OurBuffer, bytes) == offsetof(CUDA_EXTERNAL_MEMORY_BUFFER_DESC, size));
static_assert(offsetof(OurBuffer, flags) == offsetof(CUDA_EXTERNAL_MEMORY_BUFFER_DESC, flags));
static_assert(ferry::driver::external::opaque_descriptor == CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD &&
              ferry::driver::external::dedicated == CUDA_EXTERNAL_MEMORY_DEDICATED);

// CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER differ only in two fields: reserved in the first, contexts in the
// second.
using OurBox = ferry::cuda::BoxCopy;
#define FERRY_SAME_PLACE(ours, theirs)                                                 \
    static_assert(offsetof(OurBox, ours) == offsetof(CUDA_MEMCPY3D, theirs), #theirs); \
    static_assert(offsetof(OurBox, ours) == offsetof(CUDA_MEMCPY3D_PEER, theirs), #theirs)
FERRY_SAME_PLACE(from.x, srcXInBytes);
FERRY_SAME_PLACE(from.level, srcLOD);
FERRY_SAME_PLACE(from.kind, srcMemoryType);
FERRY_SAME_PLACE(from.host, srcHost);
FERRY_SAME_PLACE(from.device, srcDevice);
FERRY_SAME_PLACE(from.array, srcArray);
FERRY_SAME_PLACE(from.pitch, srcPitch);
FERRY_SAME_PLACE(from.height, srcHeight);
FERRY_SAME_PLACE(to.x, dstXInBytes);
FERRY_SAME_PLACE(to.kind, dstMemoryType);
FERRY_SAME_PLACE(to.host, dstHost);
FERRY_SAME_PLACE(to.device, dstDevice);
FERRY_SAME_PLACE(to.pitch, dstPitch);
FERRY_SAME_PLACE(to.height, dstHeight);
FERRY_SAME_PLACE(width, WidthInBytes);
FERRY_SAME_PLACE(height, Height);
FERRY_SAME_PLACE(depth, Depth);
static_assert(sizeof(OurBox) == sizeof(CUDA_MEMCPY3D) && sizeof(OurBox) == sizeof(CUDA_MEMCPY3D_PEER));
static_assert(offsetof(OurBox, from.context) == offsetof(CUDA_MEMCPY3D, reserved0) &&
              offsetof(OurBox, from.context) == offsetof(CUDA_MEMCPY3D_PEER, srcContext));
static_assert(offsetof(OurBox, to.context) == offsetof(CUDA_MEMCPY3D, reserved1) &&
              offsetof(OurBox, to.context) == offsetof(CUDA_MEMCPY3D_PEER, dstContext));
static_assert(ferry::cuda::memory_kind::host == CU_MEMORYTYPE_HOST &&
              ferry::cuda::memory_kind::device == CU_MEMORYTYPE_DEVICE &&
              ferry::cuda::memory_kind::unified == CU_MEMORYTYPE_UNIFIED);
static_assert(same<Ours::Graph, CUgraph> && same<Ours::GraphExec, CUgraphExec> &&
              same<Ours::GraphNode, CUgraphNode> && same<Ours::CaptureNumber, cuuint64_t>);
static_assert(same<Ours::CaptureMode, CUstreamCaptureMode> &&
              same<Ours::CaptureStatus, CUstreamCaptureStatus>);
#if CUDA_VERSION >= 12000
using OurNode = ferry::cuda::KernelNode;
using TheirNode = CUDA_KERNEL_NODE_PARAMS_v2;
static_assert(sizeof(OurNode) == sizeof(TheirNode));
static_assert(offsetof(OurNode, function) == offsetof(TheirNode, func));
static_assert(offsetof(OurNode, groups) == offsetof(TheirNode, gridDimX));
static_assert(offsetof(OurNode, local) == offsetof(TheirNode, blockDimX));
static_assert(offsetof(OurNode, local_bytes) == offsetof(TheirNode, sharedMemBytes));
static_assert(offsetof(OurNode, parameters) == offsetof(TheirNode, kernelParams));
static_assert(offsetof(OurNode, extra) == offsetof(TheirNode, extra));
static_assert(offsetof(OurNode, kernel) == offsetof(TheirNode, kern));
static_assert(offsetof(OurNode, context) == offsetof(TheirNode, ctx));
#endif

constexpr ferry::driver::Attributes number = ferry::cuda::attributes;
static_assert(number.max_group_size == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
static_assert(number.local_x == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
static_assert(number.local_y == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
static_assert(number.local_z == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
static_assert(number.groups_x == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
static_assert(number.groups_y == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
static_assert(number.groups_z == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
static_assert(number.local_memory == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
static_assert(number.warp_size == CU_DEVICE_ATTRIBUTE_WARP_SIZE);
static_assert(number.clock_khz == CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
static_assert(number.compute_units == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(number.integrated == CU_DEVICE_ATTRIBUTE_INTEGRATED);
static_assert(number.map_host_memory == CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY);
static_assert(number.managed == CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY);
static_assert(number.concurrent_managed == CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS);
static_assert(number.host_page_tables == CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES);
static_assert(number.pageable_access == CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS);
static_assert(number.registered_has_host_address ==
              CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM);
static_assert(number.registers_read_only == CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED);

// The attributes of memory that Ferry queries.
#define FERRY_MEMORY_ATTRIBUTE(member, cuda, cuda_number, hip, hip_number) \
    static_assert((cuda_number) == CU_DEVICE_ATTRIBUTE_##cuda);
#define FERRY_CUDA_MEMORY_ATTRIBUTE(member, name, number) \
    static_assert((number) == CU_DEVICE_ATTRIBUTE_##name);
#define FERRY_HIP_MEMORY_ATTRIBUTE(member, name, number)
#include "driver/memory_attributes.def"
static_assert(ferry::cuda::capability_major == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(ferry::cuda::capability_minor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(ferry::cuda::local_memory_opt_in == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
static_assert(ferry::cuda::max_dynamic_local_bytes == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(ferry::cuda::host_portable_mapped == (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));

namespace driver = ferry::driver;
static_assert(driver::flag::stream_non_blocking == CU_STREAM_NON_BLOCKING);
static_assert(driver::flag::event_blocking_sync == CU_EVENT_BLOCKING_SYNC);
static_assert(driver::flag::event_disable_timing == CU_EVENT_DISABLE_TIMING);
static_assert(driver::flag::managed_global == CU_MEM_ATTACH_GLOBAL);
static_assert(driver::flag::register_portable_mapped ==
              (CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP));
static_assert(driver::flag::register_read_only == CU_MEMHOSTREGISTER_READ_ONLY);
static_assert(driver::flag::capture_relaxed == CU_STREAM_CAPTURE_MODE_RELAXED);
static_assert(driver::processor == CU_DEVICE_CPU && same<Ours::MemoryAdvice, CUmem_advise>);
static_assert(driver::memory_advice::read_mostly == CU_MEM_ADVISE_SET_READ_MOSTLY &&
              driver::memory_advice::not_read_mostly == CU_MEM_ADVISE_UNSET_READ_MOSTLY &&
              driver::memory_advice::preferred_location == CU_MEM_ADVISE_SET_PREFERRED_LOCATION &&
              driver::memory_advice::no_preferred_location == CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION &&
              driver::memory_advice::accessed_by == CU_MEM_ADVISE_SET_ACCESSED_BY &&
              driver::memory_advice::not_accessed_by == CU_MEM_ADVISE_UNSET_ACCESSED_BY);
static_assert(driver::function_attribute::max_group_size == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
static_assert(driver::function_attribute::local_bytes == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
static_assert(driver::function_attribute::registers == CU_FUNC_ATTRIBUTE_NUM_REGS);
static_assert(driver::pointer_attribute::host_pointer == CU_POINTER_ATTRIBUTE_HOST_POINTER);
static_assert(same<Ours::PointerAttribute, CUpointer_attribute>);
static_assert(driver::load_option::notes == CU_JIT_INFO_LOG_BUFFER);
static_assert(driver::load_option::notes_bytes == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
static_assert(driver::load_option::errors == CU_JIT_ERROR_LOG_BUFFER);
static_assert(driver::load_option::errors_bytes == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
static_assert(driver::result::success == CUDA_SUCCESS && driver::result::success == NVRTC_SUCCESS);
static_assert(driver::result::invalid_value == CUDA_ERROR_INVALID_VALUE);
static_assert(driver::result::out_of_memory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(driver::result::stub_library == CUDA_ERROR_STUB_LIBRARY);
static_assert(driver::result::not_found == CUDA_ERROR_NOT_FOUND);
static_assert(driver::result::not_ready == CUDA_ERROR_NOT_READY);
static_assert(driver::result::invalid_context == CUDA_ERROR_INVALID_CONTEXT);
static_assert(driver::result::invalid_handle == CUDA_ERROR_INVALID_HANDLE);

using ferry::Code;
constexpr struct {
    CUresult number;
    Code code;
} meanings[] = {
    {CUDA_ERROR_OUT_OF_MEMORY, Code::out_of_memory},
    {CUDA_ERROR_NOT_INITIALIZED, Code::unavailable},
    {CUDA_ERROR_DEINITIALIZED, Code::device_lost},
    {CUDA_ERROR_STUB_LIBRARY, Code::unavailable},
    {CUDA_ERROR_DEVICE_UNAVAILABLE, Code::unavailable},
    {CUDA_ERROR_NO_DEVICE, Code::unavailable},
    {CUDA_ERROR_INVALID_DEVICE, Code::unavailable},
    {CUDA_ERROR_INVALID_IMAGE, Code::build_failed},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, Code::build_failed},
    {CUDA_ERROR_ECC_UNCORRECTABLE, Code::device_lost},
    {CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, Code::unsupported},
    {CUDA_ERROR_INVALID_PTX, Code::build_failed},
    {CUDA_ERROR_NVLINK_UNCORRECTABLE, Code::device_lost},
    {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, Code::build_failed},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, Code::build_failed},
    {CUDA_ERROR_INVALID_SOURCE, Code::build_failed},
    {CUDA_ERROR_NOT_FOUND, Code::not_found},
    {CUDA_ERROR_ILLEGAL_ADDRESS, Code::device_lost},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, Code::command_failed},
    {CUDA_ERROR_LAUNCH_TIMEOUT, Code::device_lost},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, Code::device_lost},
    {CUDA_ERROR_ASSERT, Code::device_lost},
    {CUDA_ERROR_HARDWARE_STACK_ERROR, Code::device_lost},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, Code::device_lost},
    {CUDA_ERROR_MISALIGNED_ADDRESS, Code::device_lost},
    {CUDA_ERROR_INVALID_ADDRESS_SPACE, Code::device_lost},
    {CUDA_ERROR_INVALID_PC, Code::device_lost},
    {CUDA_ERROR_LAUNCH_FAILED, Code::device_lost},
    {CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, Code::invalid_argument},
    {CUDA_ERROR_NOT_SUPPORTED, Code::unsupported},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, Code::unavailable},
    {CUDA_ERROR_INVALID_VALUE, Code::internal},
    {CUDA_ERROR_UNKNOWN, Code::internal},
};

} // namespace

int main() {
    abi::Counts library{.newer_than_header = cuda_rows_newer_than_header};
    abi::Counts compiler{.newer_than_header = nvrtc_rows_newer_than_header};
#define FERRY_SYMBOL(tier, member, cuda, hip, parameters) \
    ++library.rows, library.required += abi::is_required(#tier);
#define FERRY_CUDA_SYMBOL(tier, member, name, result, parameters) \
    ++library.rows, library.required += abi::is_required(#tier);
#include "driver/symbols.def"
#define FERRY_COMPILER_SYMBOL(tier, member, nvrtc, hiprtc, parameters) \
    ++compiler.rows, compiler.required += abi::is_required(#tier);
#define FERRY_COMPILER_TEXT(tier, member, nvrtc, hiprtc, parameters) \
    ++compiler.rows, compiler.required += abi::is_required(#tier);
#define FERRY_NVRTC_SYMBOL(tier, member, name, result, parameters) \
    ++compiler.rows, compiler.required += abi::is_required(#tier);
#include "driver/compiler.def"
    int failed = library.report("cuda.h", CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10) +
                 compiler.report("nvrtc.h", CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
    for (const auto& meaning : meanings) {
        if (driver::code_of(meaning.number) != meaning.code) {
            std::printf("code_of(%d) is wrong\n", static_cast<int>(meaning.number));
            ++failed;
        }
    }
    return failed;
}
