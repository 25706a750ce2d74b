// SPDX-License-Identifier: Apache-2.0
#define AT(x, y, z) in[((z) * ny + (y)) * nx + (x)]
__kernel void stencil(__global const int* in, __global int* out, int nx, int ny, int nz) {
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= nx || y >= ny || z >= nz)
        return;
    int sum = -6 * AT(x, y, z);
    sum += AT(max(x - 1, 0), y, z) + AT(min(x + 1, nx - 1), y, z);
    sum += AT(x, max(y - 1, 0), z) + AT(x, min(y + 1, ny - 1), z);
    sum += AT(x, y, max(z - 1, 0)) + AT(x, y, min(z + 1, nz - 1));
    out[(z * ny + y) * nx + x] = sum;
}
