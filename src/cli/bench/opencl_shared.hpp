// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_calls.hpp"

namespace bench {

/// Memory that the host and an OpenCL device address alike, as a program has it from the driver: of the kind
/// that Ferry takes, shared USM where the driver has it, else fine-grained SVM.
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
    cl_int (*set_pointer_)(cl_kernel, cl_uint, const void*) = nullptr; ///< SVM's or USM's
    void* (*usm_alloc_)(cl_context, cl_device_id, const cl_ulong*, std::size_t, cl_uint, cl_int*) = nullptr;
    cl_int (*usm_free_)(cl_context, void*) = nullptr; ///< null where it is SVM
};

} // namespace bench
