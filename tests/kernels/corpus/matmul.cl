// SPDX-License-Identifier: Apache-2.0
#define TILE 8
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void matmul(__global const float* a,
                                                                          __global const float* b,
                                                                          __global float* c, int rows, int inner,
                                                                          int columns) {
    __local float ta[TILE][TILE + 1];
    __local float tb[TILE][TILE + 1];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int x = get_group_id(0) * TILE + lx, y = get_group_id(1) * TILE + ly;
    float sum = 0.0f;
    for (int t = 0; t < inner; t += TILE) {
        ta[ly][lx] = y < rows && t + lx < inner ? a[y * inner + t + lx] : 0.0f;
        tb[ly][lx] = x < columns && t + ly < inner ? b[(t + ly) * columns + x] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; ++k)
            sum += ta[ly][k] * tb[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (x < columns && y < rows)
        c[y * columns + x] = sum;
}
