// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "subject.hpp"

#include <CL/cl.h>

#include <stdexcept>
#include <string>

namespace bench {

#define BENCH_CALLS(call)                           \
    call(clGetPlatformIDs);                         \
    call(clGetPlatformInfo);                        \
    call(clGetDeviceIDs);                           \
    call(clGetDeviceInfo);                          \
    call(clGetExtensionFunctionAddressForPlatform); \
    call(clCreateContext);                          \
    call(clCreateCommandQueue);                     \
    call(clCreateBuffer);                           \
    call(clReleaseMemObject);                       \
    call(clEnqueueMapBuffer);                       \
    call(clEnqueueUnmapMemObject);                  \
    call(clCreateProgramWithSource);                \
    call(clCreateProgramWithBinary);                \
    call(clGetProgramInfo);                         \
    call(clBuildProgram);                           \
    call(clCreateKernel);                           \
    call(clSetKernelArg);                           \
    call(clEnqueueNDRangeKernel);                   \
    call(clEnqueueWriteBuffer);                     \
    call(clEnqueueReadBuffer);                      \
    call(clEnqueueCopyBuffer);                      \
    call(clEnqueueFillBuffer);                      \
    call(clGetEventInfo);                           \
    call(clGetEventProfilingInfo);                  \
    call(clReleaseKernel);                          \
    call(clReleaseProgram);                         \
    call(clFinish);                                 \
    call(clFlush);                                  \
    call(clEnqueueMarkerWithWaitList);              \
    call(clEnqueueBarrierWithWaitList);             \
    call(clWaitForEvents);                          \
    call(clReleaseEvent);                           \
    call(clReleaseCommandQueue);                    \
    call(clReleaseContext)

/// The functions of an OpenCL library, opened at run time.
struct OpenclCalls {
#define BENCH_MEMBER(name) decltype(&::name) name = nullptr
    BENCH_CALLS(BENCH_MEMBER);
#undef BENCH_MEMBER

    void* library = nullptr;

    OpenclCalls() {
        constexpr const char* names[] = {"libOpenCL.so.1", "libOpenCL.so"};
        library = open_library("FERRY_OPENCL_LIBRARY", names);
#define BENCH_RESOLVE(name) name = reinterpret_cast<decltype(name)>(find_symbol(library, #name))
        BENCH_CALLS(BENCH_RESOLVE);
#undef BENCH_RESOLVE
    }
};
#undef BENCH_CALLS

inline void check_opencl(cl_int result, const char* call) {
    if (result != CL_SUCCESS) [[unlikely]] {
        throw std::runtime_error(std::string("The raw side's ") + call + " returned " +
                                 std::to_string(result) + ".");
    }
}

/// Finds the OpenCL device of a Ferry device: the same platform, the same name, and the same index among
/// equal names.
cl_device_id find_opencl_device(const OpenclCalls& cl, const ferry::Device& wanted);

} // namespace bench
