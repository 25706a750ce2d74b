// SPDX-License-Identifier: Apache-2.0
__kernel void saxpy(const float a, __global const float* restrict x, __global float* restrict y, const uint n) {
    const size_t i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}
