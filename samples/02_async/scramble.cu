// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void scramble(unsigned int* data, unsigned int count, unsigned int rounds) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        unsigned int x = data[i];
        for (unsigned int r = 0; r < rounds; ++r) {
            x = x * 1664525u + 1013904223u;
            x ^= x >> 15;
        }
        data[i] = x;
    }
}
