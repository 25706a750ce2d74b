// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/c/argument.h>
#include <ferry/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One command of a recording: what to change later, or to wait for.
typedef struct ferry_step {
    const void* recording; ///< which recording; not to be read
    size_t index;          ///< in the order of recording, from 0
} ferry_step;

/// Gives the commands of a recording with the functions ferry_recorder_..., on the thread that called
/// ferry_recording_create(). What it returns other than FERRY_OK ends the recording. It must not leave by an
/// exception or longjmp().
typedef ferry_code (*ferry_record)(ferry_recorder* recorder, void* user);

/// Calls `record` with `user` and makes a recording of what it gives; nothing runs yet. The caller owns the
/// recording, which keeps its buffers and kernels alive; host memory that it copies stays valid until the
/// last replay is done. If `record` returns another code than FERRY_OK, so does this function, and the
/// message stays that of the call that failed. FERRY_INVALID_ARGUMENT: null.
FERRY_API ferry_code ferry_recording_create(ferry_device* device, ferry_record record, void* user,
                                            ferry_recording** recording);

/// Gives the recording up; replays of it may be running. Null is let pass.
FERRY_API void ferry_recording_release(ferry_recording* recording);

/// Enqueues the commands of a recording: on its queue they are one command, which starts after what was
/// enqueued before. Any number of replays may be enqueued. FERRY_INVALID_ARGUMENT: the recording is of
/// another device. FERRY_INVALID_STATE: one of its buffers is mapped.
FERRY_API ferry_code ferry_queue_replay(ferry_queue* queue, ferry_recording* recording);

/// From the next replay on, argument number `index` (from 0) of the launch `step` is `argument`. Replays
/// already enqueued keep what they had. Does not block. FERRY_INVALID_ARGUMENT, and nothing has changed: the
/// step is no launch of this recording, there is no such argument, its kind or size is another, it is a
/// share, or the kernel does not take it. FERRY_INVALID_STATE, and the same: a buffer of the launch, also one
/// of its other arguments, is mapped for writing.
FERRY_API ferry_code ferry_recording_set(ferry_recording* recording, const ferry_step* step, size_t index,
                                         const ferry_argument* argument);

/// The same for the grid of a launch.
FERRY_API ferry_code ferry_recording_set_grid(ferry_recording* recording, const ferry_step* step,
                                              const ferry_grid* grid);

/// How many commands it has.
FERRY_API ferry_code ferry_recording_get_size(ferry_recording* recording, size_t* commands);

/// How it is replayed and why, in one sentence; `text`, `capacity` and `needed` as ferry_share_explain().
FERRY_API ferry_code ferry_recording_explain(ferry_recording* recording, char* text, size_t capacity,
                                             size_t* needed);

// A recorder is one line of commands, each after the one before. It belongs to the library, and calls on it
// are errors (FERRY_INVALID_STATE) once the function that was given to ferry_recording_create() has returned;
// after the recording is released, or could not be made, it is gone. Not thread-safe. `step` may be null.
// Otherwise the functions take what those of ferry/c/queue.h of the same names take, and fail as they do;
// memory of other devices and shares cannot be recorded (FERRY_INVALID_ARGUMENT, FERRY_UNSUPPORTED).

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

/// A line of its own, which starts after all that was recorded on this one so far and may overlap with what
/// comes. It belongs to the recording as the first one does, and is not released.
FERRY_API ferry_code ferry_recorder_branch(ferry_recorder* recorder, ferry_recorder** line);

/// What is recorded on this line from now on starts only after that command, of any line.
/// FERRY_INVALID_ARGUMENT: a command of another recording, or none.
FERRY_API ferry_code ferry_recorder_wait_step(ferry_recorder* recorder, const ferry_step* step);

/// The same for all that was recorded on another line so far.
FERRY_API ferry_code ferry_recorder_wait_line(ferry_recorder* recorder, ferry_recorder* line);

#ifdef __cplusplus
}
#endif
