// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A rectangle of an image, a block of a volume, columns of a matrix: memory that is not contiguous. It has
/// `width` bytes in a row, `height` rows in a slice, and `depth` slices. The box is empty if any of them is
/// 0. The pitches are the bytes from the start of one row (or slice) to the start of the next; 0 means no
/// gaps. `offset` is the byte at which the box begins, in the buffer or relative to the pointer that it is
/// used with.
typedef struct ferry_box {
    size_t offset;
    size_t width;
    size_t height;
    size_t depth;
    size_t row_pitch;
    size_t slice_pitch;
} ferry_box;

/// Copies the box `from` of host memory at `source` to the box `to` of a buffer. Both boxes must have the
/// same width, height and depth. Bytes between the rows are neither read nor written. The host memory must
/// not change until the command is done. An empty box is a no-op. FERRY_INVALID_ARGUMENT: the sizes of the
/// boxes differ, or a row pitch is smaller than a row, or a slice pitch is smaller than the rows of a slice.
/// It is also returned for a null source and for a buffer on another device. FERRY_OUT_OF_RANGE: the box
/// exceeds the buffer. FERRY_INVALID_STATE: the buffer is mapped.
FERRY_API ferry_code ferry_queue_upload_box(ferry_queue* queue, const void* source, const ferry_box* from,
                                            ferry_buffer* buffer, const ferry_box* to);

/// Copies the box `from` of a buffer to the box `to` of host memory at `destination`. The caller must not
/// access that memory until the command is done. Returns the errors of ferry_queue_upload_box().
FERRY_API ferry_code ferry_queue_download_box(ferry_queue* queue, ferry_buffer* buffer, const ferry_box* from,
                                              void* destination, const ferry_box* to);

/// Copies between boxes of buffers. At least one of the buffers must be on the queue's device. Boxes of one
/// buffer may interleave, but must not overlap. Returns the errors of ferry_queue_upload_box().
FERRY_API ferry_code ferry_queue_copy_box(ferry_queue* queue, ferry_buffer* source, const ferry_box* from,
                                          ferry_buffer* destination, const ferry_box* to);

/// One copy of a batch. Each end is a buffer and an offset in it. If the buffer is null, the end is host
/// memory at the pointer plus the offset. At least one end must be a buffer.
typedef struct ferry_copy {
    ferry_buffer* source;
    const void* host_source;
    size_t source_offset;
    ferry_buffer* destination;
    void* host_destination;
    size_t destination_offset;
    size_t bytes;
} ferry_copy;

/// Enqueues `count` copies as one command, which costs far less than single commands if the copies are small.
/// The copies run in any order or at the same time: no copy may write bytes that another one reads or writes.
/// All buffers must be on the queue's device. The call captures the list of copies. Host memory follows the
/// rules of ferry_queue_upload() and ferry_queue_download(). May block until pageable destination memory is
/// written. An empty list is a no-op. FERRY_INVALID_ARGUMENT: a copy writes what another one uses; no end is
/// a buffer; a null pointer. FERRY_OUT_OF_RANGE: a range exceeds its buffer. FERRY_INVALID_STATE: a buffer is
/// mapped.
FERRY_API ferry_code ferry_queue_copy_batch(ferry_queue* queue, const ferry_copy* copies, size_t count);

/// Fills `bytes` bytes (or FERRY_TO_END) of a buffer, from `offset` on, with the bytes of a file from
/// `file_offset` on. An ordinary command; ferry_queue_finish() reports errors that occur while it runs.
/// FERRY_NOT_FOUND: no such file. FERRY_UNAVAILABLE: the file cannot be opened. FERRY_OUT_OF_RANGE: the file
/// is shorter, or the range exceeds the buffer. FERRY_INVALID_ARGUMENT and FERRY_INVALID_STATE as for
/// ferry_queue_upload().
FERRY_API ferry_code ferry_queue_read_file(ferry_queue* queue, const char* path, uint64_t file_offset,
                                           ferry_buffer* buffer, size_t offset, size_t bytes);

/// Writes bytes of a buffer to a file. The data is written under a temporary name, which is renamed to `path`
/// when it is complete. Symbolic links are followed, and the mode of an existing file is kept.
/// FERRY_INVALID_ARGUMENT: the path is not a regular file. FERRY_NOT_FOUND: no such folder. Other errors are
/// those of ferry_queue_read_file(). A full disk fails the command later.
FERRY_API ferry_code ferry_queue_write_file(ferry_queue* queue, ferry_buffer* buffer, size_t offset,
                                            size_t bytes, const char* path);

#ifdef __cplusplus
}
#endif
