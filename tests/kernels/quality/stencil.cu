// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void stencil(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz,
                                   float middle, float side) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
        int i = (z * ny + y) * nx + x;
        int plane = nx * ny;
        float around = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - plane] + in[i + plane];
        out[i] = middle * in[i] + side * around;
    }
}
