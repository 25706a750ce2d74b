// SPDX-License-Identifier: Apache-2.0
#include "vkfft_module.hpp"

#include <complex>
#include <memory>

#define VKFFT_BACKEND 1
#include <vkFFT.h>

namespace {

struct Plan {
    CUdevice device = 0;
    cudaStream_t stream = nullptr;
    void* address = nullptr;
    std::uint64_t bytes = 0;
    VkFFTApplication application{};
};

} // namespace

extern "C" {

__attribute__((visibility("default"))) void*
sample_vkfft_make(int device, std::uint64_t address, std::size_t length, std::size_t count, int* code) {
    auto plan = std::make_unique<Plan>();
    plan->device = device;
    plan->address = reinterpret_cast<void*>(address);
    plan->bytes = length * count * sizeof(std::complex<float>);
    VkFFTConfiguration configuration{};
    configuration.FFTdim = 1;
    configuration.size[0] = length;
    configuration.numberBatches = count;
    configuration.device = &plan->device;
    configuration.stream = &plan->stream; // read when work is enqueued
    configuration.num_streams = 1;
    configuration.buffer = &plan->address;
    configuration.bufferSize = &plan->bytes;
    *code = initializeVkFFT(&plan->application, configuration);
    return *code == VKFFT_SUCCESS ? plan.release() : nullptr;
}

__attribute__((visibility("default"))) int sample_vkfft_append(void* plan, void* stream, int inverse) {
    auto& of = *static_cast<Plan*>(plan);
    of.stream = static_cast<cudaStream_t>(stream);
    VkFFTLaunchParams parameters{};
    parameters.buffer = &of.address;
    return VkFFTAppend(&of.application, inverse != 0 ? 1 : -1, &parameters);
}

__attribute__((visibility("default"))) void sample_vkfft_drop(void* plan) {
    const std::unique_ptr<Plan> of(static_cast<Plan*>(plan));
    deleteVkFFT(&of->application);
}

} // extern "C"
