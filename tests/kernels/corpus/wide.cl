// SPDX-License-Identifier: Apache-2.0
/* Of random kernels that a driver got wrong: a variable that keeps its value while the group waits. */
#define KEEPS(T, N) \
    __kernel void keeps_##T##N(__global const T* in, __global T* out) { \
        __local uint ids[16]; \
        const uint lid = get_local_id(0); \
        const T##N v = vload##N(get_global_id(0), in); \
        ids[lid] = lid; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        const uint other = ids[15 - lid]; \
        vstore##N(v, get_global_id(0) + other + lid - 15, out); \
    }
KEEPS(uint, 16)
KEEPS(ulong, 8)
KEEPS(ulong, 16)
KEEPS(long, 16)

typedef struct {
    int before;
    ulong16 wide;
    int behind;
} kept;
__kernel void keeps_struct(__global const ulong* in, __global ulong* out) {
    __local uint ids[16];
    const uint lid = get_local_id(0);
    kept k;
    k.before = 7;
    k.wide = vload16(get_global_id(0), in);
    k.behind = 8;
    ids[lid] = lid;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint other = ids[15 - lid] + k.before + k.behind;
    vstore16(k.wide, get_global_id(0) + other + lid - 30, out);
}

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
KEEPS(double, 16)
#endif
