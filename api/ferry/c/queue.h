// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/c/argument.h>
#include <ferry/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// Commands of one queue run in order. Commands of different queues may overlap. A call returns once its
// command is enqueued, unless its documentation states that it blocks. A call checks everything that can be
// checked before it enqueues anything. A failure that the device reports later names its command;
// ferry_event_wait(), ferry_queue_finish() and callbacks then return it.

/// How a thread waits. See ferry::WaitPolicy (ferry/wait_policy.hpp).
typedef int32_t ferry_wait;
enum {
    FERRY_WAIT_AUTOMATIC = 0,
    FERRY_WAIT_SPIN = 1,
    FERRY_WAIT_YIELD = 2,
    FERRY_WAIT_BLOCK = 3,
};

typedef struct ferry_queue_options {
    int32_t timing; ///< 0: its events have no times. Otherwise they have times if the device has a clock.
    ferry_wait wait;
} ferry_queue_options;

/// A hint that orders queues of one device. See ferry::QueuePriority (ferry/hints.hpp).
typedef int32_t ferry_queue_priority;
enum {
    FERRY_QUEUE_PRIORITY_NORMAL = 0,
    FERRY_QUEUE_PRIORITY_LOW = 1,
    FERRY_QUEUE_PRIORITY_HIGH = 2,
};

/// The destination of a prefetch. See ferry::Prefetch (ferry/hints.hpp).
typedef int32_t ferry_prefetch;
enum {
    FERRY_PREFETCH_TO_DEVICE = 0,
    FERRY_PREFETCH_TO_HOST = 1,
};

/// The expected use of shared memory. See ferry::Advice (ferry/hints.hpp).
typedef int32_t ferry_advice;
enum {
    FERRY_ADVICE_NONE = 0,
    FERRY_ADVICE_READ_MOSTLY = 1,
    FERRY_ADVICE_PREFER_DEVICE = 2,
    FERRY_ADVICE_PREFER_HOST = 3,
    FERRY_ADVICE_DEVICE_ACCESS = 4,
};

/// Creates a queue. The caller owns it. `options` may be null: with timing, and waiting automatically.
/// Blocking.
FERRY_API ferry_code ferry_queue_create(ferry_device* device, const ferry_queue_options* options,
                                        ferry_queue** queue);

/// The same with a priority. FERRY_INVALID_ARGUMENT: an unknown priority.
FERRY_API ferry_code ferry_queue_create_with_priority(ferry_device* device,
                                                      const ferry_queue_options* options,
                                                      ferry_queue_priority priority, ferry_queue** queue);

/// Blocks until the work and callbacks of the queue are done, and releases it. Errors that were not collected
/// are discarded. Must not be called by a callback of this queue. Null is ignored.
FERRY_API void ferry_queue_release(ferry_queue* queue);

/// Copies `bytes` bytes of host memory at `source` to a buffer, from `offset` on. The host memory must not
/// change until the command is done. FERRY_OUT_OF_RANGE: the range exceeds the buffer.
/// FERRY_INVALID_ARGUMENT: a null source, or the buffer is on another device. FERRY_INVALID_STATE: the buffer
/// is mapped. Zero bytes are a no-op.
FERRY_API ferry_code ferry_queue_upload(ferry_queue* queue, const void* source, ferry_buffer* buffer,
                                        size_t offset, size_t bytes);

/// Copies `bytes` bytes of a buffer, from `offset` on, to host memory at `destination`. The caller must not
/// access that memory until the command is done. Returns the errors of ferry_queue_upload().
FERRY_API ferry_code ferry_queue_download(ferry_queue* queue, ferry_buffer* buffer, size_t offset,
                                          void* destination, size_t bytes);

/// Copies between buffers. At least one of them must be on the queue's device; the other one may be on any
/// device of any backend. FERRY_INVALID_ARGUMENT also: the ranges overlap in one buffer.
FERRY_API ferry_code ferry_queue_copy(ferry_queue* queue, ferry_buffer* source, size_t source_offset,
                                      ferry_buffer* destination, size_t destination_offset, size_t bytes);

