// SPDX-License-Identifier: Apache-2.0
// Only integers, so that every device gives exactly the same picture.

// One direction of a gaussian blur: (dx, dy) is (1, 0) or (0, 1). The sum of the weights is 65536.
__kernel void blur(__global const uchar4* in, __global uchar4* out, __global const uint* weights, int radius,
                   int width, int height, int dx, int dy) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= width || y >= height) {
        return;
    }
    uint4 sum = (uint4)(32768);
    for (int k = -radius; k <= radius; ++k) {
        int from_x = clamp(x + k * dx, 0, width - 1);
        int from_y = clamp(y + k * dy, 0, height - 1);
        sum += weights[k + radius] * convert_uint4(in[from_y * width + from_x]);
    }
    out[y * width + x] = convert_uchar4(sum >> 16);
}

int brightness(__global const uchar4* in, int x, int y, int width, int height) {
    uchar4 p = in[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)];
    return (77 * p.x + 150 * p.y + 29 * p.z) >> 8;
}

// The Sobel operator.
__kernel void edges(__global const uchar4* in, __global uchar* out, int width, int height) {
    int x = get_global_id(0);
    int y = get_global_id(1);
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
    out[y * width + x] = min(abs(across) + abs(down), 255u);
}
