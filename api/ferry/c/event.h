// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Sets `ready` to 1 if the work before the event is done, well or with an error, else to 0. Does not block,
/// and sees to it that the work has been handed to the device: polling alone makes progress. What failed,
/// ferry_event_wait() tells.
FERRY_API ferry_code ferry_event_is_ready(ferry_event* event, int32_t* ready);

/// Blocks until the work before the event is done. Returns the code of a command before it that failed, if
/// one did.
FERRY_API ferry_code ferry_event_wait(ferry_event* event);

/// The time from `start` to `end` by the device's own clock, in nanoseconds; -1 if the device has none
/// (ferry_device_info::timing) or a queue was made without timing. Blocks until both are done.
/// FERRY_INVALID_ARGUMENT: the events belong to different devices. Returns the code of a command before `end`
/// that failed.
FERRY_API ferry_code ferry_event_elapsed(ferry_event* start, ferry_event* end, int64_t* nanoseconds);

/// Gives the event up; it need not be done. Null is let pass.
FERRY_API void ferry_event_release(ferry_event* event);

#ifdef __cplusplus
}
#endif
