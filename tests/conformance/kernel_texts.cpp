// SPDX-License-Identifier: Apache-2.0
#include "kernel_texts.hpp"

namespace conformance {

const char* const opencl_text = R"(
typedef struct { char tag; int number; float real; uchar bytes[5]; ulong big; } Mixed;
__kernel void saxpy(float a, __global const float* x, __global float* y, uint n) {
    uint i = get_global_id(0);
    if (i < n) y[i] += a * x[i];
}
__kernel void iota(__global uint* out, uint n, uint base) {
    uint i = get_global_id(0);
    if (i < n) out[i] = base + i;
}
__kernel void add(__global uint* data, uint n, uint value) {
    uint i = get_global_id(0);
    if (i < n) data[i] += value;
}
__kernel void stir(__global uint* data, uint n, uint salt) {
    uint i = get_global_id(0);
    if (i < n) data[i] = data[i] * 1664525u + salt + i;
}
__kernel void combine(__global const uint* a, __global const uint* b, __global uint* out, uint n) {
    uint i = get_global_id(0);
    if (i < n) out[i] = a[i] * 3 + b[i];
}
__kernel void spin(__global uint* out, uint rounds) {
    uint v = get_global_id(0);
    for (uint r = 0; r < rounds; ++r) v = (v ^ (v >> 7)) * 1664525u + 1013904223u;
    out[get_global_id(0)] = v;
}
__kernel void shape(__global uint* out) {
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    __global uint* cell = out + 6 * ((z * get_global_size(1) + y) * get_global_size(0) + x);
    for (uint d = 0; d < 3; ++d) {
        cell[d] = get_local_id(d);
        cell[3 + d] = get_group_id(d);
    }
}
__kernel void reverse_groups(__global const uint* in, __global uint* out, __local uint* t) {
    uint l = get_local_id(0), n = get_local_size(0), first = get_group_id(0) * n;
    t[l] = in[first + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[first + l] = t[n - 1 - l];
}
__kernel void two_locals(__global uint* out, __local uchar* b, __local uint* w) {
    uint l = get_local_id(0), n = get_local_size(0);
    b[l] = (uchar)(l * 3);
    w[l] = l * 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = w[n - 1 - l] + b[(l + 1) % n];
}
__kernel void group_sum(__global const uint* in, __global uint* out) {
    __local uint part[64];
    uint l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        uint sum = 0;
        for (uint i = 0; i < get_local_size(0); ++i) sum += part[i];
        out[get_group_id(0)] = sum;
    }
}
__kernel void histogram(__global const uint* in, __global uint* bins, uint n) {
    uint i = get_global_id(0);
    if (i < n) atomic_inc(&bins[in[i] % 16]);
}
__kernel void scalars(__global long* out, char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h,
                      float r) {
    out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = g; out[7] = (long)h;
    out[8] = (long)(r * 4);
}
__kernel void structs(__global ulong* out, Mixed m) {
    out[0] = (ulong)(long)m.tag;
    out[1] = (ulong)(long)m.number;
    out[2] = (ulong)(m.real * 8);
    out[3] = m.bytes[0] + 256 * m.bytes[4];
    out[4] = m.big;
}
__kernel void vectors(__global float* out, float4 a, float2 b) {
    out[0] = a.x; out[1] = a.y; out[2] = a.z; out[3] = a.w; out[4] = b.x; out[5] = b.y;
}
__kernel void sixteen(__global uint* out, uint a0, uint a1, uint a2, uint a3, uint a4, uint a5, uint a6, uint a7,
                      uint a8, uint a9, uint a10, uint a11, uint a12, uint a13, uint a14, uint a15) {
    out[0] = a0; out[1] = a1; out[2] = a2; out[3] = a3; out[4] = a4; out[5] = a5; out[6] = a6; out[7] = a7;
    out[8] = a8; out[9] = a9; out[10] = a10; out[11] = a11; out[12] = a12; out[13] = a13; out[14] = a14;
    out[15] = a15;
}
__kernel void is_null(__global const uint* p, __global uint* out) { out[0] = p == 0 ? 1 : 0; }
__kernel void noop(void) {}
)";

