// SPDX-License-Identifier: Apache-2.0
__kernel void mandelbrot(__global uchar* restrict out, uint width, uint height, uint limit) {
    uint px = get_global_id(0);
    uint py = get_global_id(1);
    if (px >= width || py >= height) {
        return;
    }
    float cx = 3.0f * (float)px / (float)width - 2.0f;
    float cy = 2.0f * (float)py / (float)height - 1.0f;
    float x = 0.0f;
    float y = 0.0f;
    uint i = 0;
    for (; i < limit && x * x + y * y < 4.0f; ++i) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
    }
    out[py * width + px] = (uchar)i;
}
