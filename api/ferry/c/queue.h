// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/c/argument.h>
#include <ferry/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// Commands of one queue run in order, those of different queues may overlap. A call returns once its command
// is enqueued, unless its doc says that it blocks. What can be checked is checked before anything is
// enqueued; a failure that the device reports later names its command, and is what ferry_event_wait(),
// ferry_queue_finish() and callbacks return from then on.

/// What a thread does while it waits; ferry::WaitPolicy (ferry/wait_policy.hpp).
typedef int32_t ferry_wait;
enum {
    FERRY_WAIT_AUTOMATIC = 0,
    FERRY_WAIT_SPIN = 1,
    FERRY_WAIT_YIELD = 2,
    FERRY_WAIT_BLOCK = 3,
};

typedef struct ferry_queue_options {
    int32_t timing; ///< 0: its events carry no times; else they do, where the device has a clock
    ferry_wait wait;
} ferry_queue_options;

/// Makes a queue, which the caller owns. `options` may be null: with timing, waiting automatically. Blocks.
FERRY_API ferry_code ferry_queue_create(ferry_device* device, const ferry_queue_options* options,
                                        ferry_queue** queue);

/// Blocks until the queue's work and callbacks are done, and gives it up. Errors that nobody asked for are
/// dropped. Not to be called by one of its own callbacks. Null is let pass.
FERRY_API void ferry_queue_release(ferry_queue* queue);

/// Copies `bytes` bytes of the host's at `source` into a buffer, from `offset` on. The host's bytes stay as
/// they are until the command is done. FERRY_OUT_OF_RANGE: the range leaves the buffer.
/// FERRY_INVALID_ARGUMENT: a null source; the buffer is on another device. FERRY_INVALID_STATE: the buffer is
/// mapped. Zero bytes are a no-op.
FERRY_API ferry_code ferry_queue_upload(ferry_queue* queue, const void* source, ferry_buffer* buffer,
                                        size_t offset, size_t bytes);

/// Copies `bytes` bytes of a buffer, from `offset` on, to the host's at `destination`, which is not touched
/// by the caller until the command is done. Errors as ferry_queue_upload().
FERRY_API ferry_code ferry_queue_download(ferry_queue* queue, ferry_buffer* buffer, size_t offset,
                                          void* destination, size_t bytes);

/// Copies between buffers, of which at least one is on the queue's device; the other may be on any device of
/// any backend. FERRY_INVALID_ARGUMENT also: overlapping ranges of one buffer.
FERRY_API ferry_code ferry_queue_copy(ferry_queue* queue, ferry_buffer* source, size_t source_offset,
                                      ferry_buffer* destination, size_t destination_offset, size_t bytes);

/// Repeats a pattern of `pattern_bytes` bytes, 1 to 65536, captured by the call, over `bytes` bytes (or
/// FERRY_TO_END) of a buffer from `offset` on, a multiple of the pattern's size.
FERRY_API ferry_code ferry_queue_fill(ferry_queue* queue, ferry_buffer* buffer, size_t offset, size_t bytes,
                                      const void* pattern, size_t pattern_bytes);

/// Runs a kernel over a grid with `count` arguments, one for each of its parameters, at most 128; captured by
/// the call. FERRY_INVALID_ARGUMENT: count, kind, size or type of an argument; an empty grid, or more than
/// the device or the kernel takes; a buffer, share or kernel of another device. FERRY_OUT_OF_RANGE: a range
/// leaves its buffer or share. FERRY_INVALID_STATE: a buffer is mapped, a share has ended or the host is at
/// it. With shares it may block until the host's bytes may be read.
FERRY_API ferry_code ferry_queue_launch(ferry_queue* queue, ferry_kernel* kernel, const ferry_grid* grid,
                                        const ferry_argument* arguments, size_t count);

/// An event that is done when everything enqueued so far is; the caller owns it.
FERRY_API ferry_code ferry_queue_record(ferry_queue* queue, ferry_event** event);

/// Commands enqueued from now on start only after the event, of any queue, device or backend. Does not block.
FERRY_API ferry_code ferry_queue_wait(ferry_queue* queue, ferry_event* event);

/// How everything before ended: FERRY_OK and "", or the first error. `message` is valid during the call.
typedef void (*ferry_callback)(ferry_code code, const char* message, void* user);

/// Calls `callback` with `user`, on a thread of the library, once everything enqueued so far is done. It may
/// enqueue and wait for other queues, but not in a circle: ferry_queue_finish() waits for the callbacks of
/// its queue too. It must not leave by an exception or longjmp(). Those of one queue come one after the
/// other; commands enqueued later do not wait for them.
FERRY_API ferry_code ferry_queue_on_complete(ferry_queue* queue, ferry_callback callback, void* user);

/// Blocks until everything enqueued so far is done and every callback has returned. Returns the first error
/// since the last call; the queue can then be used again, unless the device is lost.
FERRY_API ferry_code ferry_queue_finish(ferry_queue* queue);

/// Hands everything enqueued to the device; needed only before waiting by means that Ferry does not see.
FERRY_API ferry_code ferry_queue_flush(ferry_queue* queue);

/// Sets `idle` to 1 if everything enqueued so far is done, else to 0. Does not block.
FERRY_API ferry_code ferry_queue_is_idle(ferry_queue* queue, int32_t* idle);

#ifdef __cplusplus
}
#endif
