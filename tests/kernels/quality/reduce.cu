// SPDX-License-Identifier: Apache-2.0
// The third parameter is where Ferry says at which byte of the block the array begins: at its start here.
extern __shared__ float part[];

extern "C" __global__ void reduce(const float* __restrict__ in, float* __restrict__ out, unsigned, unsigned n) {
    unsigned item = threadIdx.x;
    float sum = 0.0f;
    for (unsigned i = blockIdx.x * blockDim.x + item; i < n; i += gridDim.x * blockDim.x) {
        sum += in[i];
    }
    part[item] = sum;
    __syncthreads();
    for (unsigned width = blockDim.x / 2; width > 0; width /= 2) {
        if (item < width) {
            part[item] += part[item + width];
        }
        __syncthreads();
    }
    if (item == 0) {
        out[blockIdx.x] = part[0];
    }
}
