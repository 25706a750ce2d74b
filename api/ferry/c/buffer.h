// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where a buffer lives and who can reach it.
typedef int32_t ferry_memory_kind;
enum {
    FERRY_MEMORY_DEVICE = 0, ///< the device's own; the host reaches it by copies or a mapping
    FERRY_MEMORY_HOST = 1,   ///< page-locked host memory that the device can use too
    FERRY_MEMORY_SHARED = 2, ///< one address for both sides: managed memory, fine-grained SVM or shared USM
};

/// What a mapping will be used for.
typedef int32_t ferry_map;
enum {
    FERRY_MAP_READ = 0,       ///< the host reads; several may overlap
    FERRY_MAP_WRITE = 1,      ///< the host writes some of the bytes, the others keep their values
    FERRY_MAP_READ_WRITE = 2, ///< the host reads and writes
    FERRY_MAP_DISCARD = 3,    ///< the host writes every byte; what was there is undefined
};

/// Allocates `bytes` bytes, whose contents are undefined until written; zero is allowed and allocates
/// nothing. The caller owns the buffer. Blocks. FERRY_OUT_OF_MEMORY: more than the device has or takes in one
/// allocation. FERRY_UNSUPPORTED: the device lacks that kind. FERRY_INVALID_ARGUMENT: there is no such kind.
FERRY_API ferry_code ferry_buffer_create(ferry_device* device, size_t bytes, ferry_memory_kind kind,
                                         ferry_buffer** buffer);

/// Gives the buffer up. It may be in use by commands: its memory goes back when they are done. Null is let
/// pass.
FERRY_API void ferry_buffer_release(ferry_buffer* buffer);

/// Its size in bytes.
FERRY_API ferry_code ferry_buffer_get_size(ferry_buffer* buffer, size_t* bytes);

/// Where the host finds the bytes of a buffer of the kinds host and shared: valid until the buffer is
/// released. Waits for nothing: the caller orders what he does after the commands that use the buffer. Null
/// for a buffer of 0 bytes. FERRY_UNSUPPORTED for the kind device: map it.
FERRY_API ferry_code ferry_buffer_get_address(ferry_buffer* buffer, void** address);

/// A host view of `bytes` bytes (or FERRY_TO_END) from `offset` on, at `*data` until the mapping ends. Blocks
/// until the commands enqueued on `queue`, a queue of the buffer's device, are done. The caller owns the
/// mapping. While it is there no command may write the buffer, and if it is for writing, none may use it.
/// FERRY_OUT_OF_RANGE: the range leaves the buffer. FERRY_INVALID_STATE: mapped otherwise.
/// FERRY_INVALID_ARGUMENT: no such `access`; the queue is on another device. If a command of the queue
/// failed, its error, which ferry_queue_finish() does not return again.
FERRY_API ferry_code ferry_buffer_map(ferry_buffer* buffer, ferry_queue* queue, ferry_map access,
                                      size_t offset, size_t bytes, ferry_mapping** mapping, void** data);

/// Ends the mapping: commands enqueued on its queue from now on see what the host wrote. May block while
/// bytes are written back. A second call does nothing. The handle is still to be released.
FERRY_API ferry_code ferry_mapping_unmap(ferry_mapping* mapping);

/// Gives the mapping up, and ends it if ferry_mapping_unmap() did not; errors are left to
/// ferry_queue_finish(). Null is let pass.
FERRY_API void ferry_mapping_release(ferry_mapping* mapping);

#ifdef __cplusplus
}
#endif
