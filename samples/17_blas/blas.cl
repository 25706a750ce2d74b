// SPDX-License-Identifier: Apache-2.0

// Before the library: multiplies every element of a matrix by its row's weight.
__kernel void weigh(__global float *matrix, __global const float *weights, uint columns, uint count)
{
    const uint i = get_global_id(0);
    if (i < count) {
        matrix[i] *= weights[i / columns];
    }
}

// After the library: adds a bias to each column, and replaces negative values by zero.
__kernel void activate(__global float *matrix, __global const float *bias, uint columns, uint count)
{
    const uint i = get_global_id(0);
    if (i < count) {
        matrix[i] = fmax(matrix[i] + bias[i % columns], 0.0f);
    }
}
