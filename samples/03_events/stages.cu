// SPDX-License-Identifier: Apache-2.0
// Makes the next generation of every value.
extern "C" __global__ void advance(const unsigned int* from, unsigned int* to, unsigned int count) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        unsigned int x = from[i];
        for (int r = 0; r < 32; ++r) {
            x = x * 1664525u + 1013904223u;
        }
        to[i] = x;
    }
}

// Folds a generation into the running digest.
extern "C" __global__ void digest(const unsigned int* values, unsigned int* digests, unsigned int count) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        digests[i] = (digests[i] << 5 | digests[i] >> 27) ^ values[i];
    }
}
