// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

/// For a function that catches abi::__forced_unwind: this exception has no object, so the reference to it is
/// null.
#define FERRY_CATCHES_FORCED_UNWIND __attribute__((no_sanitize("null")))

namespace ferry::detail {

/// For a call that may sleep or read files: pthread_cancel() of the thread takes effect after the call. A
/// cancellation inside it would unwind through functions that throw nothing, which ends the process, and
/// would leave commands running on memory that is freed.
class NoCancellation {
public:
    NoCancellation() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    NoCancellation(const NoCancellation&) = delete;
    NoCancellation& operator=(const NoCancellation&) = delete;
    ~NoCancellation() { pthread_setcancelstate(before_, nullptr); }

private:
    int before_ = 0;
};

} // namespace ferry::detail
