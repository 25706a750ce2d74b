// SPDX-License-Identifier: Apache-2.0
__kernel void spaces(__global const float4* in, __constant int* table, __local short2* own, __global float* out, float4 v,
                     int n) {
    const size_t i = get_local_id(0);
    own[i] = (short2)((short)table[0], (short)table[1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    const short2 both = own[get_local_size(0) - 1 - i];
    out[i] = in[i].x + in[i].y + in[i].z + in[i].w + both.x + both.y + v.x + v.y + v.z + v.w + n;
}
