// SPDX-License-Identifier: Apache-2.0
// half through pointers of every address space. half3 vectors are four elements apart.
__kernel void halves(__global const half* in, __constant half* c, __global const float* f, __global half* out,
                     __global float* got) {
    __local ushort4 l[4];
    ushort4 p[4];
    for (int i = 0; i < 4; ++i)
        l[i] = p[i] = (ushort4)(0, 0, 0, 0);
    __local half* near = (__local half*)l;
    half* own = (half*)p;
    vstorea_half4(vload4(0, f), 0, near);
    vstorea_half3(vload3(0, f), 1, near);
    vstorea_half2(vload2(0, f), 4, near);
    vstore_half3(vload3(1, f), 4, near);
    vstorea_half4(vload4(0, f), 0, own);
    vstorea_half3(vload3(0, f), 1, own);
    vstorea_half2(vload2(0, f), 4, own);
    vstore_half3(vload3(1, f), 4, own);
    vstore4(vloada_half4(0, near), 0, got);
    vstore3(vloada_half3(1, near), 0, got + 4);
    got[7] = vload_half(7, near);
    vstore4(vload_half4(2, near), 0, got + 8);
    vstore3(vload_half3(4, near), 0, got + 12);
    got[15] = vload_half(15, near);
    vstore16(vload_half16(0, own), 0, got + 16);
    vstore4(vloada_half4(0, c), 0, got + 32);
    vstore3(vloada_half3(1, c), 0, got + 36);
    got[39] = vload_half(7, c);
    vstore2(vloada_half2(0, in), 0, got + 40);
    vstore3(vload_half3(1, in), 0, got + 42);
    got[45] = vload_half(5, in);
    got[46] = vload_half(6, in);
    got[47] = vload_half(7, in);
    vstore8(vloada_half8(0, in), 0, got + 48);
    vstore16(vloada_half16(0, in), 0, got + 56);
    vstorea_half3(vloada_half3(0, in), 0, out);
    vstorea_half3_rtz(vload3(0, f), 1, out);
    vstorea_half8(vloada_half8(1, in), 1, out);
    vstorea_half16(vloada_half16(0, in), 1, out);
}

#ifdef FERRY_HAS_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
// Rounded once. A conversion by way of float would round some values twice.
__kernel void doubles(__global const double* d, __global half* out) {
    vstore_half(d[0], 0, out);
    vstore_half_rtz(d[0], 1, out);
    vstore_half2(vload2(0, d), 1, out);
    vstorea_half4(vload4(0, d), 1, out);
    vstorea_half3_rtp(vload3(0, d), 2, out);
}
#endif

// The same bits as other types of the same size.
__kernel void casts(__global const uint* in, __global uint* out) {
    out[0] = as_uint(as_uchar4(in[0]).wzyx);
    out[1] = as_uint(as_short2((int)in[1]).yx);
    out[2] = as_uint(as_float3(as_float4(vload4(0, in))).y);
    vstore2(as_uint2(as_ulong(vload2(1, in))), 0, out + 3);
    out[5] = (uint)(as_ulong(vload2(0, in)) >> 32);
    vstore4(as_uint4(as_short8(vload4(0, in)).s67452301), 0, out + 6);
    vstore4(as_uint4(as_uchar16(vload4(0, in)).sfedcba9876543210), 0, out + 10);
    out[14] = vec_step(float4) + 32 * vec_step(int3) + 1024 * vec_step(char16);
    short8 v = (short8)(0);
    out[15] = (uint)v.s0 + vec_step(v) + 32 * vec_step(in[0]) + 1024 * vec_step(uchar2);
}

// Fences order the accesses around them. A work-item reads its own writes.
__kernel void sums(__global float* sum, __global float* old, __local int* box) {
    __local float near[2];
    const size_t i = get_local_id(0);
    const size_t n = get_local_size(0);
    if (i == 0) {
        near[0] = 0.0f;
        near[1] = -1.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    old[i] = ferry_atomic_add_float(sum, 1.0f);
    old[n + i] = ferry_atomic_add_float(near, 2.0f);
    old[2 * n + i] = atomic_xchg(near + 1, (float)i);
    old[3 * n + i] = atomic_xchg(sum + 3, (float)i);
    box[i] = (int)i + 1;
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    old[4 * n + i] = (float)box[i];
    write_mem_fence(CLK_GLOBAL_MEM_FENCE);
    read_mem_fence(CLK_LOCAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) {
        sum[1] = near[0];
        sum[2] = near[1];
    }
}

// Each returns the old value.
#define OLDS(a, old) \
    old[0] = atomic_add(a, 3); \
    old[1] = atomic_sub(a + 1, 3); \
    old[2] = atomic_inc(a + 2); \
    old[3] = atomic_dec(a + 3); \
    old[4] = atomic_min(a + 4, -5); \
    old[5] = atomic_max(a + 5, 5000); \
    old[6] = atomic_and(a + 6, 6); \
    old[7] = atomic_or(a + 7, 6); \
    old[8] = atomic_xor(a + 8, 6); \
    old[9] = atomic_xchg(a + 9, 6); \
    old[10] = atomic_cmpxchg(a + 10, 110, 6); \
    old[11] = atomic_cmpxchg(a + 11, 7, 6);
__kernel void olds(volatile __global int* g, __global int* old) {
    volatile __local int l[12];
    for (int i = 0; i < 12; ++i)
        l[i] = g[i];
    OLDS(g, old)
    OLDS(l, (old + 12))
    for (int i = 0; i < 12; ++i)
        g[12 + i] = l[i];
}

#define COPIES(T) \
    __kernel void copy_##T(__global const T* in, __global T* out, __local T* part) { \
        const size_t n = get_local_size(0); \
        event_t e = async_work_group_copy(part, in, n, 0); \
        wait_group_events(1, &e); \
        const T last = part[n - 1 - get_local_id(0)]; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        part[get_local_id(0)] = last; \
        barrier(CLK_LOCAL_MEM_FENCE); \
        e = async_work_group_copy(out, part, n, 0); \
        wait_group_events(1, &e); \
    }
COPIES(uchar)
COPIES(short)
COPIES(float)
COPIES(long)
COPIES(char4)
COPIES(float4)
COPIES(uint16)
