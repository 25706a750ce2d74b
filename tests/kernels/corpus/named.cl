// SPDX-License-Identifier: Apache-2.0
// Unused kernels with the names of built-in functions, or of functions of C and CUDA.
__kernel void mix(__global const float* in, __global float* out, int length) {
    const size_t i = get_global_id(0);
    out[i] = 2.0f * in[i] + (float)length;
}
__kernel void distance(__global const float* in, __global float* out, int step) {
    const size_t i = get_global_id(0);
    out[i] = fabs(in[i]) + clamp((float)step, -1e6f, 1e6f);
}
__kernel void max(__global const float* in, __global float* out, int floor) {
    __local float lane[1];
    const size_t i = get_global_id(0);
    if (get_local_id(0) == 0) {
        lane[0] = fmax((float)floor, 2.0f);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = in[i] + lane[0];
}
__kernel void vload4(__global const float* in, __global float* out, int n) {
    const size_t i = get_global_id(0);
    out[i] = in[i] - (float)n;
}
#ifndef __NV_CL_C_VERSION // NVIDIA's OpenCL has macros of these names
__kernel void atomic_add(__global const float* in, __global float* out, int n) {
    const size_t i = get_global_id(0);
    out[i] = in[i] * (float)n;
}
__kernel void convert_int4(__global const float* in, __global float* out, int n) {
    out[get_global_id(0)] = (float)convert_int3((float3)in[get_global_id(0)]).z + (float)n;
}
#endif
__kernel void sqrtf(__global const float* in, __global float* out, int n) {
    const size_t i = get_global_id(0);
    out[i] = sqrt(in[i] * in[i]) + (float)n;
}
__kernel void malloc(__global const float* in, __global float* out, int n) {
    const size_t i = get_global_id(0);
    out[i] = fabs(in[i]) + (float)n;
}
