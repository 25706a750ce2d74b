// SPDX-License-Identifier: Apache-2.0
#include "c_call.hpp"

using ferry::c::Call;
using ferry::c::call;

ferry_code ferry_event_is_ready(ferry_event* event, int32_t* ready) {
    return call(__func__, [&](const Call& at) {
        at.not_null(ready, "ready", "the address of a number");
        *ready = at.get(event, "event").event.ready();
    });
}

ferry_code ferry_event_wait(ferry_event* event) {
    return call(__func__, [&](const Call& at) { at.get(event, "event").event.wait(at.where); });
}

ferry_code ferry_event_elapsed(ferry_event* start, ferry_event* end, int64_t* nanoseconds) {
    return call(__func__, [&](const Call& at) {
        at.not_null(nanoseconds, "nanoseconds", "the address of a number");
        const ferry::Event& first = at.get(start, "start").event;
        const auto time = ferry::elapsed(first, at.get(end, "end").event, at.where);
        *nanoseconds = time ? time->count() : -1;
    });
}

void ferry_event_release(ferry_event* event) {
    ferry::c::release(event);
}
