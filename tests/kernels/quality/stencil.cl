// SPDX-License-Identifier: Apache-2.0
__kernel void stencil(__global const float* restrict in, __global float* restrict out, int nx, int ny, int nz,
                      float middle, float side) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    int z = get_global_id(2);
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
        int i = (z * ny + y) * nx + x;
        int plane = nx * ny;
        float around = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - plane] + in[i + plane];
        out[i] = middle * in[i] + side * around;
    }
}
