// SPDX-License-Identifier: Apache-2.0
__kernel void saxpy(float a, __global const float* restrict x, __global float* restrict y, uint n) {
    uint i = get_global_id(0);
    if (i < n) {
        y[i] += a * x[i];
    }
}

__kernel void saxpy4(float a, __global const float4* restrict x, __global float4* restrict y, uint n) {
    uint i = get_global_id(0);
    if (i < n) {
        y[i] += a * x[i];
    }
}
