// SPDX-License-Identifier: Apache-2.0
// How many steps n -> n / 2 or 3 n + 1 lead from first, first + 1, ... to 1.
extern "C" __global__ void collatz(unsigned int* steps, unsigned long long first, unsigned int count) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        unsigned long long n = first + i;
        unsigned int s = 0;
        while (n > 1) {
            n = n & 1 ? 3 * n + 1 : n / 2;
            ++s;
        }
        steps[i] = s;
    }
}
