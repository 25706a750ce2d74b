// SPDX-License-Identifier: Apache-2.0
/* Scalars that become vectors as first arguments, and components chosen by an index. */
__kernel void widened(__global const float4* in, __global float4* out) {
    const size_t i = get_global_id(0);
    const float4 v = in[i];
    out[i] = select(0.5f, v, v > 0.25f);
}
__kernel void limited(__global const int4* in, __global int4* out) {
    const size_t i = get_global_id(0);
    out[i] = max(-50, min(in[i], 60));
}
__kernel void indexed(__global const int4* in, __global int4* out) {
    const size_t i = get_global_id(0);
    int4 v = in[i];
    for (int k = 0; k < 4; ++k)
        v[k] += k * v[(i + k) & 3];
    out[i] = v;
}
