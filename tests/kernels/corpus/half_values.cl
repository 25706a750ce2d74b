// SPDX-License-Identifier: Apache-2.0
/* Variables, casts and arithmetic of half. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
half twice(half x) { return x + x; }
__kernel void half_values(__global half* data, __global float* out, __global int* whole) {
    const size_t i = get_global_id(0);
    half h = data[i];
    whole[i] += h; /* In half, so that large numbers are rounded. */
    const half third = (half)out[i] - h;
    out[i] = (float)twice(h) * 0.25f + (float)third;
    data[i] = h > (half)100 ? (half)(h * (half)0.5f) : -h;
}
