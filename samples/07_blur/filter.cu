// SPDX-License-Identifier: Apache-2.0
// Integers throughout: every device gives the same picture to the last bit.

__device__ int clamped(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

// One direction of a gaussian blur: (dx, dy) is (1, 0) or (0, 1). The weights add up to 65536.
extern "C" __global__ void blur(const uchar4* in, uchar4* out, const unsigned int* weights, int radius, int width,
                                int height, int dx, int dy) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    unsigned int r = 32768, g = 32768, b = 32768, a = 32768;
    for (int k = -radius; k <= radius; ++k) {
        int from_x = clamped(x + k * dx, 0, width - 1);
        int from_y = clamped(y + k * dy, 0, height - 1);
        uchar4 p = in[from_y * width + from_x];
        unsigned int w = weights[k + radius];
        r += w * p.x;
        g += w * p.y;
        b += w * p.z;
        a += w * p.w;
    }
    out[y * width + x] = make_uchar4(r >> 16, g >> 16, b >> 16, a >> 16);
}

__device__ int brightness(const uchar4* in, int x, int y, int width, int height) {
    uchar4 p = in[clamped(y, 0, height - 1) * width + clamped(x, 0, width - 1)];
    return (77 * p.x + 150 * p.y + 29 * p.z) >> 8;
}

// Sobel's operator.
extern "C" __global__ void edges(const uchar4* in, unsigned char* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    int b[3][3];
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            b[j][i] = brightness(in, x + i - 1, y + j - 1, width, height);
        }
    }
    int across = b[0][2] + 2 * b[1][2] + b[2][2] - b[0][0] - 2 * b[1][0] - b[2][0];
    int down = b[2][0] + 2 * b[2][1] + b[2][2] - b[0][0] - 2 * b[0][1] - b[0][2];
    int strength = (across < 0 ? -across : across) + (down < 0 ? -down : down);
    out[y * width + x] = strength > 255 ? 255 : strength;
}
