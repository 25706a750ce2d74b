// SPDX-License-Identifier: Apache-2.0
// Compares the doubles with AMD's headers. tests/abi already compares the prototypes, which come from the
// same table rows. This file compares the types that replace AMD's types, and the numbers.

#define __HIP_PLATFORM_AMD__ // NOLINT
#include "../abi/abi_check.hpp"
#include "hip_errors.hpp"
#include "hip_numbers.hpp"

#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#include <cstdio>
#include <cstring>

namespace {

namespace ours = ferry_double;

template <class A, class B>
constexpr bool same = abi::interchangeable<A, B>();
static_assert(same<ours::Result, hipError_t> && same<ours::Device, hipDevice_t> && same<ours::Uuid, hipUUID>);
static_assert(same<ours::DeviceAttribute, hipDeviceAttribute_t> && same<ours::JitOption, hipJitOption>);
static_assert(same<ours::FunctionAttribute, hipFunction_attribute> && same<ours::CopyKind, hipMemcpyKind>);
static_assert(same<ours::PointerAttribute, hipPointer_attribute>);
static_assert(same<ours::Stream, hipStream_t> && same<ours::Event, hipEvent_t> &&
              same<ours::Module, hipModule_t>);
static_assert(same<ours::Function, hipFunction_t> && same<ours::CompilerProgram, hiprtcProgram>);
static_assert(sizeof(ours::BoxCopy) == sizeof(hipMemcpy3DParms) &&
              offsetof(ours::BoxCopy, to.address) == offsetof(hipMemcpy3DParms, dstPtr.ptr) &&
              offsetof(ours::BoxCopy, kind) == offsetof(hipMemcpy3DParms, kind));
static_assert(same<ours::External, hipExternalMemory_t> &&
              sizeof(ours::ExternalHandle) >= sizeof(hipExternalMemoryHandleDesc) &&
              offsetof(ours::ExternalHandle, flags) == offsetof(hipExternalMemoryHandleDesc, flags) &&
              offsetof(ours::ExternalBuffer, flags) == offsetof(hipExternalMemoryBufferDesc, flags));
static_assert(same<ours::CompilerResult, hiprtcResult> && same<ours::Pointer, hipDeviceptr_t>);

static_assert(same<ours::Graph, hipGraph_t> && same<ours::GraphExec, hipGraphExec_t> &&
              same<ours::GraphNode, hipGraphNode_t> && same<ours::MemoryAdvice, hipMemoryAdvise> &&
              same<ours::CaptureMode, hipStreamCaptureMode> &&
              same<ours::CaptureStatus, hipStreamCaptureStatus>);
static_assert(sizeof(ours::KernelNode) == sizeof(hipKernelNodeParams));
static_assert(offsetof(ours::KernelNode, block) == offsetof(hipKernelNodeParams, blockDim));
static_assert(offsetof(ours::KernelNode, extra) == offsetof(hipKernelNodeParams, extra));
static_assert(offsetof(ours::KernelNode, function) == offsetof(hipKernelNodeParams, func));
static_assert(offsetof(ours::KernelNode, grid) == offsetof(hipKernelNodeParams, gridDim));
static_assert(offsetof(ours::KernelNode, parameters) == offsetof(hipKernelNodeParams, kernelParams));
static_assert(offsetof(ours::KernelNode, shared_bytes) == offsetof(hipKernelNodeParams, sharedMemBytes));
static_assert(+ours::capture_unsupported == +hipErrorStreamCaptureUnsupported &&
              +ours::capture_unjoined == +hipErrorStreamCaptureUnjoined &&
              +ours::capture_isolation == +hipErrorStreamCaptureIsolation);

#define FERRY_ATTRIBUTE(name, amd, number, cuda) static_assert(hipDeviceAttribute##amd == (number), #amd);
FERRY_DOUBLE_ATTRIBUTES(FERRY_ATTRIBUTE)

static_assert(+ours::function_max_threads == +HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
static_assert(+ours::function_shared_bytes == +HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
static_assert(+ours::function_registers == +HIP_FUNC_ATTRIBUTE_NUM_REGS);
static_assert(+ours::function_max_dynamic_shared_bytes == +HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(+ours::compiler_out_of_memory == +HIPRTC_ERROR_OUT_OF_MEMORY);
static_assert(+ours::compiler_invalid_input == +HIPRTC_ERROR_INVALID_INPUT);
static_assert(+ours::compiler_invalid_program == +HIPRTC_ERROR_INVALID_PROGRAM);
static_assert(+ours::compiler_invalid_option == +HIPRTC_ERROR_INVALID_OPTION);
static_assert(+ours::compiler_compilation == +HIPRTC_ERROR_COMPILATION);
static_assert(+ours::compiler_internal == +HIPRTC_ERROR_INTERNAL_ERROR);
static_assert(hipMemcpyHostToHost == 0 && hipMemcpyDeviceToDevice == 3 && hipMemcpyDefault == 4);

struct Number {
    const char* name;
    hipError_t number;
};
#define FERRY_NUMBER(name) \
    { #name, name }
constexpr Number numbers[] = {FERRY_NUMBER(hipSuccess),
                              FERRY_NUMBER(hipErrorInvalidValue),
                              FERRY_NUMBER(hipErrorOutOfMemory),
                              FERRY_NUMBER(hipErrorNotInitialized),
                              FERRY_NUMBER(hipErrorInvalidConfiguration),
                              FERRY_NUMBER(hipErrorInvalidMemcpyDirection),
                              FERRY_NUMBER(hipErrorNoDevice),
                              FERRY_NUMBER(hipErrorInvalidDevice),
                              FERRY_NUMBER(hipErrorInvalidImage),
                              FERRY_NUMBER(hipErrorInvalidContext),
                              FERRY_NUMBER(hipErrorNoBinaryForGpu),
                              FERRY_NUMBER(hipErrorUnsupportedLimit),
                              FERRY_NUMBER(hipErrorInvalidHandle),
                              FERRY_NUMBER(hipErrorIllegalState),
                              FERRY_NUMBER(hipErrorNotFound),
                              FERRY_NUMBER(hipErrorNotReady),
                              FERRY_NUMBER(hipErrorIllegalAddress),
                              FERRY_NUMBER(hipErrorLaunchOutOfResources),
                              FERRY_NUMBER(hipErrorLaunchTimeOut),
                              FERRY_NUMBER(hipErrorPeerAccessAlreadyEnabled),
                              FERRY_NUMBER(hipErrorPeerAccessNotEnabled),
                              FERRY_NUMBER(hipErrorAssert),
                              FERRY_NUMBER(hipErrorHostMemoryAlreadyRegistered),
                              FERRY_NUMBER(hipErrorHostMemoryNotRegistered),
                              FERRY_NUMBER(hipErrorLaunchFailure),
                              FERRY_NUMBER(hipErrorNotSupported),
                              FERRY_NUMBER(hipErrorUnknown)};

} // namespace

int main() {
    int wrong = 0;
    for (const Number& number : numbers) {
        if (std::strcmp(ours::error_of(static_cast<int>(number.number)).name, number.name) != 0) {
            std::printf("%s is %d in AMD's header, and another error in the doubles\n", number.name,
                        static_cast<int>(number.number));
            ++wrong;
        }
    }
    std::printf("%zu errors and the types and attributes of the doubles agree with HIP %d.%d\n",
                std::size(numbers) - static_cast<std::size_t>(wrong), HIP_VERSION_MAJOR, HIP_VERSION_MINOR);
    return wrong;
}
