// SPDX-License-Identifier: Apache-2.0
#include "driver_subject.hpp"

namespace bench {

namespace {

struct HipVendor : DriverCalls<void*> {
    static constexpr const char* name = "HIP";
    static constexpr unsigned stream_non_blocking = 1;
    static constexpr unsigned event_disable_timing = 2;
    static constexpr unsigned host_flags = 2; // mapped

    int (*upload)(Pointer, void*, std::size_t, void*) = nullptr;
    int (*set_device)(int) = nullptr;
    int ordinal = 0;

    explicit HipVendor(const ferry::Device& device) : ordinal(static_cast<int>(device.info().index)) {
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
        resolve(library, "hipModuleLoadDataEx", module_load_data);
        resolve(library, "hipModuleGetFunction", module_get_function);
        resolve(library, "hipModuleLaunchKernel", launch_kernel);
        resolve(library, "hipMemcpyHtoDAsync", upload);
        resolve(library, "hipMemcpyDtoHAsync", copy_down);
        resolve(library, "hipMemcpyDtoDAsync", copy_between);
        resolve(library, "hipSetDevice", set_device);
    }

    int copy_up(Pointer to, const void* from, std::size_t bytes, void* stream) const {
        return upload(to, const_cast<void*>(from), bytes, stream);
    }
    int enter() const { return set_device(ordinal); }
    int leave() const { return 0; }
};

} // namespace

std::unique_ptr<Subject> hip_subject(const Setup& setup) {
    return std::make_unique<DriverSubject<HipVendor>>(setup);
}

} // namespace bench
