// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The location of a buffer, and the sides that can access it.
typedef int32_t ferry_memory_kind;
enum {
    FERRY_MEMORY_DEVICE = 0, ///< The device's own memory. The host accesses it through copies or a mapping.
    FERRY_MEMORY_HOST = 1,   ///< Page-locked host memory that the device can also use.
    FERRY_MEMORY_SHARED = 2, ///< One address for both sides: managed memory, fine-grained SVM or shared USM.
};

/// The purpose of a mapping.
typedef int32_t ferry_map;
enum {
    FERRY_MAP_READ = 0,       ///< The host reads. Several may overlap.
    FERRY_MAP_WRITE = 1,      ///< The host writes some of the bytes. All other bytes keep their values.
    FERRY_MAP_READ_WRITE = 2, ///< The host reads and writes.
    FERRY_MAP_DISCARD = 3,    ///< The host writes every byte. The old contents are undefined.
};

/// Allocates `bytes` bytes with undefined contents. 0 is valid and allocates nothing. The caller owns the
/// buffer. Blocking. FERRY_OUT_OF_MEMORY: more than the device has, or more than it allows in one allocation.
/// FERRY_UNSUPPORTED: the device lacks this kind. FERRY_INVALID_ARGUMENT: there is no such kind.
FERRY_API ferry_code ferry_buffer_create(ferry_device* device, size_t bytes, ferry_memory_kind kind,
                                         ferry_buffer** buffer);

/// Releases the buffer. Commands may still use it; its memory is released when they are done. Null is
/// ignored.
FERRY_API void ferry_buffer_release(ferry_buffer* buffer);

/// The size of the buffer, in bytes.
FERRY_API ferry_code ferry_buffer_get_size(ferry_buffer* buffer, size_t* bytes);

/// The host address of a buffer of the kinds host and shared. Valid until the buffer is released. Does not
/// wait: the caller must order its accesses after the commands that use the buffer. Null for a buffer of 0
/// bytes. FERRY_UNSUPPORTED for the kind device; use a mapping instead.
FERRY_API ferry_code ferry_buffer_get_address(ferry_buffer* buffer, void** address);

/// Maps `bytes` bytes (or FERRY_TO_END) from `offset` on. The host can access them at `*data` until the
/// mapping ends. Blocks until the commands enqueued on `queue`, a queue of the buffer's device, are done. The
/// caller owns the mapping. During the mapping no command may write the buffer; if the mapping is for
/// writing, no command may use it. FERRY_OUT_OF_RANGE: the range exceeds the buffer. FERRY_INVALID_STATE: a
/// conflicting mapping exists. FERRY_INVALID_ARGUMENT: no such `access`, or the queue is on another device.
/// If a command of the queue failed, returns its error, which ferry_queue_finish() does not return again.
FERRY_API ferry_code ferry_buffer_map(ferry_buffer* buffer, ferry_queue* queue, ferry_map access,
                                      size_t offset, size_t bytes, ferry_mapping** mapping, void** data);

/// Ends the mapping. Commands enqueued on its queue afterwards see the writes of the host. May block while
/// bytes are written back. A second call does nothing. The handle must still be released.
FERRY_API ferry_code ferry_mapping_unmap(ferry_mapping* mapping);

/// Releases the mapping, and ends it if ferry_mapping_unmap() was not called; ferry_queue_finish() then
/// reports errors. Null is ignored.
FERRY_API void ferry_mapping_release(ferry_mapping* mapping);

#ifdef __cplusplus
}
#endif
