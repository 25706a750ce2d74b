// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How the device uses shared bytes.
typedef int32_t ferry_device_access;
enum {
    FERRY_DEVICE_READS = 0,
    FERRY_DEVICE_WRITES = 1,  ///< It writes every byte of the range that a launch is given. The old contents
                              ///< are not needed.
    FERRY_DEVICE_UPDATES = 2, ///< It reads, and writes some or all bytes.
};

/// How the host uses shared bytes.
typedef int32_t ferry_host_access;
enum {
    FERRY_HOST_READS = 0,
    FERRY_HOST_WRITES = 1, ///< It writes every byte of the range. The old contents are not transferred.
    FERRY_HOST_UPDATES = 2,
};

/// How bytes get to a device and back. ferry::Placement (ferry/placement.hpp) describes each. A set of
/// placements is the sum of 1 << placement.
typedef int32_t ferry_placement;
enum {
    FERRY_PLACEMENT_ALIAS = 0,
    FERRY_PLACEMENT_LINK = 1,
    FERRY_PLACEMENT_MIGRATE = 2,
    FERRY_PLACEMENT_COPY = 3,
    FERRY_PLACEMENT_STAGE = 4,
};

/// How a kernel accesses the bytes.
typedef int32_t ferry_pattern;
enum {
    FERRY_PATTERN_SEQUENTIAL = 0,
    FERRY_PATTERN_SPARSE = 1,
    FERRY_PATTERN_RANDOM = 2,
};

typedef struct ferry_share_options {
    double passes; ///< How often the device processes the bytes each time the host changes or reads them. >
                   ///< 0.
    uint32_t allowed;  ///< The set of placements that may be used. 0: all.
    uint32_t versions; ///< The maximum number of versions of the bytes at one time, 1 to 16.
    ferry_pattern pattern;
} ferry_share_options;

/// The figures of a share.
typedef struct ferry_share_info {
    uint64_t bytes_up;   ///< Bytes copied to the device so far.
    uint64_t bytes_down; ///< Bytes copied back so far.
    uint64_t copies;     ///< Number of commands that copied.
    ferry_placement placement;
} ferry_share_info;

/// Shares `bytes` bytes of the caller at `memory` with a device, in place or through the fastest correct
/// copies. `options` may be null: one pass, sequential, any placement, one version. The caller owns the
/// share, and the memory must outlive it. Until the share ends, the host may access the memory only through
/// ferry_share_begin(). With FERRY_DEVICE_READS, Ferry does not write to the memory. Inspects the pages of
/// the memory (about 50 us) and may page-lock them. FERRY_INVALID_ARGUMENT: null; no bytes; pages that are
/// not mapped, past the end of a mapped file, or not writable although the device writes; a range that
/// overlaps another share without being identical to it; an option out of range. FERRY_UNSUPPORTED: no
/// allowed placement works; the message gives the reason.
FERRY_API ferry_code ferry_share_create(ferry_device* device, void* memory, size_t bytes,
                                        ferry_device_access access, const ferry_share_options* options,
                                        ferry_share** share);

/// Gives the host access to `bytes` bytes (or FERRY_TO_END) from `offset` on, at `*data`. Blocks until the
/// changes made by the device have arrived and, for writing, until the commands that still use the bytes are
/// done. `queue` is a queue of the share's device. The caller owns the access. During the access no launch
/// may use the bytes, except that a launch may read during an access that reads. FERRY_OUT_OF_RANGE: the
/// range exceeds the share. FERRY_INVALID_STATE: a conflicting access exists.
FERRY_API ferry_code ferry_share_begin(ferry_share* share, ferry_queue* queue, ferry_host_access access,
                                       size_t offset, size_t bytes, ferry_access** out, void** data);

/// Ends the host's access and releases it. Does not block. Null is ignored.
FERRY_API void ferry_access_release(ferry_access* access);

FERRY_API ferry_code ferry_share_get_info(ferry_share* share, ferry_share_info* info);

/// The placement, the reasons for it, the amount of data copied, and changes that would make it faster: one
/// line, and one more for each hint. Writes at most `capacity` bytes to `text`, including the final zero.
/// `text` may be null if capacity is 0. Stores the size of the whole text in `needed`, which may be null.
FERRY_API ferry_code ferry_share_explain(ferry_share* share, char* text, size_t capacity, size_t* needed);

/// Ends the share: transfers back the bytes that only the device has, and waits for the commands that use the
/// memory. Returns the code of a command that failed; the share has ended nevertheless. FERRY_INVALID_STATE:
/// an access is open; the share has then not ended. The handle must still be released.
FERRY_API ferry_code ferry_share_end(ferry_share* share);

/// Releases the share, and ends it if ferry_share_end() was not called; ferry_queue_finish() then reports
/// errors. May block. Null is ignored.
FERRY_API void ferry_share_release(ferry_share* share);

#ifdef __cplusplus
}
#endif
