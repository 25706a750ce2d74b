// SPDX-License-Identifier: Apache-2.0
#include "driver_subject.hpp"

namespace bench {

namespace {

struct CudaVendor : DriverCalls<unsigned long long> {
    static constexpr const char* name = "CUDA";
    static constexpr unsigned stream_non_blocking = 1;
    static constexpr unsigned event_disable_timing = 2;
    static constexpr unsigned host_flags = 3; // CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP
    static constexpr int memory_clock = 36;   // CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE
    static constexpr int memory_width = 37;   // CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH

    int (*copy_up)(Pointer, const void*, std::size_t, void*) = nullptr;
    int (*fill)(Pointer, unsigned, std::size_t, void*) = nullptr;
    int (*get_current)(void**) = nullptr;
    int (*set_current)(void*) = nullptr;
    void* context = nullptr;
    void* before = nullptr; ///< The current context when this side began.

    explicit CudaVendor(const ferry::Device& device) {
        constexpr const char* names[] = {"libcuda.so.1", "libcuda.so"};
        void* library = open_library("FERRY_CUDA_LIBRARY", names);
        resolve(library, "cuStreamCreate", stream_create);
        resolve(library, "cuStreamSynchronize", stream_synchronize);
        resolve(library, "cuStreamWaitEvent", stream_wait_event);
        resolve(library, "cuEventCreate", event_create);
        resolve(library, "cuEventRecord", event_record);
        resolve(library, "cuEventSynchronize", event_synchronize);
        resolve(library, "cuMemHostAlloc", host_alloc);
        resolve(library, "cuMemFreeHost", host_free);
        resolve(library, "cuMemAlloc_v2", mem_alloc);
        resolve(library, "cuMemFree_v2", mem_free);
        if (device.has(ferry::MemoryKind::shared)) {
            resolve(library, "cuMemAllocManaged", managed_alloc);
        }
        resolve(library, "cuModuleLoadDataEx", module_load_data);
        resolve(library, "cuModuleGetFunction", module_get_function);
        resolve(library, "cuLaunchKernel", launch_kernel);
        resolve(library, "cuStreamDestroy_v2", stream_destroy);
        resolve(library, "cuEventDestroy_v2", event_destroy);
        resolve(library, "cuEventQuery", event_query);
        resolve(library, "cuEventElapsedTime", event_elapsed);
        resolve(library, "cuModuleUnload", module_unload);
        resolve(library, "cuDeviceGetAttribute", attribute);
        resolve(library, "cuMemsetD32Async", fill);
        resolve(library, "cuMemcpyHtoDAsync_v2", copy_up);
        resolve(library, "cuMemcpyDtoHAsync_v2", copy_down);
        resolve(library, "cuMemcpyDtoDAsync_v2", copy_between);
        resolve(library, "cuCtxGetCurrent", get_current);
        resolve(library, "cuCtxSetCurrent", set_current);
        int (*init)(unsigned) = nullptr;
        int (*device_get)(int*, int) = nullptr;
        int (*retain)(void**, int) = nullptr;
        resolve(library, "cuInit", init);
        resolve(library, "cuDeviceGet", device_get);
        resolve(library, "cuDevicePrimaryCtxRetain", retain);
        int handle = 0;
        ordinal = static_cast<int>(device.info().index);
        if (init(0) != 0 || device_get(&handle, ordinal) != 0 || retain(&context, handle) != 0) {
            throw std::runtime_error("The raw side could not open " + device.id() + ".");
        }
    }

    // Saves the current context. leave() restores it, so that Ferry's calls find the same current context as
    // in a program without the raw side.
    int enter() {
        const int code = get_current(&before);
        return code != 0 ? code : set_current(context);
    }
    static void* host_pointer(Pointer managed) { return reinterpret_cast<void*>(managed); }
    int leave() const { return set_current(before); }
};

} // namespace

std::unique_ptr<Subject> cuda_subject(const Setup& setup) {
    return std::make_unique<DriverSubject<CudaVendor>>(setup);
}

} // namespace bench
