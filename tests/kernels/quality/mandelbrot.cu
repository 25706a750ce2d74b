// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void mandelbrot(unsigned char* __restrict__ out, unsigned int width, unsigned int height,
                                      unsigned int limit) {
    unsigned int px = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) {
        return;
    }
    float cx = 3.0f * (float)px / (float)width - 2.0f;
    float cy = 2.0f * (float)py / (float)height - 1.0f;
    float x = 0.0f;
    float y = 0.0f;
    unsigned int i = 0;
    for (; i < limit && x * x + y * y < 4.0f; ++i) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
    }
    out[py * width + px] = (unsigned char)i;
}
