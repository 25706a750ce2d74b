// SPDX-License-Identifier: Apache-2.0
#include "cuda_library.hpp"

#include <ferry/interop/cuda.hpp>

#include <dlfcn.h>

#include <stdexcept>

CudaLibrary::CudaLibrary(std::initializer_list<const char*> names) {
    for (const char* const name : names) {
        handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (handle_ != nullptr) {
            name_ = name;
            return;
        }
        const char* const why = dlerror();
        error_ += (error_.empty() ? "" : ", ") + std::string(why != nullptr ? why : name);
    }
}

void* CudaLibrary::symbol(const char* function) const {
    void* const found = dlsym(handle_, function);
    if (found == nullptr) {
        throw std::runtime_error(name_ + " has no function " + function);
    }
    return found;
}

void sample_enter_cuda(const ferry::Device& device) {
    static const CudaLibrary driver{"libcuda.so.1"};
    if (!driver) {
        throw std::runtime_error("The CUDA driver cannot be opened: " + driver.error());
    }
    if (const int code = driver.find<int(void*)>("cuCtxSetCurrent")(ferry::interop::cuda::context(device));
        code != 0) {
        throw std::runtime_error("cuCtxSetCurrent returned " + std::to_string(code));
    }
}
