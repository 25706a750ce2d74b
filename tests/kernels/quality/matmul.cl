// SPDX-License-Identifier: Apache-2.0
#define TILE 16

__attribute__((reqd_work_group_size(TILE, TILE, 1))) __kernel void
matmul(__global const float* restrict a, __global const float* restrict b, __global float* restrict c, int n) {
    __local float left[TILE][TILE];
    __local float right[TILE][TILE];
    int x = get_local_id(0);
    int y = get_local_id(1);
    int column = get_global_id(0);
    int row = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k += TILE) {
        left[y][x] = a[row * n + k + x];
        right[y][x] = b[(k + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < TILE; ++i) {
            sum += left[y][i] * right[i][x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
