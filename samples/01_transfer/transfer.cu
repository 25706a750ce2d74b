// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void invert(const unsigned char* in, unsigned char* out, unsigned int count) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = ~in[i];
    }
}
