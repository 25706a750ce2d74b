// SPDX-License-Identifier: Apache-2.0
__kernel void loads(__global const float* in, __global uchar* bytes, __global short* words, __global half* halves,
                    __global float* back, uint n) {
    const uint i = get_global_id(0);
    if (i >= n / 3)
        return;
    const float3 v = vload3(i, in);
    vstore3(convert_uchar3_sat_rte(v), i, bytes);
    vstore3(convert_short3_sat_rtp(v * 256.0f), i, words + 1);
    vstore_half3(v, i, halves);
    vstore3(vload_half3(i, halves), i, back);
}
