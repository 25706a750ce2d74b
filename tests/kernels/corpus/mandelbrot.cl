// SPDX-License-Identifier: Apache-2.0
/* In fixed point, so that every device has the same picture. */
__kernel void mandelbrot(__global ushort* out, uint width, uint height, uint limit) {
    const uint px = get_global_id(0), py = get_global_id(1);
    if (px >= width || py >= height)
        return;
    const long cx = ((long)px * 3 << 28) / width - (2L << 28), cy = ((long)py * 2 << 28) / height - (1L << 28);
    long x = 0, y = 0;
    uint i = 0;
    while (i < limit && x * x + y * y < 4L << 56) {
        const long next = ((x * x - y * y) >> 28) + cx;
        y = ((x * y) >> 27) + cy;
        x = next;
        ++i;
    }
    out[py * width + px] = (ushort)i;
}
