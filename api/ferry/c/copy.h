// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A rectangle of an image, a block of a volume, columns of a matrix: bytes that do not follow one another.
/// `width` bytes in a row, `height` rows in a slice, `depth` slices; any of them 0 is the empty box. The
/// pitches are bytes from the start of one row (slice) to the start of the next; 0: without a gap. `offset`
/// is the byte at which the box begins, of the buffer or behind the pointer that it is used with.
typedef struct ferry_box {
    size_t offset;
    size_t width;
    size_t height;
    size_t depth;
    size_t row_pitch;
    size_t slice_pitch;
} ferry_box;

/// Copies the box `from` of the host's memory at `source` to the box `to` of a buffer. Both boxes have the
/// same width, height and depth; bytes between the rows are neither read nor written. The host's bytes stay
/// as they are until the command is done. An empty box is a no-op. FERRY_INVALID_ARGUMENT: the sizes of the
/// boxes differ; a row pitch less than a row, a slice pitch less than the rows of a slice reach; a null
/// source; the buffer is on another device. FERRY_OUT_OF_RANGE: the box leaves the buffer.
/// FERRY_INVALID_STATE: the buffer is mapped.
FERRY_API ferry_code ferry_queue_upload_box(ferry_queue* queue, const void* source, const ferry_box* from,
                                            ferry_buffer* buffer, const ferry_box* to);

/// Copies the box `from` of a buffer to the box `to` of the host's memory at `destination`, which the caller
/// does not touch until the command is done. Errors as ferry_queue_upload_box().
FERRY_API ferry_code ferry_queue_download_box(ferry_queue* queue, ferry_buffer* buffer, const ferry_box* from,
                                              void* destination, const ferry_box* to);

/// Copies between boxes of buffers, of which at least one is on the queue's device. Boxes of one buffer may
/// interleave, but not overlap. Errors as ferry_queue_upload_box().
FERRY_API ferry_code ferry_queue_copy_box(ferry_queue* queue, ferry_buffer* source, const ferry_box* from,
                                          ferry_buffer* destination, const ferry_box* to);

/// One copy of a batch. Each end is a buffer and an offset in it, or, if the buffer is null, the host's
/// memory at the pointer, to which the offset is added; one end at least is a buffer.
typedef struct ferry_copy {
    ferry_buffer* source;
    const void* host_source;
    size_t source_offset;
    ferry_buffer* destination;
    void* host_destination;
    size_t destination_offset;
    size_t bytes;
} ferry_copy;

/// Enqueues `count` copies as one command, which costs far less than one by one if they are small. They run
/// in any order or at the same time: none may write what another one reads or writes. All buffers are on the
/// queue's device. The copies themselves are captured by the call, the host's memory is the caller's as with
/// ferry_queue_upload() and ferry_queue_download(). May block until ordinary memory that is a destination is
/// written. No copies are a no-op. FERRY_INVALID_ARGUMENT: copies that meet; no end is a buffer; a null
/// pointer. FERRY_OUT_OF_RANGE: a range leaves its buffer. FERRY_INVALID_STATE: a buffer is mapped.
FERRY_API ferry_code ferry_queue_copy_batch(ferry_queue* queue, const ferry_copy* copies, size_t count);

/// Fills `bytes` bytes (or FERRY_TO_END) of a buffer, from `offset` on, with those of a file from its byte
/// `file_offset` on. A command like any other; what fails while it runs, ferry_queue_finish() tells.
/// FERRY_NOT_FOUND: no such file. FERRY_UNAVAILABLE: it cannot be opened. FERRY_OUT_OF_RANGE: the file is
/// shorter, or the range leaves the buffer. FERRY_INVALID_ARGUMENT, FERRY_INVALID_STATE as for
/// ferry_queue_upload().
FERRY_API ferry_code ferry_queue_read_file(ferry_queue* queue, const char* path, uint64_t file_offset,
                                           ferry_buffer* buffer, size_t offset, size_t bytes);

/// Writes bytes of a buffer as a whole file: under a temporary name, which is replaced by `path` when all is
/// there. Symbolic links are followed, and the mode of a file that is there stays; what is no regular file is
/// FERRY_INVALID_ARGUMENT. Other errors as ferry_queue_read_file(), FERRY_NOT_FOUND for a folder that is not
/// there; a full disk fails the command later.
FERRY_API ferry_code ferry_queue_write_file(ferry_queue* queue, ferry_buffer* buffer, size_t offset,
                                            size_t bytes, const char* path);

#ifdef __cplusplus
}
#endif