const char* const cuda_hip_text = R"(
struct Mixed { signed char tag; int number; float real; unsigned char bytes[5]; unsigned long long big; };
#define GLOBAL_X (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" __global__ void saxpy(float a, const float* x, float* y, unsigned int n) {
    unsigned int i = GLOBAL_X;
    if (i < n) y[i] += a * x[i];
}
extern "C" __global__ void iota(unsigned int* out, unsigned int n, unsigned int base) {
    unsigned int i = GLOBAL_X;
    if (i < n) out[i] = base + i;
}
extern "C" __global__ void add(unsigned int* data, unsigned int n, unsigned int value) {
    unsigned int i = GLOBAL_X;
    if (i < n) data[i] += value;
}
extern "C" __global__ void stir(unsigned int* data, unsigned int n, unsigned int salt) {
    unsigned int i = GLOBAL_X;
    if (i < n) data[i] = data[i] * 1664525u + salt + i;
}
extern "C" __global__ void combine(const unsigned int* a, const unsigned int* b, unsigned int* out,
                                   unsigned int n) {
    unsigned int i = GLOBAL_X;
    if (i < n) out[i] = a[i] * 3 + b[i];
}
extern "C" __global__ void spin(unsigned int* out, unsigned int rounds) {
    unsigned int v = GLOBAL_X;
    for (unsigned int r = 0; r < rounds; ++r) v = (v ^ (v >> 7)) * 1664525u + 1013904223u;
    out[GLOBAL_X] = v;
}
extern "C" __global__ void shape(unsigned int* out) {
    unsigned int x = GLOBAL_X, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    unsigned int* cell = out + 6 * ((z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x);
    cell[0] = threadIdx.x; cell[1] = threadIdx.y; cell[2] = threadIdx.z;
    cell[3] = blockIdx.x; cell[4] = blockIdx.y; cell[5] = blockIdx.z;
}
extern "C" __global__ void reverse_groups(const unsigned int* in, unsigned int* out, unsigned int offset) {
    extern __shared__ char dynamic_local[];
    unsigned int* t = (unsigned int*)(dynamic_local + offset);
    unsigned int l = threadIdx.x, n = blockDim.x, first = blockIdx.x * n;
    t[l] = in[first + l];
    __syncthreads();
    out[first + l] = t[n - 1 - l];
}
extern "C" __global__ void two_locals(unsigned int* out, unsigned int b_offset, unsigned int w_offset) {
    extern __shared__ char dynamic_local[];
    unsigned char* b = (unsigned char*)(dynamic_local + b_offset);
    unsigned int* w = (unsigned int*)(dynamic_local + w_offset);
    unsigned int l = threadIdx.x, n = blockDim.x;
    b[l] = (unsigned char)(l * 3);
    w[l] = l * 5;
    __syncthreads();
    out[GLOBAL_X] = w[n - 1 - l] + b[(l + 1) % n];
}
extern "C" __global__ void group_sum(const unsigned int* in, unsigned int* out) {
    __shared__ unsigned int part[64];
    unsigned int l = threadIdx.x;
    part[l] = in[GLOBAL_X];
    __syncthreads();
    if (l == 0) {
        unsigned int sum = 0;
        for (unsigned int i = 0; i < blockDim.x; ++i) sum += part[i];
        out[blockIdx.x] = sum;
    }
}
extern "C" __global__ void histogram(const unsigned int* in, unsigned int* bins, unsigned int n) {
    unsigned int i = GLOBAL_X;
    if (i < n) atomicAdd(&bins[in[i] % 16], 1u);
}
extern "C" __global__ void scalars(long long* out, signed char a, unsigned char b, short c, unsigned short d, int e,
                                   unsigned int f, long long g, unsigned long long h, float r) {
    out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = g; out[7] = (long long)h;
    out[8] = (long long)(r * 4);
}
extern "C" __global__ void structs(unsigned long long* out, Mixed m) {
    out[0] = (unsigned long long)(long long)m.tag;
    out[1] = (unsigned long long)(long long)m.number;
    out[2] = (unsigned long long)(m.real * 8);
    out[3] = m.bytes[0] + 256 * m.bytes[4];
    out[4] = m.big;
}
extern "C" __global__ void vectors(float* out, float4 a, float2 b) {
    out[0] = a.x; out[1] = a.y; out[2] = a.z; out[3] = a.w; out[4] = b.x; out[5] = b.y;
}
extern "C" __global__ void sixteen(unsigned int* out, unsigned int a0, unsigned int a1, unsigned int a2,
                                   unsigned int a3, unsigned int a4, unsigned int a5, unsigned int a6,
                                   unsigned int a7, unsigned int a8, unsigned int a9, unsigned int a10,
                                   unsigned int a11, unsigned int a12, unsigned int a13, unsigned int a14,
                                   unsigned int a15) {
    out[0] = a0; out[1] = a1; out[2] = a2; out[3] = a3; out[4] = a4; out[5] = a5; out[6] = a6; out[7] = a7;
    out[8] = a8; out[9] = a9; out[10] = a10; out[11] = a11; out[12] = a12; out[13] = a13; out[14] = a14;
    out[15] = a15;
}
extern "C" __global__ void is_null(const unsigned int* p, unsigned int* out) { out[0] = p == 0 ? 1 : 0; }
extern "C" __global__ void noop() {}
)";

const char* const opencl_double_text = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void twice(__global double* data, uint n) {
    uint i = get_global_id(0);
    if (i < n) data[i] *= 2.0;
}
)";

const char* const cuda_hip_double_text = R"(
extern "C" __global__ void twice(double* data, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= 2.0;
}
)";

const char* const opencl_half_text = R"(
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void half_sum(__global const half* a, __global const half* b, __global half* out, uint n) {
    uint i = get_global_id(0);
    if (i < n) out[i] = a[i] + b[i];
}
)";

// CUDA's type is in a header that may be missing on the machine.
const char* const cuda_hip_half_text = R"(
#ifdef __CUDACC_RTC__
typedef unsigned short Half;
__device__ Half plus(Half a, Half b) {
    Half sum;
    asm("add.f16 %0, %1, %2;" : "=h"(sum) : "h"(a), "h"(b));
    return sum;
}
#else
typedef _Float16 Half;
__device__ Half plus(Half a, Half b) { return a + b; }
#endif
extern "C" __global__ void half_sum(const Half* a, const Half* b, Half* out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = plus(a[i], b[i]);
}
)";

} // namespace conformance
