// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The size of a launch in up to three dimensions: the number of work-groups, and the number of work-items in
/// each of them. An unused dimension is 1. x, the first one, varies fastest. `offset` is added to the global
/// ids of the work-items. It is 0 for most launches; other values need a program built with
/// ferry_build_options::global_offsets. ferry::Grid in ferry/grid.hpp has the limits.
typedef struct ferry_grid {
    size_t groups[3];
    size_t local[3];
    size_t offset[3];
} ferry_grid;

/// The type of an element, which is checked against the kernel's parameter. FERRY_TYPE_OTHER is checked by
/// size alone.
typedef int32_t ferry_type;
enum {
    FERRY_TYPE_OTHER = 0,
    FERRY_TYPE_I8 = 1,
    FERRY_TYPE_U8 = 2,
    FERRY_TYPE_I16 = 3,
    FERRY_TYPE_U16 = 4,
    FERRY_TYPE_I32 = 5,
    FERRY_TYPE_U32 = 6,
    FERRY_TYPE_I64 = 7,
    FERRY_TYPE_U64 = 8,
    FERRY_TYPE_F16 = 9,
    FERRY_TYPE_F32 = 10,
    FERRY_TYPE_F64 = 11,
};

typedef int32_t ferry_argument_kind;
enum {
    FERRY_ARGUMENT_SCALAR = 1, ///< The member of `value` that `type` selects. `offset` and `bytes` are
                               ///< ignored.
    FERRY_ARGUMENT_BYTES = 2,  ///< `bytes` bytes at `value.data`, captured by the launch: a vector, a struct.
    FERRY_ARGUMENT_BUFFER = 3, ///< `bytes` bytes of `value.buffer` from `offset` on. A null buffer is a null
                               ///< pointer.
    FERRY_ARGUMENT_SHARE = 4,  ///< `bytes` bytes of `value.share` from `offset` on.
    FERRY_ARGUMENT_LOCAL = 5,  ///< `bytes` bytes of local memory for each work-group.
};

typedef union ferry_argument_value {
    uint64_t bits; ///< A half as its bit pattern.
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    float f32;
    double f64;
    const void* data;
    ferry_buffer* buffer;
    ferry_share* share;
} ferry_argument_value;

/// One argument of a launch, made by the functions below. It is plain data, so that other languages can fill
/// it in. Offsets and sizes are in bytes. FERRY_TO_END means the rest of a buffer or share. `type` may also
/// be the element type of a buffer, share or local memory.
typedef struct ferry_argument {
    ferry_argument_kind kind;
    ferry_type type;
    ferry_argument_value value;
    size_t offset;
    size_t bytes;
} ferry_argument;

static inline ferry_argument ferry_argument_of_kind(ferry_argument_kind kind, ferry_type type, size_t offset,
                                                    size_t bytes) {
    ferry_argument a = {0, 0, {0}, 0, 0};
    a.kind = kind;
    a.type = type;
    a.offset = offset;
    a.bytes = bytes;
    return a;
}
static inline ferry_argument ferry_i32(int32_t value) {
    ferry_argument a = ferry_argument_of_kind(FERRY_ARGUMENT_SCALAR, FERRY_TYPE_I32, 0, sizeof value);
    a.value.i32 = value;
    return a;
}
static inline ferry_argument ferry_u32(uint32_t value) {
    ferry_argument a = ferry_argument_of_kind(FERRY_ARGUMENT_SCALAR, FERRY_TYPE_U32, 0, sizeof value);
    a.value.u32 = value;
    return a;
}
static inline ferry_argument ferry_i64(int64_t value) {
    ferry_argument a = ferry_argument_of_kind(FERRY_ARGUMENT_SCALAR, FERRY_TYPE_I64, 0, sizeof value);
    a.value.i64 = value;
    return a;
}
static inline ferry_argument ferry_u64(uint64_t value) {
    ferry_argument a = ferry_argument_of_kind(FERRY_ARGUMENT_SCALAR, FERRY_TYPE_U64, 0, sizeof value);
    a.value.bits = value;
    return a;
}
static inline ferry_argument ferry_f32(float value) {
    ferry_argument a = ferry_argument_of_kind(FERRY_ARGUMENT_SCALAR, FERRY_TYPE_F32, 0, sizeof value);
    a.value.f32 = value;
    return a;
}
static inline ferry_argument ferry_f64(double value) {
    ferry_argument a = ferry_argument_of_kind(FERRY_ARGUMENT_SCALAR, FERRY_TYPE_F64, 0, sizeof value);
    a.value.f64 = value;
    return a;
}
/// A value of any type, a vector or a struct without pointers. The launch reads `data`; this function does
/// not.
static inline ferry_argument ferry_bytes(const void* data, size_t bytes) {
    ferry_argument a = ferry_argument_of_kind(FERRY_ARGUMENT_BYTES, FERRY_TYPE_OTHER, 0, bytes);
    a.value.data = data;
    return a;
}
/// The whole buffer.
static inline ferry_argument ferry_whole(ferry_buffer* buffer) {
    ferry_argument a = ferry_argument_of_kind(FERRY_ARGUMENT_BUFFER, FERRY_TYPE_OTHER, 0, FERRY_TO_END);
    a.value.buffer = buffer;
    return a;
}
/// A range of a buffer.
static inline ferry_argument ferry_range(ferry_buffer* buffer, size_t offset, size_t bytes) {
    ferry_argument a = ferry_argument_of_kind(FERRY_ARGUMENT_BUFFER, FERRY_TYPE_OTHER, offset, bytes);
    a.value.buffer = buffer;
    return a;
}
/// The whole share.
static inline ferry_argument ferry_shared(ferry_share* share) {
    ferry_argument a = ferry_argument_of_kind(FERRY_ARGUMENT_SHARE, FERRY_TYPE_OTHER, 0, FERRY_TO_END);
    a.value.share = share;
    return a;
}
/// Local memory for each work-group.
static inline ferry_argument ferry_local(size_t bytes) {
    return ferry_argument_of_kind(FERRY_ARGUMENT_LOCAL, FERRY_TYPE_OTHER, 0, bytes);
}

/// The smallest number of whole groups of `local` work-items that covers `items`, in one dimension. The
/// kernel must do no work for work-items beyond the end.
static inline ferry_grid ferry_grid_covering(size_t items, size_t local) {
    ferry_grid grid = {{0, 1, 1}, {0, 1, 1}, {0, 0, 0}};
    grid.groups[0] = local == 0 ? 0 : items / local + (items % local != 0 ? 1 : 0);
    grid.local[0] = local;
    return grid;
}
/// A value for all members of ferry_grid::local: the launch chooses a group size that suits its kernel and
/// device, and `groups` is the number of work-items to cover. The kernel must do no work for work-items
/// beyond the end.
#define FERRY_CHOOSE_LOCAL ((size_t)-1)
/// A grid that covers `x` times `y` times `z` work-items in groups whose size the launch chooses.
static inline ferry_grid ferry_grid_of_items(size_t x, size_t y, size_t z) {
    ferry_grid grid = {{x, y, z}, {FERRY_CHOOSE_LOCAL, FERRY_CHOOSE_LOCAL, FERRY_CHOOSE_LOCAL}, {0, 0, 0}};
    return grid;
}

#ifdef __cplusplus
}
#endif
