// SPDX-License-Identifier: Apache-2.0
#include "cuda_library.hpp"

#include "system.hpp"

#include <ferry/interop/cuda.hpp>

#include <stdexcept>

CudaLibrary::CudaLibrary(std::initializer_list<const char*> names) {
    for (const char* const name : names) {
        std::string why;
        handle_ = sample::open_library(name, why);
        if (handle_ != nullptr) {
            name_ = name;
            return;
        }
        error_ += (error_.empty() ? "" : ", ") + why;
    }
}

void* CudaLibrary::symbol(const char* function) const {
    void* const found = sample::symbol_of(handle_, function);
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
