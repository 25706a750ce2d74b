// SPDX-License-Identifier: Apache-2.0
#include "fft.hpp"

#include <fmt/format.h>

#ifdef FERRY_SAMPLES_HAVE_VKFFT

#include <ferry/interop/opencl.hpp>

#define VKFFT_BACKEND 3
#include <vkFFT.h>

#include <stdexcept>

namespace {

namespace interop = ferry::interop::opencl;

class Vkfft final : public Fft {
public:
    Vkfft(const ferry::Device& device, const Signals& signals)
        : id_(static_cast<cl_device_id>(interop::device(device))),
          context_(static_cast<cl_context>(interop::context(device))),
          bytes_(signals.elements.size_bytes()) {
        const interop::MemoryRange range = interop::memory(signals.elements);
        memory_ = static_cast<cl_mem>(range.mem);
        VkFFTConfiguration configuration{};
        configuration.FFTdim = 1;
        configuration.size[0] = signals.length;
        configuration.numberBatches = signals.count();
        configuration.device = &id_;
        configuration.context = &context_;
        configuration.buffer = &memory_;
        configuration.bufferSize = &bytes_;
        configuration.bufferOffset = range.offset;
        check(initializeVkFFT(&application_, configuration), "initializeVkFFT");
    }
    ~Vkfft() override { deleteVkFFT(&application_); }

    std::string name() const override { return "VkFFT"; }
    void transform(ferry::Queue& queue, Way way) override {
        auto* native = static_cast<cl_command_queue>(interop::queue(queue));
        VkFFTLaunchParams parameters{};
        parameters.buffer = &memory_;
        parameters.commandQueue = &native;
        check(VkFFTAppend(&application_, way == Way::forward ? -1 : 1, &parameters), "VkFFTAppend");
    }

private:
    static void check(VkFFTResult code, const char* call) {
        if (code != VKFFT_SUCCESS) {
            throw std::runtime_error(fmt::format("{} returned {}", call, static_cast<int>(code)));
        }
    }

    cl_device_id id_;
    cl_context context_;
    std::uint64_t bytes_;
    cl_mem memory_ = nullptr;
    VkFFTApplication application_{};
};

std::unique_ptr<Fft> make_vkfft_opencl(const ferry::Device& device, const Signals& signals, std::string&) {
    return std::make_unique<Vkfft>(device, signals);
}

} // namespace

#else

namespace {

std::unique_ptr<Fft> make_vkfft_opencl(const ferry::Device&, const Signals&, std::string& why) {
    why = "it was not there when this sample was built";
    return nullptr;
}

} // namespace

#endif

std::unique_ptr<Fft> make_vkfft(const ferry::Device& device, const Signals& signals, std::string& why) {
    switch (device.backend()) {
    case ferry::Backend::opencl:
        return make_vkfft_opencl(device, signals, why);
    case ferry::Backend::cuda:
        return make_vkfft_cuda(device, signals, why);
    default:
        why = fmt::format("this sample uses it on OpenCL and CUDA devices, and {} is neither", device.id());
        return nullptr;
    }
}
