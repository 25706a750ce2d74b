// SPDX-License-Identifier: Apache-2.0
constexpr unsigned group = 128;

extern "C" __global__ void __launch_bounds__(group)
    nbody(const float4* __restrict__ body, float4* __restrict__ force, unsigned n, float softening) {
    __shared__ float4 tile[group];
    unsigned item = threadIdx.x;
    unsigned i = blockIdx.x * group + item;
    float4 mine = body[i];
    float sx = 0.0f;
    float sy = 0.0f;
    float sz = 0.0f;
    for (unsigned first = 0; first < n; first += group) {
        tile[item] = body[first + item];
        __syncthreads();
        for (unsigned k = 0; k < group; ++k) {
            float4 other = tile[k];
            float rx = other.x - mine.x;
            float ry = other.y - mine.y;
            float rz = other.z - mine.z;
            float inverse = rsqrtf(rx * rx + ry * ry + rz * rz + softening);
            float weight = other.w * inverse * inverse * inverse;
            sx += rx * weight;
            sy += ry * weight;
            sz += rz * weight;
        }
        __syncthreads();
    }
    force[i] = make_float4(sx, sy, sz, 0.0f);
}
