// SPDX-License-Identifier: Apache-2.0
#define SATURATE(T, at) \
    out[at] = convert_##T##_sat(f) == 0 && convert_##T##_sat_rte(f) == 0 && convert_##T##_sat_rtz(f) == 0 && \
              convert_##T##_sat_rtp(f) == 0 && convert_##T##_sat_rtn(f) == 0 && convert_##T##4_sat(v).z == 0;
__kernel void saturate(__global const float* in, __global int* out) {
    const float f = in[0];
    const float4 v = (float4)(1.0f, 2.0f, f, 4.0f);
    SATURATE(char, 0)
    SATURATE(uchar, 1)
    SATURATE(short, 2)
    SATURATE(ushort, 3)
    SATURATE(int, 4)
    SATURATE(uint, 5)
    SATURATE(long, 6)
    SATURATE(ulong, 7)
}
