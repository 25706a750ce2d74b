// SPDX-License-Identifier: Apache-2.0
constexpr int tile = 16;

extern "C" __global__ void __launch_bounds__(tile* tile)
    matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    __shared__ float left[tile][tile];
    __shared__ float right[tile][tile];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * tile + x;
    int row = blockIdx.y * tile + y;
    float sum = 0.0f;
    for (int k = 0; k < n; k += tile) {
        left[y][x] = a[row * n + k + x];
        right[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < tile; ++i) {
            sum += left[y][i] * right[i][x];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}
