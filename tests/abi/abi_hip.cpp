// SPDX-License-Identifier: Apache-2.0
// Compares backends/driver/symbols.def and compiler.def with AMD's real headers.
#include "abi_check.hpp"
#include "hip/hip_types.hpp"

#define __HIP_PLATFORM_AMD__ // NOLINT
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#if __has_include(<amd_comgr.h>)
#include <amd_comgr.h>
#endif

#include <cstddef>
#include <tuple>
#include <type_traits>

// The rows that an older header lacks. They are declared as in the table, and do not count as checked.
namespace {
constexpr int hip_rows_newer_than_header = HIP_VERSION_MAJOR < 6 ? 1 : 0;
}
#if HIP_VERSION_MAJOR < 6
extern "C" hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_t*, int);
#endif
// From HIP 6 on, the plain name is a macro for the new layout. The symbol with the plain name keeps the old
// layout.
#ifdef hipGetDeviceProperties
#undef hipGetDeviceProperties
extern "C" hipError_t hipGetDeviceProperties(hipDeviceProp_t*, int);
#endif

#ifdef AMD_COMGR_INTERFACE_VERSION_MAJOR
#define FERRY_COMGR_SYMBOL(tier, member, name, parameters) \
    static_assert(std::is_same_v<decltype(&name), amd_comgr_status_t(*) parameters>);
#include "hip/comgr.def"
#endif

// Two parameters became const in HIP 7. Both forms are called in the same way.
template <class R, class... P>
std::tuple<P...> parameters_of(R (*)(P...));
using UploadParameter = std::tuple_element_t<1, decltype(parameters_of(&hipMemcpyHtoDAsync))>;
using OptionsParameter = std::tuple_element_t<2, decltype(parameters_of(&hiprtcCompileProgram))>;
static_assert(std::is_same_v<UploadParameter, void*> || std::is_same_v<UploadParameter, const void*>);
static_assert(std::is_same_v<OptionsParameter, const char**> ||
              std::is_same_v<OptionsParameter, const char* const*>);

