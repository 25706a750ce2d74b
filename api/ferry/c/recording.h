// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/c/argument.h>
#include <ferry/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Identifies one command of a recording, to change it later or to wait for it.
typedef struct ferry_step {
    const void* recording; ///< Identifies the recording. Private.
    size_t index;          ///< Index in the order of recording, from 0.
} ferry_step;

/// Records commands with the ferry_recorder_... functions, on the thread that called
/// ferry_recording_create(). A result other than FERRY_OK ends the recording. The function must not leave by
/// an exception or longjmp().
typedef ferry_code (*ferry_record)(ferry_recorder* recorder, void* user);

/// Calls `record` with `user` and makes a recording of its commands; none of them runs. The caller owns the
/// recording. The recording keeps its buffers and kernels alive. Host memory of its copies must stay valid
/// until the last replay is done. If `record` returns a code other than FERRY_OK, this function returns the
/// same code, and the message stays that of the failed call. FERRY_INVALID_ARGUMENT: null.
FERRY_API ferry_code ferry_recording_create(ferry_device* device, ferry_record record, void* user,
                                            ferry_recording** recording);

/// Releases the recording. Replays of it may still run. Null is ignored.
FERRY_API void ferry_recording_release(ferry_recording* recording);

/// Enqueues the commands of a recording as one command of the queue, which starts after all earlier commands.
/// Any number of replays may be enqueued. FERRY_INVALID_ARGUMENT: the recording belongs to another device.
/// FERRY_INVALID_STATE: one of its buffers is mapped.
FERRY_API ferry_code ferry_queue_replay(ferry_queue* queue, ferry_recording* recording);

/// Sets argument `index` (from 0) of the launch `step` for all later replays. Replays that are already
/// enqueued keep the old argument. Does not block. After an error nothing has changed.
/// FERRY_INVALID_ARGUMENT: the step is not a launch of this recording; there is no such argument; its kind or
/// size differs; it is a share; or the kernel rejects it. FERRY_INVALID_STATE: any buffer of the launch is
/// mapped for writing.
FERRY_API ferry_code ferry_recording_set(ferry_recording* recording, const ferry_step* step, size_t index,
                                         const ferry_argument* argument);

/// Sets the grid of a launch, under the same rules.
FERRY_API ferry_code ferry_recording_set_grid(ferry_recording* recording, const ferry_step* step,
                                              const ferry_grid* grid);

/// The number of its commands.
FERRY_API ferry_code ferry_recording_get_size(ferry_recording* recording, size_t* commands);

/// Describes in one sentence how the recording is replayed, and why. `text`, `capacity` and `needed` are
/// those of ferry_share_explain().
FERRY_API ferry_code ferry_recording_explain(ferry_recording* recording, char* text, size_t capacity,
                                             size_t* needed);

// A recorder is one line of commands; each runs after the previous one. The library owns it. Calls on it are
// errors (FERRY_INVALID_STATE) once the function passed to ferry_recording_create() has returned. It is
// destroyed when the recording is released or its creation has failed. Not thread-safe. `step` may be null.
// Apart from this, the functions take the parameters and return the errors of the functions in
// ferry/c/queue.h with the same names. Memory of other devices and shares cannot be recorded
// (FERRY_INVALID_ARGUMENT, FERRY_UNSUPPORTED).

FERRY_API ferry_code ferry_recorder_upload(ferry_recorder* recorder, const void* source, ferry_buffer* buffer,
                                           size_t offset, size_t bytes, ferry_step* step);
FERRY_API ferry_code ferry_recorder_download(ferry_recorder* recorder, ferry_buffer* buffer, size_t offset,
                                             void* destination, size_t bytes, ferry_step* step);
FERRY_API ferry_code ferry_recorder_copy(ferry_recorder* recorder, ferry_buffer* source, size_t source_offset,
                                         ferry_buffer* destination, size_t destination_offset, size_t bytes,
                                         ferry_step* step);
FERRY_API ferry_code ferry_recorder_fill(ferry_recorder* recorder, ferry_buffer* buffer, size_t offset,
                                         size_t bytes, const void* pattern, size_t pattern_bytes,
                                         ferry_step* step);
FERRY_API ferry_code ferry_recorder_launch(ferry_recorder* recorder, ferry_kernel* kernel,
                                           const ferry_grid* grid, const ferry_argument* arguments,
                                           size_t count, ferry_step* step);
FERRY_API ferry_code ferry_recorder_mark(ferry_recorder* recorder, const char* name, ferry_step* step);

/// Creates another line. It starts after all commands recorded on this line so far, and may overlap with
/// later commands of this line. Like the first line, it belongs to the recording and is not released.
FERRY_API ferry_code ferry_recorder_branch(ferry_recorder* recorder, ferry_recorder** line);

/// Commands recorded on this line after this call start only after `step`, which may belong to any line.
/// FERRY_INVALID_ARGUMENT: a command of another recording, or none.
FERRY_API ferry_code ferry_recorder_wait_step(ferry_recorder* recorder, const ferry_step* step);

/// The same for all commands recorded on another line so far.
FERRY_API ferry_code ferry_recorder_wait_line(ferry_recorder* recorder, ferry_recorder* line);

#ifdef __cplusplus
}
#endif