/// Fills `bytes` bytes (or FERRY_TO_END) of a buffer, from `offset` on, with repetitions of a pattern. The
/// pattern has `pattern_bytes` bytes, 1 to 65536, and is captured by the call. `bytes` must be a multiple of
/// its size.
FERRY_API ferry_code ferry_queue_fill(ferry_queue* queue, ferry_buffer* buffer, size_t offset, size_t bytes,
                                      const void* pattern, size_t pattern_bytes);

/// Moves `bytes` bytes (or FERRY_TO_END) of a buffer of FERRY_MEMORY_SHARED, from `offset` on, before they
/// are used. A hint, see ferry::Queue::prefetch(). Returns the errors of ferry_queue_fill().
FERRY_API ferry_code ferry_queue_prefetch(ferry_queue* queue, ferry_buffer* buffer, size_t offset,
                                          size_t bytes, ferry_prefetch to);

/// Describes the use of such memory to the driver. A hint, see ferry::Queue::advise().
FERRY_API ferry_code ferry_queue_advise(ferry_queue* queue, ferry_buffer* buffer, size_t offset, size_t bytes,
                                        ferry_advice advice);

/// Runs a kernel over a grid with `count` arguments, one for each parameter, at most 128. The call captures
/// them. FERRY_INVALID_ARGUMENT: an argument has the wrong kind, size or type, or their count is wrong; the
/// grid is empty or exceeds the limits of the device or the kernel; a buffer, share or kernel of another
/// device. FERRY_OUT_OF_RANGE: a range exceeds its buffer or share. FERRY_INVALID_STATE: a buffer is mapped,
/// or a share has ended or is accessed by the host. With shares it may block until the host's bytes may be
/// read.
FERRY_API ferry_code ferry_queue_launch(ferry_queue* queue, ferry_kernel* kernel, const ferry_grid* grid,
                                        const ferry_argument* arguments, size_t count);

/// Enqueues a mark, a name for this position in the order of the queue. It is visible in a trace and has no
/// other effect. `name` is copied. FERRY_INVALID_ARGUMENT: null or empty.
FERRY_API ferry_code ferry_queue_mark(ferry_queue* queue, const char* name);

/// An event that is done when everything enqueued so far is done. The caller owns it.
FERRY_API ferry_code ferry_queue_record(ferry_queue* queue, ferry_event** event);

/// Commands enqueued after this call start only after the event, which may belong to any queue, device or
/// backend. Does not block.
FERRY_API ferry_code ferry_queue_wait(ferry_queue* queue, ferry_event* event);

/// The result of all earlier commands: FERRY_OK and "", or the first error. `message` is valid during the
/// call.
typedef void (*ferry_callback)(ferry_code code, const char* message, void* user);

/// Calls `callback` with `user`, on a thread of the library, once everything enqueued so far is done. The
/// callback may enqueue and wait for other queues, but not in a cycle, because ferry_queue_finish() also
/// waits for the callbacks of its queue. It must not leave by an exception or longjmp(). Callbacks of one
/// queue run one after the other; commands enqueued later do not wait for them.
FERRY_API ferry_code ferry_queue_on_complete(ferry_queue* queue, ferry_callback callback, void* user);

/// Blocks until everything enqueued so far is done and every callback has returned. Returns the first error
/// since the last call. The queue can then be used again, unless the device is lost.
FERRY_API ferry_code ferry_queue_finish(ferry_queue* queue);

/// Submits everything enqueued so far to the device. Needed only before a wait that does not go through
/// Ferry.
FERRY_API ferry_code ferry_queue_flush(ferry_queue* queue);

/// Sets `idle` to 1 if everything enqueued so far is done, otherwise to 0. Does not block.
FERRY_API ferry_code ferry_queue_is_idle(ferry_queue* queue, int32_t* idle);

#ifdef __cplusplus
}
#endif
