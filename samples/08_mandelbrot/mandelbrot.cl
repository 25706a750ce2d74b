// SPDX-License-Identifier: Apache-2.0
// Rounds a * b + c twice, as the processor does, because the pictures are compared.
#pragma OPENCL FP_CONTRACT OFF

// The same struct as in renderer.hpp.
typedef struct {
    float left, top, step;
    uint width, height, iterations;
} Frame;

// Counts the steps until the point of each pixel escapes.
__kernel void mandelbrot(__global uint* steps, Frame frame) {
    uint px = get_global_id(0);
    uint py = get_global_id(1);
    if (px >= frame.width || py >= frame.height) {
        return;
    }
    float cx = frame.left + frame.step * px;
    float cy = frame.top + frame.step * py;
    float x = 0.0f, y = 0.0f;
    uint n = 0;
    while (n < frame.iterations && x * x + y * y <= 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        ++n;
    }
    steps[py * frame.width + px] = n;
}
