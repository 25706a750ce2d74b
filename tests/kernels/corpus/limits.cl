// SPDX-License-Identifier: Apache-2.0
// Sums and differences that are limited to the range of an unsigned type, in several forms, in kernels that
// divide.
#define LIMITS(T, HALF)                                                                              \
    kernel __attribute__((reqd_work_group_size(16, 1, 1))) void limits_##T(                          \
        global const T* a, global const T* b, ulong by, global T* out) {                             \
        local T shared[16];                                                                          \
        const uint i = get_local_id(0);                                                              \
        const size_t at = get_global_id(0);                                                          \
        const ulong divided = (ulong)a[at] / by;                                                     \
        shared[i] = a[at];                                                                           \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                \
        const T x = shared[(i + 5) % 16];                                                            \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                \
        shared[i] = b[at];                                                                           \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                \
        const T y = shared[(i + 3) % 16];                                                            \
        const T most = (T)~(T)0;                                                                     \
        const T half_range = HALF;                                                                   \
        const T sum = x + y;                                                                         \
        const T sum_of_half = x + half_range;                                                        \
        out += 16 * at;                                                                              \
        out[0] = sub_sat(x, y);                                                                      \
        out[1] = add_sat(x, y);                                                                      \
        out[2] = x < y ? 0 : x - y;                                                                  \
        out[3] = x >= y ? x - y : 0;                                                                 \
        if (y > x) {                                                                                 \
            out[4] = 0;                                                                              \
        } else {                                                                                     \
            out[4] = x - y;                                                                          \
        }                                                                                            \
        out[5] = sum < x ? most : sum;                                                               \
        out[6] = x <= sum ? sum : most;                                                              \
        out[7] = HALF < x ? 0 : HALF - x;                                                            \
        out[8] = x < half_range ? 0 : x - half_range;                                                \
        out[9] = sum_of_half < half_range ? most : sum_of_half;                                      \
        out[10] = sub_sat((T)HALF, x);                                                               \
        out[11] = add_sat(x, (T)HALF);                                                               \
        T left = x;                                                                                  \
        T taken = y;                                                                                 \
        for (int round = 0; round < 3; ++round) {                                                    \
            left = left < taken ? 0 : left - taken;                                                  \
            taken = taken + left;                                                                    \
        }                                                                                            \
        out[12] = left;                                                                              \
        out[13] = (x - y) & (T)((T)0 - (T)(x >= y));                                                 \
        out[14] = divided;                                                                           \
        out[15] = abs_diff(x, y);                                                                    \
    }
LIMITS(uchar, 216)
LIMITS(ushort, 50000)
LIMITS(uint, 3000000000u)
LIMITS(ulong, 17000000000000000000ul)

kernel void limits_of_vectors(global const uchar8* a, global const uchar8* b, global float* by, global uchar8* out) {
    const size_t i = get_global_id(0);
    by[i] = by[i] / (by[i] + 1.5f);
    const uchar8 x = a[i];
    const uchar8 y = b[i];
    out[4 * i] = sub_sat(x, y);
    out[4 * i + 1] = add_sat(x, (uchar8)200);
    out[4 * i + 2] = (x - y) & as_uchar8(x >= y);
    out[4 * i + 3] = ((uchar8)200 - x) & as_uchar8(x <= (uchar8)200);
}
