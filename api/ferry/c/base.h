// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/export.hpp> // FERRY_API and nothing else; plain C

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A handle is thread-safe as far as the C++ object of its name is: several threads may use it at once, and
// one of them may release it when no other does. A null handle, and one of another type, is an error that
// names the function and the parameter. A released handle must not be used: like a pointer given to free(),
// it is not found out. Handles never released are leaked and do no other harm when the process ends.
//
// A thread that may be cancelled (pthread_cancel) switches that off around its calls: a cancellation that
// comes in a call ends the process (std::terminate).
typedef struct ferry_device ferry_device;   ///< one device; lives as long as the process, is never released
typedef struct ferry_buffer ferry_buffer;   ///< memory on a device
typedef struct ferry_mapping ferry_mapping; ///< a host view of a range of a buffer
typedef struct ferry_queue ferry_queue;     ///< commands in order
typedef struct ferry_event ferry_event;     ///< a point in a queue's work
typedef struct ferry_program ferry_program; ///< compiled code for a device
typedef struct ferry_kernel ferry_kernel;   ///< an entry point of a program
typedef struct ferry_share ferry_share;     ///< the caller's memory, shared with a device
typedef struct ferry_access ferry_access;   ///< the host's access to shared memory
typedef struct ferry_recording ferry_recording; ///< commands recorded once, to be enqueued often
typedef struct ferry_recorder ferry_recorder;   ///< a line of commands that is being recorded

/// How a call ended. docs/errors.md has an example of each.
typedef int32_t ferry_code;
enum {
    FERRY_OK = 0,
    FERRY_INVALID_ARGUMENT = 1, ///< a value the call cannot take, whatever the state of the program
    FERRY_OUT_OF_RANGE = 2,  ///< a range that leaves the object it was taken from, or a size that overflows
    FERRY_INVALID_STATE = 3, ///< a call that the object's present state does not allow (mapped, ended, ...)
    FERRY_OUT_OF_MEMORY = 4, ///< the device or the host has no room; nothing was allocated
    FERRY_UNAVAILABLE = 5,   ///< no such backend or device on this machine, or a file that cannot be read
    FERRY_UNSUPPORTED = 6,   ///< this device cannot do it; the message says what to do instead
    FERRY_NOT_FOUND = 7,     ///< a name that is not there; near names are suggested
    FERRY_BUILD_FAILED =
        8, ///< a program did not compile, link or load; ferry_error::log has the compiler's words
    FERRY_COMMAND_FAILED = 9, ///< a command failed on the device; the message names the command
    FERRY_DEVICE_LOST = 10,   ///< the device is unusable from now on; as Code::device_lost
    FERRY_INTERNAL = 11,      ///< the vendor's call failed in a way it should not; please report it
};

/// What the last call that failed on this thread had to say. The texts are never null, and are valid until
/// the next call that fails on the same thread.
typedef struct ferry_error {
    const char*
        message;     ///< a full sentence, with the given value and the limit it broke; "": none failed yet
    const char* log; ///< the compiler's words if the code is FERRY_BUILD_FAILED, else ""
    const char* vendor_call; ///< "cuMemAlloc_v2": the vendor's call behind the error; "" if none was involved
    const char* vendor_name; ///< "CUDA_ERROR_OUT_OF_MEMORY"; "" if the vendor has no name for it
    int64_t vendor_code;     ///< the number that call returned
    ferry_code code;
    int32_t vendor_backend; ///< a ferry_backend, or -1 if no vendor's call was involved
} ferry_error;

/// The message of the last call that failed on this thread, "" if none did. A call that succeeds leaves it as
/// it is. Valid until the next call that fails on this thread. Cannot fail, does not block.
FERRY_API const char* ferry_last_error(void);

/// The same with all that is known of it. Never null; belongs to the library and to this thread.
FERRY_API const ferry_error* ferry_last_error_details(void);

/// "ok", "invalid_argument" and so on; "?" for a number that is no code. Belongs to the library.
FERRY_API const char* ferry_code_name(ferry_code code);

/// The version of the library that is running, "major.minor.patch". Belongs to the library.
FERRY_API const char* ferry_version(void);

/// "All the rest", for the size of a range.
#define FERRY_TO_END SIZE_MAX

#ifdef __cplusplus
}
#endif
