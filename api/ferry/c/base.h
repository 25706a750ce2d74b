// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/export.hpp> // FERRY_API and nothing else; plain C

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A handle is thread-safe like the C++ class with the same name. Several threads may use it at once, and one
// thread may release it when no other thread uses it. A null handle, or a handle of another type, is an error
// that names the function and the parameter. A released handle must not be used: as with a pointer passed to
// free(), this is not detected. A handle that is never released is leaked and has no other effect at process
// exit.
//
// A thread that may be cancelled (pthread_cancel) must disable cancellation around its calls. A cancellation
// during a call ends the process (std::terminate).
typedef struct ferry_device ferry_device;       ///< One device. Lives as long as the process and is never
                                                ///< released.
typedef struct ferry_buffer ferry_buffer;       ///< Memory on a device.
typedef struct ferry_mapping ferry_mapping;     ///< The host's access to a range of a buffer.
typedef struct ferry_queue ferry_queue;         ///< An in-order command queue.
typedef struct ferry_event ferry_event;         ///< A point in the work of a queue.
typedef struct ferry_program ferry_program;     ///< Compiled code for a device.
typedef struct ferry_kernel ferry_kernel;       ///< An entry point of a program.
typedef struct ferry_share ferry_share;         ///< Memory of the caller, shared with a device.
typedef struct ferry_access ferry_access;       ///< The host's access to shared memory.
typedef struct ferry_recording ferry_recording; ///< Commands that are recorded once and enqueued many times.
typedef struct ferry_recorder ferry_recorder;   ///< A line of commands that is being recorded.

/// The result of a call. docs/errors.md has an example of each.
typedef int32_t ferry_code;
enum {
    FERRY_OK = 0,
    FERRY_INVALID_ARGUMENT = 1, ///< A value that the call never accepts, whatever the state of the program.
    FERRY_OUT_OF_RANGE = 2,     ///< A range that exceeds its object, or a size that overflows.
    FERRY_INVALID_STATE = 3, ///< A call that the present state of the object does not allow (mapped, ended,
                             ///< ...).
    FERRY_OUT_OF_MEMORY = 4, ///< The device or the host has too little memory. Nothing was allocated.
    FERRY_UNAVAILABLE = 5,   ///< This machine has no such backend or device, or a file cannot be read.
    FERRY_UNSUPPORTED = 6,   ///< The device does not support the operation. The message names an alternative.
    FERRY_NOT_FOUND = 7,     ///< A name that does not exist. The message suggests similar names.
    FERRY_BUILD_FAILED =
        8, ///< A program did not compile, link or load. ferry_error::log has the compiler's messages.
    FERRY_COMMAND_FAILED = 9, ///< A command failed on the device. The message names the command.
    FERRY_DEVICE_LOST = 10,   ///< The device is permanently unusable. See Code::device_lost.
    FERRY_INTERNAL = 11,      ///< A vendor call failed unexpectedly. Please report it.
};

/// The error of the last failed call on this thread. The texts are never null. They are valid until the next
/// failed call on the same thread.
typedef struct ferry_error {
    const char* message; ///< A full sentence with the given value and the violated limit. "" if no call has
                         ///< failed.
    const char* log;     ///< The compiler's messages if the code is FERRY_BUILD_FAILED, otherwise "".
    const char* vendor_call; ///< The vendor call that caused the error, "cuMemAlloc_v2". "" if there was
                             ///< none.
    const char* vendor_name; ///< "CUDA_ERROR_OUT_OF_MEMORY". "" if the vendor has no name for the code.
    int64_t vendor_code;     ///< The number that the vendor call returned.
    ferry_code code;
    int32_t vendor_backend; ///< A ferry_backend, or -1 if there was no vendor call.
} ferry_error;

/// The message of the last failed call on this thread, or "" if none has failed. A successful call does not
/// change it. Valid until the next failed call on this thread. Cannot fail and does not block.
FERRY_API const char* ferry_last_error(void);

/// The same with all details. Never null. Owned by the library, for this thread.
FERRY_API const ferry_error* ferry_last_error_details(void);

/// "ok", "invalid_argument" and so on. "?" for an unknown number. Owned by the library.
FERRY_API const char* ferry_code_name(ferry_code code);

/// The version of the running library, "major.minor.patch". Owned by the library.
FERRY_API const char* ferry_version(void);

/// The size of a range that extends to the end.
#define FERRY_TO_END SIZE_MAX

#ifdef __cplusplus
}
#endif
