// SPDX-License-Identifier: Apache-2.0
#include "cuda_library.hpp"
#include "fft.hpp"
#include "vkfft_module.hpp"

#include <ferry/interop/cuda.hpp>

#include <fmt/format.h>

#include <stdexcept>

#ifndef FERRY_SAMPLES_VKFFT_MODULE
#define FERRY_SAMPLES_VKFFT_MODULE nullptr
#endif

namespace {

namespace interop = ferry::interop::cuda;

class VkfftCuda final : public Fft {
public:
    VkfftCuda(CudaLibrary module, const ferry::Device& device, const Signals& signals)
        : module_(std::move(module)) {
        sample_enter_cuda(device);
        int code = 0;
        plan_ = module_.find<MakePlan>(make_plan_name)(interop::device(device),
                                                       interop::pointer(signals.elements), signals.length,
                                                       signals.count(), &code);
        check(code, "initializeVkFFT");
    }
    ~VkfftCuda() override { module_.find<DropPlan>(drop_plan_name)(plan_); }

    std::string name() const override { return "VkFFT, its CUDA back end"; }
    void transform(ferry::Queue& queue, Way way) override {
        check(module_.find<AppendPlan>(append_plan_name)(plan_, interop::stream(queue), way == Way::back),
              "VkFFTAppend");
    }

private:
    static void check(int code, const char* call) {
        if (code != 0) {
            throw std::runtime_error(fmt::format("{} returned {}", call, code));
        }
    }

    CudaLibrary module_;
    void* plan_ = nullptr;
};

} // namespace

std::unique_ptr<Fft> make_vkfft_cuda(const ferry::Device& device, const Signals& signals, std::string& why) {
    constexpr const char* file = FERRY_SAMPLES_VKFFT_MODULE;
    if (file == nullptr) {
        why = "VkFFT or CUDA's headers and libraries were not there when this sample was built";
        return nullptr;
    }
    CudaLibrary module{file};
    if (!module) {
        why = module.error();
        return nullptr;
    }
    return std::make_unique<VkfftCuda>(std::move(module), device, signals);
}