namespace table {

using Result = hipError_t;
using Device = hipDevice_t;
using DeviceAttribute = hipDeviceAttribute_t;
using FunctionAttribute = hipFunction_attribute;
using PointerAttribute = hipPointer_attribute;
using JitOption = hipJitOption;
using Context = int;
using Pointer = hipDeviceptr_t;
using Stream = hipStream_t;
using Event = hipEvent_t;
using Module = hipModule_t;
using Function = hipFunction_t;
using Uuid = hipUUID;
using External = hipExternalMemory_t;
using ExternalHandle = hipExternalMemoryHandleDesc;
using ExternalBuffer = hipExternalMemoryBufferDesc;
using UploadSource = UploadParameter;
using PeerSource = const void*;
using Word = int;
using BoxCopy = hipMemcpy3DParms;
using PeerBoxCopy = void;
using Graph = hipGraph_t;
using GraphExec = hipGraphExec_t;
using GraphNode = hipGraphNode_t;
using MemoryAdvice = hipMemoryAdvise;
using CaptureMode = hipStreamCaptureMode;
using CaptureStatus = hipStreamCaptureStatus;
using CaptureNumber = unsigned long long;
using KernelNode = hipKernelNodeParams;
using CopyKind = hipMemcpyKind;
using Properties = hipDeviceProp_t;
using CompilerResult = hiprtcResult;
using CompilerProgram = hiprtcProgram;
using Strings = OptionsParameter;

// A cast that accepts only the exact type, because the header overloads some names with templates.
#define FERRY_ABI_ROW(member, name, result, parameters) \
    using row_##member = decltype(static_cast<result(*) parameters>(&::name));
#define FERRY_SYMBOL(tier, member, cuda, hip, parameters) FERRY_ABI_ROW(member, hip, Result, parameters)
#define FERRY_HIP_SYMBOL(tier, member, name, result, parameters) \
    FERRY_ABI_ROW(member, name, result, parameters)
#define FERRY_COMPILER_SYMBOL(tier, member, nvrtc, hiprtc, parameters) \
    static_assert(std::is_same_v<decltype(&::hiprtc), CompilerResult(*) parameters>, #hiprtc);
#define FERRY_COMPILER_TEXT(tier, member, nvrtc, hiprtc, parameters) \
    static_assert(std::is_same_v<decltype(&::hiprtc), const char*(*)parameters>, #hiprtc);

#include "driver/compiler.def"
#include "driver/symbols.def"

} // namespace table

namespace {

using Ours = ferry::hip::Types;

template <class A, class B>
constexpr bool same = abi::interchangeable<A, B>();
static_assert(same<Ours::Result, hipError_t> && same<Ours::Device, hipDevice_t> && same<Ours::Uuid, hipUUID>);
static_assert(same<Ours::DeviceAttribute, hipDeviceAttribute_t> && same<Ours::JitOption, hipJitOption>);
static_assert(same<Ours::FunctionAttribute, hipFunction_attribute> && same<Ours::CopyKind, hipMemcpyKind>);
static_assert(same<Ours::Stream, hipStream_t> && same<Ours::Event, hipEvent_t> &&
              same<Ours::Module, hipModule_t>);
static_assert(same<Ours::Function, hipFunction_t> && same<Ours::CompilerProgram, hiprtcProgram>);
static_assert(same<Ours::CompilerResult, hiprtcResult> && std::is_same_v<Ours::Pointer, hipDeviceptr_t>);
static_assert(std::is_same_v<Ours::PeerSource, table::PeerSource> && std::is_same_v<Ours::Word, table::Word>);
static_assert(std::is_same_v<Ours::Context, table::Context>);

static_assert(same<Ours::Graph, hipGraph_t> && same<Ours::GraphExec, hipGraphExec_t> &&
              same<Ours::GraphNode, hipGraphNode_t>);
static_assert(same<Ours::CaptureMode, hipStreamCaptureMode> &&
              same<Ours::CaptureStatus, hipStreamCaptureStatus> &&
              std::is_same_v<Ours::CaptureNumber, table::CaptureNumber>);
using OurNode = ferry::hip::KernelNode;
static_assert(sizeof(OurNode) == sizeof(hipKernelNodeParams));
static_assert(offsetof(OurNode, local) == offsetof(hipKernelNodeParams, blockDim));
static_assert(offsetof(OurNode, extra) == offsetof(hipKernelNodeParams, extra));
static_assert(offsetof(OurNode, function) == offsetof(hipKernelNodeParams, func));
static_assert(offsetof(OurNode, groups) == offsetof(hipKernelNodeParams, gridDim));
static_assert(offsetof(OurNode, parameters) == offsetof(hipKernelNodeParams, kernelParams));
static_assert(offsetof(OurNode, local_bytes) == offsetof(hipKernelNodeParams, sharedMemBytes));

static_assert(same<Ours::External, hipExternalMemory_t>);
// The structs of older versions end before the reserved words.
using OurHandle = Ours::ExternalHandle;
static_assert(sizeof(OurHandle) >= sizeof(hipExternalMemoryHandleDesc));
static_assert(offsetof(OurHandle, kind) == offsetof(hipExternalMemoryHandleDesc, type));
static_assert(offsetof(OurHandle, descriptor) == offsetof(hipExternalMemoryHandleDesc, handle.fd));
static_assert(offsetof(OurHandle, bytes) == offsetof(hipExternalMemoryHandleDesc, size));
static_assert(offsetof(OurHandle, flags) == offsetof(hipExternalMemoryHandleDesc, flags));
using OurBuffer = Ours::ExternalBuffer;
static_assert(sizeof(OurBuffer) >= sizeof(hipExternalMemoryBufferDesc));
static_assert(offsetof(OurBuffer, offset) == offsetof(hipExternalMemoryBufferDesc, offset));
static_assert(offsetof(OurBuffer, bytes) == offsetof(hipExternalMemoryBufferDesc, size));
static_assert(offsetof(OurBuffer, flags) == offsetof(hipExternalMemoryBufferDesc, flags));
static_assert(ferry::driver::external::opaque_descriptor == hipExternalMemoryHandleTypeOpaqueFd);
#ifdef hipExternalMemoryDedicated
static_assert(ferry::driver::external::dedicated == hipExternalMemoryDedicated);
#endif

static_assert(sizeof(ferry::hip::Properties) > sizeof(hipDeviceProp_t));
#if HIP_VERSION_MAJOR < 6
static_assert(ferry::hip::architecture_offset == offsetof(hipDeviceProp_t, gcnArchName));
#else
static_assert(ferry::hip::architecture_offset_r0600 == offsetof(hipDeviceProp_t, gcnArchName));
#endif

// Compares hipMemcpy3DParms field by field: nested structs with the same members, one after the other.
using OurBox = ferry::hip::BoxCopy;
static_assert(sizeof(OurBox) == sizeof(hipMemcpy3DParms) && alignof(OurBox) == alignof(hipMemcpy3DParms));
#define FERRY_SAME_PLACE(ours, theirs) \
    static_assert(offsetof(OurBox, ours) == offsetof(hipMemcpy3DParms, theirs), #theirs)
FERRY_SAME_PLACE(from.array, srcArray);
FERRY_SAME_PLACE(from.x, srcPos.x);
FERRY_SAME_PLACE(from.z, srcPos.z);
FERRY_SAME_PLACE(from.address, srcPtr.ptr);
FERRY_SAME_PLACE(from.pitch, srcPtr.pitch);
FERRY_SAME_PLACE(from.row_length, srcPtr.xsize);
FERRY_SAME_PLACE(from.height, srcPtr.ysize);
FERRY_SAME_PLACE(to.array, dstArray);
FERRY_SAME_PLACE(to.address, dstPtr.ptr);
FERRY_SAME_PLACE(to.height, dstPtr.ysize);
FERRY_SAME_PLACE(width, extent.width);
FERRY_SAME_PLACE(height, extent.height);
FERRY_SAME_PLACE(depth, extent.depth);
FERRY_SAME_PLACE(kind, kind);
static_assert(ferry::hip::copy_up == hipMemcpyHostToDevice &&
              ferry::hip::copy_down == hipMemcpyDeviceToHost &&
              ferry::hip::copy_between == hipMemcpyDeviceToDevice);

constexpr ferry::driver::Attributes number = ferry::hip::attributes;
static_assert(number.max_group_size == hipDeviceAttributeMaxThreadsPerBlock);
static_assert(number.local_x == hipDeviceAttributeMaxBlockDimX);
static_assert(number.local_y == hipDeviceAttributeMaxBlockDimY);
static_assert(number.local_z == hipDeviceAttributeMaxBlockDimZ);
static_assert(number.groups_x == hipDeviceAttributeMaxGridDimX);
static_assert(number.groups_y == hipDeviceAttributeMaxGridDimY);
static_assert(number.groups_z == hipDeviceAttributeMaxGridDimZ);
static_assert(number.local_memory == hipDeviceAttributeMaxSharedMemoryPerBlock);
static_assert(number.warp_size == hipDeviceAttributeWarpSize);
static_assert(number.clock_khz == hipDeviceAttributeClockRate);
static_assert(number.compute_units == hipDeviceAttributeMultiprocessorCount);
static_assert(number.integrated == hipDeviceAttributeIntegrated);
static_assert(number.map_host_memory == hipDeviceAttributeCanMapHostMemory);
static_assert(number.managed == hipDeviceAttributeManagedMemory);
static_assert(number.concurrent_managed == hipDeviceAttributeConcurrentManagedAccess);
static_assert(number.host_page_tables == hipDeviceAttributePageableMemoryAccessUsesHostPageTables);
static_assert(number.pageable_access == hipDeviceAttributePageableMemoryAccess);
static_assert(number.registered_has_host_address == hipDeviceAttributeCanUseHostPointerForRegisteredMem);
static_assert(number.registers_read_only == -1);

// The attributes of memory that Ferry queries.
#define FERRY_MEMORY_ATTRIBUTE(member, cuda, cuda_number, hip, hip_number) \
    static_assert((hip_number) == hipDeviceAttribute##hip);
#define FERRY_CUDA_MEMORY_ATTRIBUTE(member, name, number)
#define FERRY_HIP_MEMORY_ATTRIBUTE(member, name, number) static_assert((number) == hipDeviceAttribute##name);
#include "driver/memory_attributes.def"
static_assert(ferry::hip::host_mapped == hipHostMallocMapped && ferry::hip::copy_default == hipMemcpyDefault);
static_assert(50000000 <= HIP_VERSION, "the numbers above hold from 5.0 on");

namespace driver = ferry::driver;
static_assert(driver::flag::stream_non_blocking == hipStreamNonBlocking);
static_assert(driver::flag::event_disable_timing == hipEventDisableTiming);
static_assert(driver::flag::event_blocking_sync == hipEventBlockingSync);
static_assert(driver::flag::managed_global == hipMemAttachGlobal);
static_assert(driver::flag::register_portable_mapped == (hipHostRegisterPortable | hipHostRegisterMapped));
static_assert(driver::flag::capture_relaxed == hipStreamCaptureModeRelaxed);
static_assert(driver::processor == hipCpuDeviceId && same<Ours::MemoryAdvice, hipMemoryAdvise>);
static_assert(driver::memory_advice::read_mostly == hipMemAdviseSetReadMostly &&
              driver::memory_advice::not_read_mostly == hipMemAdviseUnsetReadMostly &&
              driver::memory_advice::preferred_location == hipMemAdviseSetPreferredLocation &&
              driver::memory_advice::no_preferred_location == hipMemAdviseUnsetPreferredLocation &&
              driver::memory_advice::accessed_by == hipMemAdviseSetAccessedBy &&
              driver::memory_advice::not_accessed_by == hipMemAdviseUnsetAccessedBy);
static_assert(driver::function_attribute::max_group_size == HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
static_assert(driver::function_attribute::local_bytes == HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
static_assert(driver::function_attribute::registers == HIP_FUNC_ATTRIBUTE_NUM_REGS);
static_assert(driver::pointer_attribute::host_pointer == HIP_POINTER_ATTRIBUTE_HOST_POINTER);
static_assert(same<Ours::PointerAttribute, hipPointer_attribute>);
static_assert(driver::result::success == hipSuccess && driver::result::success == HIPRTC_SUCCESS);
static_assert(driver::result::out_of_memory == hipErrorOutOfMemory);
static_assert(driver::result::not_found == hipErrorNotFound);
static_assert(driver::result::not_ready == hipErrorNotReady);

using ferry::Code;
constexpr struct {
    hipError_t number;
    Code code;
} meanings[] = {
    {hipErrorOutOfMemory, Code::out_of_memory},
    {hipErrorNotInitialized, Code::unavailable},
    {hipErrorDeinitialized, Code::device_lost},
    {hipErrorInvalidConfiguration, Code::invalid_argument},
    {hipErrorInsufficientDriver, Code::unavailable},
    {hipErrorPriorLaunchFailure, Code::device_lost},
    {hipErrorInvalidDeviceFunction, Code::build_failed},
    {hipErrorNoDevice, Code::unavailable},
    {hipErrorInvalidDevice, Code::unavailable},
    {hipErrorInvalidImage, Code::build_failed},
    {hipErrorNoBinaryForGpu, Code::build_failed},
    {hipErrorECCNotCorrectable, Code::device_lost},
    {hipErrorPeerAccessUnsupported, Code::unsupported},
    {hipErrorInvalidKernelFile, Code::build_failed},
    {hipErrorInvalidSource, Code::build_failed},
    {hipErrorNotFound, Code::not_found},
    {hipErrorIllegalAddress, Code::device_lost},
    {hipErrorLaunchOutOfResources, Code::command_failed},
    {hipErrorLaunchTimeOut, Code::device_lost},
    {hipErrorContextIsDestroyed, Code::device_lost},
    {hipErrorAssert, Code::device_lost},
    {hipErrorLaunchFailure, Code::device_lost},
    {hipErrorCooperativeLaunchTooLarge, Code::invalid_argument},
    {hipErrorNotSupported, Code::unsupported},
    {hipErrorInvalidValue, Code::internal},
    {hipErrorUnknown, Code::internal},
};

} // namespace

int main() {
    abi::Counts library{.newer_than_header = hip_rows_newer_than_header};
    abi::Counts compiler;
#define FERRY_SYMBOL(tier, member, cuda, hip, parameters) \
    ++library.rows, library.required += abi::is_required(#tier);
#define FERRY_HIP_SYMBOL(tier, member, name, result, parameters) \
    ++library.rows, library.required += abi::is_required(#tier);
#include "driver/symbols.def"
#define FERRY_COMPILER_SYMBOL(tier, member, nvrtc, hiprtc, parameters) \
    ++compiler.rows, compiler.required += abi::is_required(#tier);
#define FERRY_COMPILER_TEXT(tier, member, nvrtc, hiprtc, parameters) \
    ++compiler.rows, compiler.required += abi::is_required(#tier);
#include "driver/compiler.def"
    int failed = library.report("hip_runtime_api.h", HIP_VERSION_MAJOR, HIP_VERSION_MINOR) +
                 compiler.report("hiprtc.h", HIP_VERSION_MAJOR, HIP_VERSION_MINOR);
    for (const auto& meaning : meanings) {
        if (driver::code_of(meaning.number) != meaning.code) {
            std::printf("code_of(%d) is wrong\n", static_cast<int>(meaning.number));
            ++failed;
        }
    }
    return failed;
}
