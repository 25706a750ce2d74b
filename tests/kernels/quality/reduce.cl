// SPDX-License-Identifier: Apache-2.0
__kernel void reduce(__global const float* restrict in, __global float* restrict out, __local float* part, uint n) {
    uint item = get_local_id(0);
    float sum = 0.0f;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        sum += in[i];
    }
    part[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = get_local_size(0) / 2; width > 0; width /= 2) {
        if (item < width) {
            part[item] += part[item + width];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        out[get_group_id(0)] = part[0];
    }
}
