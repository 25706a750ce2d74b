// SPDX-License-Identifier: Apache-2.0
typedef float4 quad;
#define make_quad (float4)
float4 reversed(float4 v) {
    return v.wzyx;
}
__kernel void vectors(__global const float4* in, __global float4* out, __global int* flags, uint n) {
    const uint i = get_global_id(0);
    if (i >= n)
        return;
    float4 v = in[i], r;
    r.xy = v.zw;
    r.zw = v.yx;
    r.s0 += v.s3;
    r.hi = r.hi * 2.0f;
    const float4 m = make_quad(1.0f, 2.0f, 3.0f, 4.0f);
    const float8 both = (float8)(v, reversed(v));
    const float3 three = (float3)(both.s2, both.s57);
    const quad q = (quad)(three, v.odd.y);
    const int4 below = v < r;
    r = select(r, q, below) + m * (float4)(both.even);
    out[i] = r;
    flags[i] = any(below) + 2 * all(below) + 4 * any(v.xy == v.yx) + 8 * (both.lo.x == v.s0);
}
