// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Sets `ready` to 1 if the work before the event is done, with or without an error, otherwise to 0. Does not
/// block. It also submits the work to the device, so polling alone makes progress. ferry_event_wait() reports
/// errors.
FERRY_API ferry_code ferry_event_is_ready(ferry_event* event, int32_t* ready);

/// Blocks until the work before the event is done. Returns the code of a command before it that failed, if
/// there is one.
FERRY_API ferry_code ferry_event_wait(ferry_event* event);

/// The time from `start` to `end` in nanoseconds, measured by the clock of the device. It is -1 if the device
/// has no clock (ferry_device_info::timing), or if one of the queues was created without timing. Blocks until
/// both events are done. FERRY_INVALID_ARGUMENT: the events belong to different devices. Returns the code of
/// a command before `end` that failed.
FERRY_API ferry_code ferry_event_elapsed(ferry_event* start, ferry_event* end, int64_t* nanoseconds);

/// Releases the event, which need not be done. Null is ignored.
FERRY_API void ferry_event_release(ferry_event* event);

#ifdef __cplusplus
}
#endif
