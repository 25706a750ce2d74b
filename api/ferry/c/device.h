// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t ferry_backend;
enum {
    FERRY_BACKEND_CUDA = 0,
    FERRY_BACKEND_HIP = 1,
    FERRY_BACKEND_OPENCL = 2,
    FERRY_BACKEND_VULKAN = 3,
    FERRY_BACKEND_HOST = 4,
};

typedef int32_t ferry_device_kind;
enum {
    FERRY_DEVICE_GPU = 0,
    FERRY_DEVICE_CPU = 1,
    FERRY_DEVICE_ACCELERATOR = 2,
};

/// The properties of one device, as in ferry::DeviceInfo (ferry/device.hpp). Strings are "" and numbers 0 if
/// the vendor gives no answer. The strings are owned by the library and live as long as the process. A field
/// of type `int32_t` is 1 or 0 unless its comment states other values.
typedef struct ferry_device_info {
    const char* id; ///< "opencl:1": the form that ferry_device_find() and FERRY_DEVICE take.
    const char* name;
    const char* vendor;
    const char* platform; ///< OpenCL: the platform's name
    const char* driver_version;
    const char* api_version;
    const char* architecture; ///< "sm_90", "gfx90a"
    const char* compile_note; ///< The compiler of the device, or the reason why there is none.
    const char* pci_address;
    const char* uuid;
    ferry_backend backend;
    ferry_device_kind kind;
    uint32_t index;            ///< among the devices of its backend
    uint32_t compute_units;    ///< multiprocessors, compute units or cores
    uint32_t clock_mhz;        ///< peak clock, MHz
    uint32_t sub_group_width;  ///< work-items of a warp, wavefront or sub-group
    uint64_t total_memory;     ///< bytes
    uint64_t max_allocation;   ///< bytes, largest single allocation
    size_t max_group_size;     ///< work-items in a work-group, all dimensions multiplied
    size_t max_local[3];       ///< work-items in a work-group, per dimension
    uint64_t max_groups[3];    ///< work-groups in a launch, per dimension
    size_t local_memory;       ///< bytes that a work-group can use
    size_t max_argument_bytes; ///< bytes of all arguments of one launch
    int32_t integrated;        ///< shares its memory chips with the processor: 1, 0, or -1 if not known
    int32_t fp16;              ///< half precision arithmetic
    int32_t fp64;              ///< double precision arithmetic
    int32_t int64_atomics;     ///< 64-bit integer atomics
    int32_t timing;            ///< events carry device times
    int32_t compiles;          ///< source can be built at run time
    int32_t host_memory;       ///< has FERRY_MEMORY_HOST
    int32_t shared_memory;     ///< has FERRY_MEMORY_SHARED
} ferry_device_info;

/// The memory of a device at one moment, in bytes.
typedef struct ferry_memory_info {
    uint64_t total;
    uint64_t free;           ///< Not in use by any process. 0 if the driver does not report it (free_known is
                             ///< 0).
    uint64_t used_here;      ///< Used by this process through Ferry: living buffers.
    uint64_t max_allocation; ///< The largest single allocation that the device accepts.
    int32_t free_known;      ///< 1 or 0.
} ferry_memory_info;

/// All devices that the environment (docs/environment.md) allows, best first. Writes the first `capacity`
/// handles to `devices`, and the total number to `count`. `devices` may be null if capacity is 0. The same
/// device has the same pointer in every call. Opens every allowed backend. Blocking; the first call may take
/// a second. FERRY_INVALID_ARGUMENT: FERRY_BACKEND names no backend. FERRY_UNAVAILABLE: no backend in
/// FERRY_BACKEND has a device; the message gives the reason for each.
FERRY_API ferry_code ferry_devices(ferry_device** devices, size_t capacity, size_t* count);

/// The device selected by FERRY_DEVICE, otherwise the best one. Blocks and fails like ferry_devices() and
/// ferry_device_find().
FERRY_API ferry_code ferry_device_default(ferry_device** device);

/// The device that matches `selector`: an index, "opencl:1", "cuda", a UUID, a PCI address, or a part of its
/// name. Blocks while backends are opened. FERRY_INVALID_ARGUMENT: the selector is empty, or several devices
/// match. FERRY_UNAVAILABLE: no device matches; the message lists the devices that are present.
FERRY_API ferry_code ferry_device_find(const char* selector, ferry_device** device);

/// Fills `info`. Does not block.
FERRY_API ferry_code ferry_device_get_info(ferry_device* device, ferry_device_info* info);

/// Stores a number or truth value (1 or 0) of ferry::DeviceInfo in `number`. `field` is the name of the
/// member, "compute_units". The comments of ferry/device.hpp give the meanings and units. A value that is not
/// known is 0. Does not block. FERRY_INVALID_ARGUMENT: null, or no such field has a number; the message lists
/// them.
FERRY_API ferry_code ferry_device_get_number(ferry_device* device, const char* field, uint64_t* number);

/// Calls ferry_queue_finish() for each queue of the device in this process. Blocking. Returns the first error
/// after all queues have finished.
FERRY_API ferry_code ferry_device_finish(ferry_device* device);

/// Memory in use and available now. Queries the driver.
FERRY_API ferry_code ferry_device_get_memory(ferry_device* device, ferry_memory_info* memory);

/// Returns unused memory to the driver until at most `keep` bytes are kept for later buffers. Stores the
/// number of returned bytes in `given_back`, which may be null. Blocking: drivers wait for the device when
/// they free memory.
FERRY_API ferry_code ferry_device_trim(ferry_device* device, uint64_t keep, uint64_t* given_back);

#ifdef __cplusplus
}
#endif
