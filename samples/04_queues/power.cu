// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void power(unsigned int* data, unsigned int count, unsigned int exponent) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        unsigned int base = data[i];
        unsigned int x = 1;
        for (unsigned int k = 0; k < exponent; ++k) {
            x *= base;
        }
        data[i] = x;
    }
}
