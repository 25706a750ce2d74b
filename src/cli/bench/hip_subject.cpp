// SPDX-License-Identifier: Apache-2.0
#include "driver_subject.hpp"

namespace bench {

namespace {

struct HipVendor : DriverCalls<void*> {
    static constexpr const char* name = "HIP";
    static constexpr unsigned stream_non_blocking = 1;
    static constexpr unsigned event_disable_timing = 2;
    static constexpr unsigned host_flags = 2; // hipHostMallocMapped
    static constexpr int memory_clock = 60;   // hipDeviceAttributeMemoryClockRate
    static constexpr int memory_width = 59;   // hipDeviceAttributeMemoryBusWidth

    int (*upload)(Pointer, void*, std::size_t, void*) = nullptr;
    int (*fill_words)(Pointer, int, std::size_t, void*) = nullptr;
    int (*set_device)(int) = nullptr;

    explicit HipVendor(const ferry::Device& device) {
        ordinal = static_cast<int>(device.info().index);
        constexpr const char* names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                         "/opt/rocm/lib/libamdhip64.so"};
        void* library = open_library("FERRY_HIP_LIBRARY", names);
        resolve(library, "hipStreamCreateWithFlags", stream_create);
        resolve(library, "hipStreamSynchronize", stream_synchronize);
        resolve(library, "hipStreamWaitEvent", stream_wait_event);
        resolve(library, "hipEventCreateWithFlags", event_create);
        resolve(library, "hipEventRecord", event_record);
        resolve(library, "hipEventSynchronize", event_synchronize);
        resolve(library, "hipHostMalloc", host_alloc);
        resolve(library, "hipHostFree", host_free);
        resolve(library, "hipMalloc", mem_alloc);
        resolve(library, "hipFree", mem_free);
        if (device.has(ferry::MemoryKind::shared)) {
            resolve(library, "hipMallocManaged", managed_alloc);
        }
        resolve(library, "hipModuleLoadDataEx", module_load_data);
        resolve(library, "hipModuleGetFunction", module_get_function);
        resolve(library, "hipModuleLaunchKernel", launch_kernel);
        resolve(library, "hipStreamDestroy", stream_destroy);
        resolve(library, "hipEventDestroy", event_destroy);
        resolve(library, "hipEventQuery", event_query);
        resolve(library, "hipEventElapsedTime", event_elapsed);
        resolve(library, "hipModuleUnload", module_unload);
        resolve(library, "hipDeviceGetAttribute", attribute);
        resolve(library, "hipMemsetD32Async", fill_words);
        resolve(library, "hipMemcpyHtoDAsync", upload);
        resolve(library, "hipMemcpyDtoHAsync", copy_down);
        resolve(library, "hipMemcpyDtoDAsync", copy_between);
        resolve(library, "hipSetDevice", set_device);
    }

    int copy_up(Pointer to, const void* from, std::size_t bytes, void* stream) const {
        return upload(to, const_cast<void*>(from), bytes, stream);
    }
    int fill(Pointer to, std::uint32_t word, std::size_t count, void* stream) const {
        return fill_words(to, static_cast<int>(word), count, stream);
    }
    int enter() const { return set_device(ordinal); }
    static void* host_pointer(Pointer managed) { return managed; }
    int leave() const { return 0; }
};

} // namespace

std::unique_ptr<Subject> hip_subject(const Setup& setup) {
    return std::make_unique<DriverSubject<HipVendor>>(setup);
}

} // namespace bench
