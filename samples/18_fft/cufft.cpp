// SPDX-License-Identifier: Apache-2.0
#include "cuda_library.hpp"
#include "fft.hpp"

#include <ferry/interop/cuda.hpp>

#include <fmt/format.h>

#include <stdexcept>

namespace {

using Plan = int; // cufftHandle
using PlanLine = int(Plan*, int, int, int);
using Destroy = int(Plan);
using SetStream = int(Plan, void*);
using Execute = int(Plan, void*, void*, int);

class Cufft final : public Fft {
public:
    Cufft(CudaLibrary library, const ferry::Device& device, const Signals& signals)
        : library_(std::move(library)), signals_(signals) {
        sample_enter_cuda(device);
        constexpr int complex_to_complex = 0x29;
        check(library_.find<PlanLine>("cufftPlan1d")(&plan_, static_cast<int>(signals.length),
                                                     complex_to_complex, static_cast<int>(signals.count())),
              "cufftPlan1d");
    }
    ~Cufft() override { library_.find<Destroy>("cufftDestroy")(plan_); }

    std::string name() const override { return "cuFFT, opened as " + library_.name(); }
    void transform(ferry::Queue& queue, Way way) override {
        namespace interop = ferry::interop::cuda;
        check(library_.find<SetStream>("cufftSetStream")(plan_, interop::stream(queue)), "cufftSetStream");
        auto* const address = reinterpret_cast<void*>(interop::pointer(signals_.elements));
        check(library_.find<Execute>("cufftExecC2C")(plan_, address, address, way == Way::forward ? -1 : 1),
              "cufftExecC2C");
    }

private:
    static void check(int code, const char* call) {
        if (code != 0) {
            throw std::runtime_error(fmt::format("{} returned {}", call, code));
        }
    }

    CudaLibrary library_;
    Signals signals_;
    Plan plan_ = 0;
};

} // namespace

std::unique_ptr<Fft> make_cufft(const ferry::Device& device, const Signals& signals, std::string& why) {
    if (device.backend() != ferry::Backend::cuda) {
        why = fmt::format("it works on CUDA devices, and {} is none", device.id());
        return nullptr;
    }
    CudaLibrary library{"libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"};
    if (!library) {
        why = library.error();
        return nullptr;
    }
    return std::make_unique<Cufft>(std::move(library), device, signals);
}
