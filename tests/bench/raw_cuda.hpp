// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

/// The CUDA driver's calls for queue_bench, as in a program without Ferry. An error throws.
class RawCuda {
public:
    using Pointer = unsigned long long;

    explicit RawCuda(std::size_t ordinal) {
        const char* const named = std::getenv("FERRY_CUDA_LIBRARY");
        library_ = dlopen(named != nullptr ? named : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) {
            throw std::runtime_error(dlerror());
        }
        call<int(unsigned)>("cuInit", 0U);
        int device = 0;
        call<int(int*, int)>("cuDeviceGet", &device, static_cast<int>(ordinal));
        call<int(void**, int)>("cuDevicePrimaryCtxRetain", &context_, device);
        find(launch_, "cuLaunchKernel");
        find(graph_launch_, "cuGraphLaunch");
        find(synchronize_, "cuStreamSynchronize");
    }

    /// Makes the context current in this thread.
    void enter() const { call<int(void*)>("cuCtxSetCurrent", context_); }
    static void check(int code, const char* name) {
        if (code != 0) [[unlikely]] {
            throw std::runtime_error(std::string(name) + " returned " + std::to_string(code) + ".");
        }
    }
    /// Any other function, found by its name.
    template <class Signature, class... A>
    void call(const char* name, A... arguments) const {
        Signature* address = nullptr;
        find(address, name);
        check(address(arguments...), name);
    }
    template <class F>
    void find(F*& address, const char* name) const {
        address = reinterpret_cast<F*>(dlsym(library_, name));
        if (address == nullptr) {
            throw std::runtime_error(std::string("The CUDA library has no ") + name + ".");
        }
    }

    void launch(void* kernel, void* to, unsigned groups, unsigned local, void** arguments) const {
        check(launch_(kernel, groups, 1, 1, local, 1, 1, 0, to, arguments, nullptr), "cuLaunchKernel");
    }
    void launch_graph(void* exec, void* to) const { check(graph_launch_(exec, to), "cuGraphLaunch"); }
    void synchronize(void* on) const { check(synchronize_(on), "cuStreamSynchronize"); }

    void* stream() const {
        void* made = nullptr;
        call<int(void**, unsigned)>("cuStreamCreate", &made, 1U);
        return made;
    }
    Pointer memory(std::size_t bytes) const {
        Pointer made = 0;
        call<int(Pointer*, std::size_t)>("cuMemAlloc_v2", &made, bytes);
        return made;
    }
    void* function(const std::vector<std::byte>& code, const char* name) const {
        void* module = nullptr;
        void* made = nullptr;
        call<int(void**, const void*, unsigned, int*, void**)>(
            "cuModuleLoadDataEx", &module, static_cast<const void*>(code.data()), 0U,
            static_cast<int*>(nullptr), static_cast<void**>(nullptr));
        call<int(void**, void*, const char*)>("cuModuleGetFunction", &made, module, name);
        return made;
    }
    /// The commands enqueued by `enqueue`, as an executable graph.
    template <class Enqueue>
    void* graph(void* on, const Enqueue& enqueue) const {
        void* captured = nullptr;
        void* made = nullptr;
        call<int(void*, int)>("cuStreamBeginCapture_v2", on, 2);
        enqueue();
        call<int(void*, void**)>("cuStreamEndCapture", on, &captured);
        call<int(void**, void*, unsigned long long)>("cuGraphInstantiateWithFlags", &made, captured, 0ULL);
        return made;
    }

private:
    void* library_ = nullptr;
    void* context_ = nullptr;
    int (*launch_)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                   void**) = nullptr;
    int (*graph_launch_)(void*, void*) = nullptr;
    int (*synchronize_)(void*) = nullptr;
};

} // namespace bench
