// SPDX-License-Identifier: Apache-2.0
typedef struct { volatile int2 mark; float4 value; } slot;
float4 twice(volatile __global const float4* p) { return *p * 2.0f; }
__kernel void volatile_vectors(volatile __global float4* in, __global volatile int2* pairs, volatile __global float4* out,
                               __local volatile float4* other) {
    const size_t i = get_global_id(0);
    const size_t lid = get_local_id(0);
    float4 v = in[i];
    volatile float4 kept = v;
    float4 volatile sum = (float4)(1.0f, 2.0f, 3.0f, 4.0f);
    int2 p;
    slot s;
    kept.y = 2.0f;
    kept += v;
    sum = kept * v.wzyx + sum;
    s.mark = pairs[i];
    s.value = kept;
    p = s.mark;
    v = kept;
    other[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    v.lo = other[(lid + 1) % get_local_size(0)].hi;
    kept.xw = v.yz;
    pairs[i] = p.yx + pairs[i] * 3;
    pairs[i] += (int2)(1, -1);
    out[4 * i] = kept;
    out[4 * i + 1] = v + sum.zzxy;
    out[4 * i + 2] = 3.0f;
    out[4 * i + 2].zw = s.value.xy;
    out[4 * i + 3] = twice(&in[i]) + (float4)(other[lid].odd, kept.lo);
}
