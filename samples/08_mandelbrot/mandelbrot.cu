// SPDX-License-Identifier: Apache-2.0
// As in renderer.hpp.
struct Frame {
    float left, top, step;
    unsigned int width, height, iterations;
};

// Counts the steps until the point of each pixel escapes.
extern "C" __global__ void mandelbrot(unsigned int* steps, Frame frame) {
    unsigned int px = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= frame.width || py >= frame.height) {
        return;
    }
    float cx = frame.left + frame.step * px;
    float cy = frame.top + frame.step * py;
    float x = 0.0f, y = 0.0f;
    unsigned int n = 0;
    while (n < frame.iterations && x * x + y * y <= 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        ++n;
    }
    steps[py * frame.width + px] = n;
}
