// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_calls.hpp"

namespace bench {

/// Memory with the same address on the host and an OpenCL device, allocated by driver calls. It has the kind
/// that Ferry would use: shared USM if the driver supports it, otherwise fine-grained SVM.
class OpenclShared {
public:
    OpenclShared(const OpenclCalls& cl, cl_context context, cl_device_id device);

    void* allocate(std::size_t bytes);
    void free(void* memory);
    void set_argument(cl_kernel kernel, cl_uint index, const void* memory);

private:
    cl_context context_;
    cl_device_id device_;
    void* (*svm_alloc_)(cl_context, cl_bitfield, std::size_t, cl_uint) = nullptr;
    void (*svm_free_)(cl_context, void*) = nullptr;
    cl_int (*set_pointer_)(cl_kernel, cl_uint, const void*) = nullptr; ///< The function for SVM or for USM.
    void* (*usm_alloc_)(cl_context, cl_device_id, const cl_ulong*, std::size_t, cl_uint, cl_int*) = nullptr;
    cl_int (*usm_free_)(cl_context, void*) = nullptr; ///< Null for SVM.
};

} // namespace bench
