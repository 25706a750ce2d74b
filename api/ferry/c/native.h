// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/c/base.h>
#include <ferry/c/device.h>
#include <ferry/c/queue.h>

#ifdef __cplusplus
extern "C" {
#endif

// The vendor's own handles of Ferry's objects, and Ferry's objects over the vendor's: CUDA driver API, HIP,
// OpenCL. `backend` is what the caller takes the handle for, FERRY_BACKEND_CUDA, _HIP or _OPENCL;
// FERRY_INVALID_ARGUMENT if the object is another's, and FERRY_UNSUPPORTED for FERRY_BACKEND_HOST, which has
// no handles. What is got stays Ferry's; what is borrowed stays the caller's, who keeps it until the object
// over it is released and its commands are done.

/// CUdevice, hipDevice_t (both are ordinals), or cl_device_id.
FERRY_API ferry_code ferry_device_get_native(ferry_device* device, ferry_backend backend, uint64_t* native);

/// The device that has that handle. FERRY_UNAVAILABLE: Ferry sees none; those it sees are listed.
FERRY_API ferry_code ferry_device_find_native(ferry_backend backend, uint64_t native, ferry_device** device);

/// CUcontext (the primary one), hipCtx_t, which may be null, or cl_context; valid until the process ends.
FERRY_API ferry_code ferry_device_get_native_context(ferry_device* device, ferry_backend backend,
                                                     void** context);

/// CUstream, hipStream_t or cl_command_queue. Work enqueued on it directly is in order with the queue's
/// commands and counts for ferry_queue_finish() and later events, if no host work is pending on the queue.
FERRY_API ferry_code ferry_queue_get_native(ferry_queue* queue, ferry_backend backend, void** native);

/// A queue over a CUstream, hipStream_t or cl_command_queue of that device (OpenCL: in order, of
/// ferry_device_get_native_context(); asked for and refused with FERRY_INVALID_ARGUMENT). The caller owns
/// both. `options` may be null.
FERRY_API ferry_code ferry_queue_borrow_native(ferry_device* device, ferry_backend backend, void* native,
                                               const ferry_queue_options* options, ferry_queue** queue);

/// CUevent, hipEvent_t or cl_event, valid as long as the event, and handed to the device already. Blocks
/// while host work stands before it on its queue, and returns the code of a command that failed before it.
FERRY_API ferry_code ferry_event_get_native(ferry_event* event, ferry_backend backend, void** native);

/// Commands enqueued on the queue from now on start only after an event that is not Ferry's. The caller keeps
/// a CUevent or hipEvent_t until the queue has come to it; a cl_event may be released at once.
FERRY_API ferry_code ferry_queue_wait_native(ferry_queue* queue, ferry_backend backend, void* event);

/// CUfunction, hipFunction_t (of the program) or cl_kernel (of the kernel, its arguments set anew by every
/// launch of Ferry's).
FERRY_API ferry_code ferry_kernel_get_native(ferry_kernel* kernel, ferry_backend backend, void** native);

/// Where a buffer lies, in the vendor's terms.
typedef struct ferry_native_memory {
    uint64_t address; ///< of its first byte: CUdeviceptr, HIP's pointer, SVM or USM; 0 if there is none
    void* handle;     ///< cl_mem; null if there is none
    size_t offset;    ///< of the first byte in the cl_mem
} ferry_native_memory;

FERRY_API ferry_code ferry_buffer_get_native(ferry_buffer* buffer, ferry_backend backend,
                                             ferry_native_memory* native);

/// A buffer over `bytes` bytes at a device address, or of a cl_mem of ferry_device_get_native_context(),
/// which goes on being the caller's. FERRY_INVALID_ARGUMENT: null, no bytes, a cl_mem of another context.
/// FERRY_OUT_OF_RANGE: the cl_mem is smaller.
FERRY_API ferry_code ferry_buffer_borrow_native(ferry_device* device, ferry_backend backend, uint64_t native,
                                                size_t bytes, ferry_buffer** buffer);

/// The same, and the buffer frees it when it is gone and its commands are done. After an error it is the
/// caller's still.
FERRY_API ferry_code ferry_buffer_adopt_native(ferry_device* device, ferry_backend backend, uint64_t native,
                                               size_t bytes, ferry_buffer** buffer);

#ifdef __cplusplus
}
#endif
