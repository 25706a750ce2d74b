// SPDX-License-Identifier: Apache-2.0
#define GROUP 128

__attribute__((reqd_work_group_size(GROUP, 1, 1))) __kernel void
nbody(__global const float4* restrict body, __global float4* restrict force, uint n, float softening) {
    __local float4 tile[GROUP];
    uint i = get_global_id(0);
    uint item = get_local_id(0);
    float4 mine = body[i];
    float3 sum = (float3)(0.0f);
    for (uint first = 0; first < n; first += GROUP) {
        tile[item] = body[first + item];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < GROUP; ++k) {
            float4 other = tile[k];
            float3 r = other.xyz - mine.xyz;
            float inverse = rsqrt(dot(r, r) + softening);
            sum += r * (other.w * inverse * inverse * inverse);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    force[i] = (float4)(sum, 0.0f);
}
