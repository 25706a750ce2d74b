// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What the device does with shared bytes.
typedef int32_t ferry_device_access;
enum {
    FERRY_DEVICE_READS = 0,
    FERRY_DEVICE_WRITES = 1,  ///< every byte of what a launch is given; what was there is not needed
    FERRY_DEVICE_UPDATES = 2, ///< it reads, and writes some or all
};

/// What the host does with shared bytes.
typedef int32_t ferry_host_access;
enum {
    FERRY_HOST_READS = 0,
    FERRY_HOST_WRITES = 1, ///< every byte of the range; what was there need not be brought back
    FERRY_HOST_UPDATES = 2,
};

/// How bytes get to a device and back; ferry::Placement (ferry/placement.hpp) tells each. A set of them is
/// the sum of 1 << placement.
typedef int32_t ferry_placement;
enum {
    FERRY_PLACEMENT_ALIAS = 0,
    FERRY_PLACEMENT_LINK = 1,
    FERRY_PLACEMENT_MIGRATE = 2,
    FERRY_PLACEMENT_COPY = 3,
    FERRY_PLACEMENT_STAGE = 4,
};

/// How a kernel goes over the bytes.
typedef int32_t ferry_pattern;
enum {
    FERRY_PATTERN_SEQUENTIAL = 0,
    FERRY_PATTERN_SPARSE = 1,
    FERRY_PATTERN_RANDOM = 2,
};

typedef struct ferry_share_options {
    double passes; ///< how often the device goes over the bytes each time the host changes or reads them; > 0
    uint32_t allowed;  ///< the set of placements that may be taken; 0: all
    uint32_t versions; ///< how many versions of the bytes may exist at once, 1 to 16
    ferry_pattern pattern;
} ferry_share_options;

/// What a share does, as numbers.
typedef struct ferry_share_info {
    uint64_t bytes_up;   ///< copied to the device so far
    uint64_t bytes_down; ///< copied back so far
    uint64_t copies;     ///< commands that did so
    ferry_placement placement;
} ferry_share_info;

/// Shares the caller's `bytes` bytes at `memory` with a device, in place or by the cheapest correct copies.
/// `options` may be null: one pass, sequential, any placement, one version. The memory outlives the share,
/// which the caller owns; until it ends the host touches the memory only through ferry_share_begin(). With
/// FERRY_DEVICE_READS Ferry does not write to it. Looks at the memory's pages (some 50 us) and may page-lock
/// them. FERRY_INVALID_ARGUMENT: null, no bytes, pages that are not mapped, past the end of a mapped file, or
/// not writable although the device writes, a range that overlaps another share's without being the same, an
/// option out of range. FERRY_UNSUPPORTED: no allowed placement works; the message says why.
FERRY_API ferry_code ferry_share_create(ferry_device* device, void* memory, size_t bytes,
                                        ferry_device_access access, const ferry_share_options* options,
                                        ferry_share** share);

/// The host's access to `bytes` bytes (or FERRY_TO_END) from `offset` on, at `*data`. Blocks until the
/// device's changes are there and, for writing, until the commands that still use the bytes are done. `queue`
/// is one of the share's device. The caller owns the access, and no launch may use the bytes while it is
/// there (reading launches may beside one that reads). FERRY_OUT_OF_RANGE, FERRY_INVALID_STATE: another
/// access is in the way.
FERRY_API ferry_code ferry_share_begin(ferry_share* share, ferry_queue* queue, ferry_host_access access,
                                       size_t offset, size_t bytes, ferry_access** out, void** data);

/// Ends the host's access and gives it up. Does not block. Null is let pass.
FERRY_API void ferry_access_release(ferry_access* access);

FERRY_API ferry_code ferry_share_get_info(ferry_share* share, ferry_share_info* info);

/// The placement, the reasons, what was copied and what would make it better: a line for people and one for
/// each hint. Writes at most `capacity` bytes to `text`, the zero at the end among them, which may be null if
/// capacity is 0; `needed`, which may be null, is what the whole text needs.
FERRY_API ferry_code ferry_share_explain(ferry_share* share, char* text, size_t capacity, size_t* needed);

/// Ends the share: brings back what only the device has and waits for the commands that use the memory.
/// Returns the code of one that failed; it has ended all the same. While an access of it is open it has not,
/// and this is FERRY_INVALID_STATE. The handle is still to be released.
FERRY_API ferry_code ferry_share_end(ferry_share* share);

/// Gives the share up, and ends it if ferry_share_end() did not; errors are left to ferry_queue_finish(). May
/// block. Null is let pass.
FERRY_API void ferry_share_release(ferry_share* share);

#ifdef __cplusplus
}
#endif
