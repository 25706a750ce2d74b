// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/c/base.h>
#include <ferry/c/device.h>
#include <ferry/c/queue.h>

#ifdef __cplusplus
extern "C" {
#endif

// Access to the vendor's handles of Ferry objects, and Ferry objects that wrap vendor handles: CUDA driver
// API, HIP, OpenCL. `backend` is the type of the handle: FERRY_BACKEND_CUDA, _HIP or _OPENCL.
// FERRY_INVALID_ARGUMENT: the object belongs to another backend. FERRY_UNSUPPORTED: FERRY_BACKEND_HOST, which
// has no handles. Ferry keeps the ownership of handles returned by ..._get_native functions. The caller keeps
// the ownership of borrowed handles, and must keep them alive until the Ferry object is released and its
// commands are done.

/// CUdevice, hipDevice_t (both are ordinals), or cl_device_id.
FERRY_API ferry_code ferry_device_get_native(ferry_device* device, ferry_backend backend, uint64_t* native);

/// The device with this handle. FERRY_UNAVAILABLE: Ferry has no such device; the message lists its devices.
FERRY_API ferry_code ferry_device_find_native(ferry_backend backend, uint64_t native, ferry_device** device);

/// CUcontext (the primary context), hipCtx_t, which may be null, or cl_context. Valid until the process ends.
FERRY_API ferry_code ferry_device_get_native_context(ferry_device* device, ferry_backend backend,
                                                     void** context);

/// CUstream, hipStream_t or cl_command_queue. Work enqueued on it directly is ordered with the queue's
/// commands and included in ferry_queue_finish() and later events, if no host work is pending on the queue.
FERRY_API ferry_code ferry_queue_get_native(ferry_queue* queue, ferry_backend backend, void** native);

/// A queue that wraps a CUstream, hipStream_t or cl_command_queue of this device. An OpenCL queue must be
/// in-order and belong to ferry_device_get_native_context(); this is checked (FERRY_INVALID_ARGUMENT). The
/// caller owns both queues. `options` may be null.
FERRY_API ferry_code ferry_queue_borrow_native(ferry_device* device, ferry_backend backend, void* native,
                                               const ferry_queue_options* options, ferry_queue** queue);

/// CUevent, hipEvent_t or cl_event. Valid as long as the event, and already submitted to the device. Blocks
/// while host work before it is pending on its queue, and returns the code of a command that failed before
/// it.
FERRY_API ferry_code ferry_event_get_native(ferry_event* event, ferry_backend backend, void** native);

/// Commands enqueued on the queue after this call start only after `event`, a native event. The caller must
/// keep a CUevent or hipEvent_t until the queue has reached it; a cl_event may be released at once.
FERRY_API ferry_code ferry_queue_wait_native(ferry_queue* queue, ferry_backend backend, void* event);

/// CUfunction, hipFunction_t (owned by the program) or cl_kernel (owned by the kernel; every launch through
/// Ferry sets its arguments again).
FERRY_API ferry_code ferry_kernel_get_native(ferry_kernel* kernel, ferry_backend backend, void** native);

/// The location of a buffer in the vendor's terms.
typedef struct ferry_native_memory {
    uint64_t address; ///< Address of its first byte: CUdeviceptr, HIP pointer, SVM or USM. 0 if there is
                      ///< none.
    void* handle;     ///< cl_mem. Null if there is none.
    size_t offset;    ///< Offset of the first byte in the cl_mem.
} ferry_native_memory;

FERRY_API ferry_code ferry_buffer_get_native(ferry_buffer* buffer, ferry_backend backend,
                                             ferry_native_memory* native);

/// A buffer that wraps `bytes` bytes at a device address, or a cl_mem of ferry_device_get_native_context().
/// The caller keeps the ownership of the memory. FERRY_INVALID_ARGUMENT: null, zero bytes, or a cl_mem of
/// another context. FERRY_OUT_OF_RANGE: the cl_mem is smaller.
FERRY_API ferry_code ferry_buffer_borrow_native(ferry_device* device, ferry_backend backend, uint64_t native,
                                                size_t bytes, ferry_buffer** buffer);

/// The same, but the buffer takes ownership and frees the memory when the buffer is released and its commands
/// are done. After an error the caller still owns the memory.
FERRY_API ferry_code ferry_buffer_adopt_native(ferry_device* device, ferry_backend backend, uint64_t native,
                                               size_t bytes, ferry_buffer** buffer);

#ifdef __cplusplus
}
#endif
